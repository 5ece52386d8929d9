package task

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// Model makes the model of a result of Whole, which is f: W with its intercept, names, and Info of the data, the problem and
// the certificate. Version, Solver and what the data was read from are the caller's to add.
func (l *PreparedLinear) Model(f *selection.Fitting, r *solver.Result) *model.Model {
	m, c := l.weighted(r.State), l.schema
	m.Info = InfoOf(f, r, l.task.mean())
	m.Info.Seed, m.Info.Observations = l.task.Seed, l.train.Rows()
	m.Info.Data, m.Info.Checksum = l.train.Name, l.train.Checksum()
	m.Info.Loss, m.Info.Gauge = l.task.Loss.String(), l.task.Gauge.Name()
	m.Info.Intercept, m.Info.Standardized = l.task.Intercept, l.task.Standardize
	m.Info.ZeroBased, m.Info.LIBSVM, m.Info.Occurring = c.ZeroBased, c.LIBSVM, c.Occurring
	if l.task.Loss.Signs() && l.task.Kind != Classification {
		keepTwo(&m.Info, c.Two)
	}
	m.Info.Ridge = l.task.Ridge
	if r := l.task.L1Ratio; r > 0 {
		m.Info.Lambda /= r
		m.Info.L1Ratio, m.Info.Ridge = r, (1-r)*m.Info.Lambda
	}
	return m
}

// Weights are those of a solution that are not 0, for features as they are, as [model.Model.Weights] has them.
func (l *PreparedLinear) Weights(s *gcg.State) dataset.Records { return l.weighted(s).Weights() }

// weighted is a model without Info.
func (l *PreparedLinear) weighted(s *gcg.State) *model.Model {
	m, err := model.Of(l.task.Kind.String(), s.W)
	if err != nil {
		panic(err) // no gauge here mixes kinds of atoms
	}
	if selection.Sparse(l.task.Gauge) && m.Entries == nil {
		m.Entries = &model.Entries{}
	}
	m.RowIDs, m.ColIDs = slices.Clone(l.schema.Features), slices.Clone(l.schema.Outputs)
	m.ColOffset, m.RowScale, m.Fill = slices.Clone(s.Intercept), slices.Clone(l.scale), slices.Clone(l.fill)
	return m
}
