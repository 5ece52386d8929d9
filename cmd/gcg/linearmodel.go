package main

import (
	"cmp"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
)

// model is the fitted W with its intercept, names and provenance.
func (l *linear) model(t *trial, r *solver.Result, lambda float64) *model.Model {
	f, w, cert := l.f, r.State.W, r.State.Cert
	m := &model.Model{Problem: f.problem, Rows: w.M, Cols: w.N, RowIDs: l.schema.features, ColIDs: l.schema.outputs}
	if sparse(t.problem.Gauge) {
		m.Entries = sortedEntries(w)
	} else if w.Rank() > 0 {
		p, sigma, q := gcg.SVD(w.U, w.V, negligible)
		m.Rank, m.S, m.U, m.V = len(sigma), sigma, packed(p), packed(q)
	}
	m.ColOffset = slices.Clone(r.State.Intercept)
	m.Info = model.Info{Version: version, Solver: f.solver, Status: string(r.Status), Lambda: lambda, Zeta: f.constrain, Penalty: f.penaltyName(),
		Normalize: f.normalize, Objective: cert.Objective, Observations: l.train.rows(), Data: l.train.name + andMore(max(0, len(f.train.files)-1)), Checksum: l.train.checksum(), Seed: f.seed,
		Iterations: r.Iter, Loss: f.loss, Gauge: f.gauge, Intercept: f.intercept, ZeroBased: l.schema.zeroBased, ZeroOne: l.schema.zeroOne,
		LIBSVM: l.schema.libsvm, Task: f.task, Target: f.target}
	m.Info.LowerBound, m.Info.RelativeGap = boundOf(cert)
	return m
}

// sortedEntries is a sparse W by rows.
func sortedEntries(w *gcg.Iterate) *model.Entries {
	at := entriesOf(w)
	places := make([]int64, 0, len(at))
	for place := range at {
		places = append(places, place)
	}
	slices.SortFunc(places, cmp.Compare[int64])
	e := &model.Entries{}
	for _, place := range places {
		e.Rows, e.Cols = append(e.Rows, int32(place/int64(w.N))), append(e.Cols, int32(place%int64(w.N)))
		e.Values = append(e.Values, at[place])
	}
	return e
}
