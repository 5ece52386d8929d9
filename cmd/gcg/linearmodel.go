package main

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// model is the fitted W with its intercept, names and provenance.
func (l *linear) model(t *selection.Fitting, r *solver.Result, lambda float64) *model.Model {
	f, cert := l.f, r.State.Cert
	m := modelOf(f.problem, r.State.W)
	if selection.Sparse(t.Problem.Gauge) && m.Entries == nil {
		m.Entries = &model.Entries{}
	}
	m.RowIDs, m.ColIDs = l.schema.features, l.schema.outputs
	m.ColOffset = slices.Clone(r.State.Intercept)
	m.Info = model.Info{Version: version, Solver: f.solver, Status: string(r.Status), Lambda: lambda, Zeta: f.constrain, Penalty: f.penaltyName(),
		Normalize: f.normalize, Objective: cert.Objective, Observations: l.train.rows(), Data: l.train.name + andMore(max(0, len(f.train.files)-1)), Checksum: l.train.checksum(), Seed: f.seed,
		Iterations: r.Iter, Loss: f.loss, Gauge: f.gauge, Intercept: f.intercept, ZeroBased: l.schema.zeroBased, ZeroOne: l.schema.zeroOne,
		LIBSVM: l.schema.libsvm, Task: f.task, Target: f.target}
	m.Info.LowerBound, m.Info.RelativeGap = boundOf(cert)
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
