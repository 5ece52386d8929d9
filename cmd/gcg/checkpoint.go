package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
)

// writeCheckpoint replaces the checkpoint only by a complete one.
func writeCheckpoint(name string, s *gcg.State, identity string, lambda float64) error {
	c := &model.Checkpoint{Rows: s.W.M, Cols: s.W.N, Rank: s.W.Rank()}
	if c.Rank > 0 {
		c.U, c.V = model.Packed(s.W.U), model.Packed(s.W.V)
	}
	for _, t := range s.W.Terms {
		a := t.Atom
		c.Terms = append(c.Terms, model.Term{Key: a.Key, Weight: t.Weight, Rows: a.Rows, Cols: a.Cols, Values: a.Vals})
	}
	c.Progress = model.Progress{Problem: identity, Iteration: s.Iter, Kind: model.Kind(s.Cert.Kind), Failure: s.Cert.Failure,
		Rho: s.Rho, Lambda: lambda, Seed: s.Seed, Intercept: s.Intercept, Merged: s.W.Merged, MergedWeight: s.W.MergedWeight}
	if !math.IsInf(s.Cert.LowerBound, 0) && !math.IsNaN(s.Cert.LowerBound) {
		c.Progress.LowerBound = &s.Cert.LowerBound
	}
	return dataset.WriteAtomic(name, c.Write)
}

// difference is what two identities do not share.
func difference(there, here string) string {
	a, b := strings.Fields(there), strings.Fields(here)
	if a[0] != b[0] {
		return fmt.Sprintf("it has %s, this one %s", there, here)
	}
	switch only, other := missing(a, b), missing(b, a); {
	case only == "":
		return fmt.Sprintf("it does not have %s, which this one has", other)
	case other == "":
		return fmt.Sprintf("it has %s, which this one does not have", only)
	default:
		return fmt.Sprintf("it has %s, this one %s", only, other)
	}
}

// missing is the words that others lack.
func missing(words, others []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) }), " ")
}

// resume is the state of a checkpoint of the same problem.
func resume(name string, p *gcg.Problem, identity string) (*gcg.State, error) {
	c, err := model.LoadCheckpoint(name)
	if err != nil {
		return nil, err
	}
	if c.Progress.Problem != identity {
		return nil, fmt.Errorf("%s: belongs to another problem: %s", name, difference(c.Progress.Problem, identity))
	}
	start := &gcg.Iterate{M: c.Rows, N: c.Cols}
	if c.Rank > 0 {
		start.U, start.V = model.Unpacked(c.U, c.Rows, c.Rank), model.Unpacked(c.V, c.Cols, c.Rank)
		start.Merged, start.MergedWeight = c.Progress.Merged, c.Progress.MergedWeight
	}
	for _, t := range c.Terms {
		start.Terms = append(start.Terms, gcg.Term{Weight: t.Weight, Atom: gcg.Atom{Key: t.Key, Rows: t.Rows, Cols: t.Cols, Vals: t.Values}})
	}
	s, err := gcg.NewState(p, start)
	if err != nil {
		return nil, err
	}
	if b := c.Progress.Intercept; len(b) == len(s.Intercept) && b != nil {
		copy(s.Intercept, b)
		s.Refresh(p)
	}
	s.Iter, s.Seed = c.Progress.Iteration, c.Progress.Seed
	if c.Progress.LowerBound != nil {
		s.Cert.LowerBound, s.Cert.Kind, s.Cert.Failure = *c.Progress.LowerBound, gcg.Kind(c.Progress.Kind), c.Progress.Failure
	}
	return s, nil
}
