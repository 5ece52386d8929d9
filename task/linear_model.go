package task

import (
	"slices"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// Model makes the model of a result: W with its intercept, names, and Info of the data, the problem and the certificate.
// Version, Solver and what the data was read from are the caller's to add.
func (f *LinearFitting) Model(r *solver.Result) *model.Model {
	l := f.task
	m, err := model.Of(l.Kind.String(), r.State.W)
	if err != nil {
		panic(err) // no gauge here mixes kinds of atoms
	}
	if selection.Sparse(l.Gauge) && m.Entries == nil {
		m.Entries = &model.Entries{}
	}
	c := l.schema
	m.RowIDs, m.ColIDs = c.Features, c.Outputs
	m.ColOffset, m.RowScale = slices.Clone(r.State.Intercept), slices.Clone(l.scale)
	m.Info = model.Info{Status: string(r.Status), Normalize: "sum", Observations: l.train.Rows(), Data: l.train.Name,
		Checksum: l.train.Checksum(), Seed: l.Seed, Iterations: r.Iter, Loss: l.Loss.String(), Gauge: l.Gauge.Name(),
		Intercept: l.Intercept, Standardized: l.Standardize,
		ZeroBased: c.ZeroBased, LIBSVM: c.LIBSVM, Occurring: c.Occurring}
	if l.Loss.Signs() && l.Kind != Classification {
		keepTwo(&m.Info, c.Two)
	}
	if l.mean() {
		m.Info.Normalize = "mean"
	}
	NotePenalty(&m.Info, f.Problem.Penalty)
	m.Info.Certify(r.State.Cert)
	return m
}
