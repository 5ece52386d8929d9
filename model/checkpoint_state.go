package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg"
)

// CheckpointOf is the state of a run; problem names data, λ and all else that must be the same to continue, in words. It shares
// the slices of sparse atoms with the state. Where ranks share the rows each has its own, which Save writes.
func CheckpointOf(s *gcg.State, problem string, lambda float64) *Checkpoint {
	c := &Checkpoint{Rows: s.W.M, Cols: s.W.N, Rank: s.W.Rank()}
	if c.Rank > 0 {
		c.U, c.V = Packed(s.W.U), Packed(s.W.V)
		c.users, c.items = s.W.U.Shared, s.W.V.Shared
	}
	for _, t := range s.W.Terms {
		a := t.Atom
		c.Terms = append(c.Terms, Term{Key: a.Key, Weight: t.Weight, Rows: a.Rows, Cols: a.Cols, Values: a.Vals})
	}
	c.Progress = Progress{Problem: problem, Iteration: s.Iter, Kind: Kind(s.Cert.Kind), Failure: s.Cert.Failure,
		Rho: s.Rho, Lambda: lambda, Seed: s.Seed, Intercept: s.Intercept, Merged: s.W.Merged, MergedWeight: s.W.MergedWeight}
	if !math.IsInf(s.Cert.LowerBound, 0) && !math.IsNaN(s.Cert.LowerBound) {
		c.Progress.LowerBound = &s.Cert.LowerBound
	}
	return c
}

// State is where the run was, for solver.Options.Resume. An error is for a checkpoint of another problem: it names the words
// that differ.
func (c *Checkpoint) State(p *gcg.Problem, problem string) (*gcg.State, error) {
	if c.Progress.Problem != problem {
		return nil, fmt.Errorf("belongs to another problem: %s", difference(c.Progress.Problem, problem))
	}
	start := &gcg.Iterate{M: c.Rows, N: c.Cols}
	if c.Rank > 0 {
		start.U, start.V = unpackedOf(c.users, c.U, c.Rows, c.Rank), unpackedOf(c.items, c.V, c.Cols, c.Rank)
		start.Merged, start.MergedWeight = c.Progress.Merged, c.Progress.MergedWeight
	}
	for _, t := range c.Terms {
		start.Terms = append(start.Terms, gcg.Term{Weight: t.Weight,
			Atom: gcg.Atom{Key: t.Key, Rows: t.Rows, Cols: t.Cols, Vals: t.Values}})
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

// difference is what two problems do not share.
func difference(there, here string) string {
	a, b := strings.Fields(there), strings.Fields(here)
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
		return fmt.Sprintf("it has %s, this one %s", there, here)
	}
	switch only, other := lacking(a, b), lacking(b, a); {
	case only == "":
		return fmt.Sprintf("it does not have %s, which this one has", other)
	case other == "":
		return fmt.Sprintf("it has %s, which this one does not have", only)
	default:
		return fmt.Sprintf("it has %s, this one %s", only, other)
	}
}

// lacking is the words that others lack.
func lacking(words, others []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) }), " ")
}
