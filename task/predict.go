package task

import (
	"math"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// A Predictor predicts what belongs to rows of features, by a model that was fitted to such rows.
type Predictor struct {
	Schema *Schema
	Loss   Loss
	Ranks  *cluster.Comm // each computes the scores of some of the rows, as [Linear].Ranks have them, or nil
	w      *model.Linear
}

// NewPredictor makes the predictor of a model. An error is for a model of another task.
func NewPredictor(m *model.Model) (*Predictor, error) {
	c, l, err := schemaOf(m)
	if err != nil {
		return nil, err
	}
	return &Predictor{Schema: c, Loss: l, w: m.Linear()}, nil
}

// Predictions are scores of rows.
type Predictions struct {
	Samples *Samples
	Z       []float64 // rows × outputs: Wᵀx + b
	of      *Predictor
	rows    *dataset.Rows
}

// Predict predicts rows, whose answers may be known or not: those that training does not have are -1. Errors are of rows that
// do not suit the model.
func (p *Predictor) Predict(r *dataset.Rows) (*Predictions, error) {
	if p.Ranks.Size() > 1 {
		if err := r.OverRanks(p.Ranks); err != nil {
			return nil, err
		}
	}
	s, err := p.Schema.Read(p.Loss, r, false)
	if err = p.Ranks.FirstError(err); err != nil {
		return nil, err
	}
	x, k := s.X, len(p.Schema.Outputs)
	if p.Schema.Gaps {
		s.Filled = p.Ranks.Count(gapsOf(x))
	}
	own := make([]float64, x.Rows*k)
	for i := range x.Rows {
		dst := own[i*k : (i+1)*k]
		if x.Dense != nil {
			p.w.ScoresTo(dst, nil, x.Dense[i*x.Cols:(i+1)*x.Cols])
		} else {
			p.w.ScoresTo(dst, x.Index[x.Ptr[i]:x.Ptr[i+1]], x.Values[x.Ptr[i]:x.Ptr[i+1]])
		}
	}
	return &Predictions{s, cluster.Joined(p.Ranks, own), p, r}, nil
}

// Row is the scores of row i, one for each output.
func (p *Predictions) Row(i int) []float64 {
	k := len(p.of.Schema.Outputs)
	return p.Z[i*k : (i+1)*k]
}

// Class is the class of row i.
func (p *Predictions) Class(i int) string { return p.of.Schema.Outputs[metric.Largest(p.Row(i))] }

// Probabilities are those of the classes of row i, for a loss that has some.
func (p *Predictions) Probabilities(i int) []float64 { return metric.Softmax(p.Row(i)) }

// Label is the one of two labels that a score stands for, and the probability of the second, for a loss that has some.
func (p *Predictor) Label(z float64) (label string, probability float64) {
	return p.Schema.Two[metric.SignClass(z)], 1 / (1 + math.Exp(-z))
}

// Value is the prediction for row i: of its task, NaN of one that the model does not know, or of the first target. Of counts and
// amounts it is their mean.
func (p *Predictions) Value(i int) float64 { return p.of.Loss.Mean(p.score(i)) }

// score is the z of Value.
func (p *Predictions) score(i int) float64 {
	t := int32(0)
	if p.Samples.Task != nil {
		t = p.Samples.Task[i]
	}
	if t < 0 {
		return math.NaN()
	}
	return p.Row(i)[t]
}

// Measure is what the predictions are worth, a *ValueScores, a *ClassScores or a *RiskScores, nil where no answer is known,
// and the number of rows whose label or task the model does not know.
func (p *Predictions) Measure() (unknown int, got selection.Measured) {
	s := p.Samples
	for _, ids := range [][]int32{s.Class, s.Task} {
		for _, id := range ids {
			if id < 0 {
				unknown++
			}
		}
	}
	m := meter{p.of.Schema, p.of.Loss}
	if s.Y == nil && unknown >= len(s.Class) {
		return unknown, nil
	}
	if s.Task == nil {
		return unknown, m.measure(s, nil, p.Z, true)
	}
	z, known := make([]float64, s.Rows()), make([]bool, s.Rows())
	for i, t := range s.Task {
		if known[i] = t >= 0; known[i] {
			z[i] = p.score(i)
		}
	}
	return unknown, m.measure(s, known, z, true)
}
