package views

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// Whole is the problem on all entries. Nothing is left to measure on.
func (p *Prepared) Whole() (*selection.Fitting, error) {
	problem, err := p.problem(p.data.weight)
	if err != nil {
		return nil, err
	}
	return &selection.Fitting{Problem: problem, Share: 1}, nil
}

// problem is the problem with weights of the entries.
func (p *Prepared) problem(weight []float64) (*gcg.Problem, error) {
	op, err := operator.NewIdentity(p.data.rows(), p.data.samples)
	if err != nil {
		return nil, err
	}
	return &gcg.Problem{Operator: op, Loss: p.data.loss(weight), Gauge: p.task.gauge()}, nil
}

// validationParts is how many parts the entries are divided into, one of which chooses λ.
const validationParts = 10

// choiceTol is the relative gap to which λ are tried. At selection.ChoiceTol, 0.05, the solution for the λ before is good enough
// where gross errors are most of the loss, and λ after λ is tried with the same W.
const choiceTol = 0.005

// Validation is the problem on nine tenths of the entries, measured on the rest.
func (p *Prepared) Validation() (*selection.Fitting, error) { return p.Fold(0, validationParts) }

// Fold is the problem on all entries but part k of n, measured on that part. A sample's classes stay together: each tells the
// others.
func (p *Prepared) Fold(k, n int) (*selection.Fitting, error) {
	fold, err := p.partition(n)
	if err != nil {
		return nil, err
	}
	t, s := p.task, p.data
	in, out := slices.Clone(s.weight), slices.Clone(s.weight)
	held := 0
	for e, at := range fold {
		if at == k {
			in[e] = 0
			held++
		} else {
			out[e] = 0
		}
	}
	if held == 0 || s.emptied(in) {
		return nil, fmt.Errorf("%s: %w entries to hold out part %d of %d", t.Views[0].Name, task.ErrTooFew, k+1, n)
	}
	share := float64(s.count-held) / float64(s.count)
	if t.mean() {
		for e := range in {
			in[e] /= share
		}
	}
	f := &selection.Fitting{Share: share, Loose: choiceTol}
	if t.mean() {
		f.Share = 1
	}
	if f.Problem, err = p.problem(in); err != nil {
		return nil, err
	}
	m := p.meter(out, held)
	f.Measure = func(st *gcg.State) selection.Measured { return m.measure(st.Z) }
	f.Trivial = m.measure(s.constants(in)).Value
	return f, nil
}

// emptied says that a view or the labels have no entry left that has a weight.
func (s *stacked) emptied(weight []float64) bool {
	for _, p := range s.parts {
		if !slices.ContainsFunc(weight[p.from*s.samples:p.to*s.samples], func(w float64) bool { return w > 0 }) {
			return true
		}
	}
	return false
}

// partition gives each entry the fold that holds it out, -1 where it is missing.
func (p *Prepared) partition(n int) ([]int, error) {
	t, s := p.task, p.data
	unit := slices.Repeat([]int{-1}, len(s.y)) // entries of one unit are in one fold
	units := 0
	for e, w := range s.weight {
		if w == 0 {
			continue
		}
		if l := t.Labels; l != nil && l.Classes && e/s.samples > s.parts[len(t.Views)].from {
			unit[e] = unit[e-s.samples] // the class before it of the same sample
			continue
		}
		unit[e] = units
		units++
	}
	if n < 2 || n > units {
		return nil, fmt.Errorf("%s: %w entries for %d folds", t.Views[0].Name, task.ErrTooFew, n)
	}
	folds, err := dataset.Folds(units, n, t.Seed)
	if err != nil {
		return nil, err
	}
	for e, u := range unit {
		if u >= 0 {
			unit[e] = folds[u]
		}
	}
	return unit, nil
}

// constants are the predictions of every entry by the constant of its row.
func (s *stacked) constants(weight []float64) []float64 {
	z := make([]float64, len(s.y))
	for _, p := range s.parts {
		for i := p.from; i < p.to; i++ {
			lo, hi := i*s.samples, (i+1)*s.samples
			c := constantOf(p.loss, s.y[lo:hi], weight[lo:hi])
			for e := lo; e < hi; e++ {
				z[e] = c
			}
		}
	}
	return z
}

// A heldLoss is the loss of entries that were held out, weighted as in training, over their number.
type heldLoss struct{ Value float64 }

// Scores is the loss.
func (h heldLoss) Scores() selection.Scores { return selection.Scores{{Name: "loss", Value: h.Value}} }

// A meter measures predictions.
type meter struct {
	loss gcg.Loss
	over float64
}

// meter measures on entries that have weights, so many.
func (p *Prepared) meter(weight []float64, count int) meter {
	over := float64(count)
	if p.task.mean() { // weights are over all entries
		over /= float64(p.data.count)
	}
	return meter{p.data.loss(weight), over}
}

func (m meter) measure(z []float64) heldLoss { return heldLoss{m.loss.Eval(0, z, nil) / m.over} }
