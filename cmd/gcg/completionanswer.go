package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// model makes a model of an iterate.
func (c *completion) model(s *setup, w *gcg.Iterate) *model.Model {
	m := modelOf("completion", w)
	m.RowScale, m.ColScale = s.rowScale, s.colScale
	m.Global, m.RowOffset, m.ColOffset = s.centre.Global, s.centre.Row, s.centre.Col
	switch mode, lo, hi, _ := c.f.clipping(); mode {
	case "auto":
		m.Clip, m.Lo, m.Hi = true, s.lo, s.hi
	case "range":
		m.Clip, m.Lo, m.Hi = true, lo, hi
	}
	return m
}

// modelOf is W as a model; no gauge of the command line mixes kinds of atoms.
func modelOf(problem string, w *gcg.Iterate) *model.Model {
	m, err := model.Of(problem, w)
	if err != nil {
		panic(err)
	}
	return m
}

// complete adds ids and provenance to the final model.
func (c *completion) complete(m *model.Model, s *setup, lambda float64, r *solver.Result) {
	m.RowIDs, m.ColIDs = c.train.RowIDs.Texts(), c.train.ColIDs.Texts()
	cert := r.State.Cert
	m.Info = model.Info{Version: version, Solver: c.f.solver, Status: string(r.Status), Lambda: lambda, Zeta: c.f.constrain, Penalty: c.f.penaltyName(),
		Normalize: c.f.normalize, Center: c.f.center, Weights: c.f.weights, Objective: cert.Objective, Iterations: r.Iter, Seed: c.f.seed,
		Observations: s.count(), Data: c.train.Name, Checksum: c.train.Checksum}
	m.Info.LowerBound, m.Info.RelativeGap = boundOf(cert)
	if kind, alpha, _ := c.f.weighting(); kind != "none" {
		m.Info.RowWeight, m.Info.RowPower, m.Info.RowFloor = weightRule(kind, alpha, s.count(), s.data.M)
	}
	if c.f.penalty == "square" || c.f.constrain > 0 {
		slope := view.Lambda(s.problem, r.State)
		m.Info.Slope = &slope
	}
}

// identity names all that must be the same for a checkpoint to be continued.
func (c *completion) identity(lambda float64) string {
	f := c.f
	text := fmt.Sprintf("completion data=%s n=%d split=%v,%v,%d,seed=%d λ=%.17g ζ=%.17g %s %s center=%s weights=%s duplicates=%s", c.train.Checksum,
		c.setup.count(), f.split, f.splitPerUser, f.splitLast, f.seed, lambda, f.constrain, f.penalty, f.normalize, f.center, f.weights, f.duplicates)
	if f.columns != "" { // the checksum is that of the file, whichever of its columns are read
		text += " columns=" + f.columns
	}
	if f.float32 { // the ratings are rounded
		text += " --float32"
	}
	return text
}

// start takes the factors of a model whose ids are among those of the data.
func (c *completion) start(_ *trial, m *model.Model) (place, error) {
	s := c.setup
	u, v := gcg.NewFactor(s.data.M, m.Rank), gcg.NewFactor(s.data.N, m.Rank)
	put := func(f *gcg.Factor, x []float64, ids []string, find func([]byte) int32, from, to []float64) {
		for i, id := range ids {
			at := find([]byte(id))
			if at < 0 {
				continue
			}
			scale := 1.0
			if from != nil {
				scale = from[i]
			}
			if to != nil {
				scale /= to[at]
			}
			for k, sigma := range m.S {
				f.Row(int(at))[k] = scale * math.Sqrt(sigma) * x[i*m.Rank+k]
			}
		}
	}
	put(u, m.U, m.RowIDs, c.train.RowIDs.Find, m.RowScale, s.rowScale)
	put(v, m.V, m.ColIDs, c.train.ColIDs.Find, m.ColScale, s.colScale)
	if m.Rank == 0 {
		return place{}, nil
	}
	return place{w: &gcg.Iterate{M: s.data.M, N: s.data.N, U: u, V: v}}, nil
}

// describe says what was solved.
func (c *completion) describe(res *result) {
	res.Read, res.Center, res.Weights = c.read.Seconds(), c.f.center, c.f.weights
	res.data, res.normed = fmt.Sprintf("%d ratings, %d × %d", res.N, res.Rows, res.Cols), "trace norm"
	for _, w := range c.doubts() {
		res.warn(w)
	}
}

// answer makes the model and measures it.
func (c *completion) answer(_ *trial, r *solver.Result, res *result) *model.Model {
	s := c.setup
	m := c.model(s, r.State.W)
	c.complete(m, s, res.lambda(), r)
	c.describe(res)
	if c.test == nil {
		rmse := s.trainingError(m)
		res.TrainRMSE = &rmse
		res.note("training", "RMSE %s", decimals(rmse))
		c.compare(res, s, rmse)
	} else {
		t := evaluate(m, c.test, s.lo, s.hi)
		if c.f.ranking > 0 {
			t.rank(m, s.data, c.test, c.f.ranking)
		}
		res.Test = t
		t.note(res)
		c.compare(res, s, t.RMSE)
	}
	return m
}

// compare sets the error of a model beside those that need none, and warns where it says nothing.
func (c *completion) compare(res *result, s *setup, rmse float64) {
	res.Baselines = c.base
	res.warn(c.base.warnWorse(rmse, c.f))
	if s.lo == s.hi {
		res.warn(fmt.Sprintf("all ratings are %.7g, which tells no items apart: add ratings of items that were not chosen, such as 0", s.lo))
	}
	res.note("baselines", "RMSE on %s ratings: global mean %s, row and column biases %s", c.base.On, decimals(c.base.GlobalMean), decimals(c.base.Biases))
}

// trainingError is the RMSE on the training ratings, of which the centre was taken off.
func (s *setup) trainingError(m *model.Model) float64 {
	var e metric.Errors
	s.data.Entries(func(i, j int, y float64) { e.Add(m.Predict(i, j), y+s.centre.At(i, j)) })
	return e.RMSE()
}
