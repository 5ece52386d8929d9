package views

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// An Encoder finds codes of new samples by the dictionary D of a model, and predicts views and labels from codes:
//
//	code(x) = argmin over h of  Σ w ℓ(D_i h, x_i) + (λ/2)‖h‖²     over the entries x_i that are given and not missing
//
// At the optimum of training the codes of its samples are those that it found.
type Encoder struct {
	model  *model.Model
	first  []int       // the first row of each view
	losses []task.Loss // of each view
	d      []float64   // the dictionary, rows × rank
	lambda float64
}

// NewEncoder is of a model of multiview.
func NewEncoder(m *model.Model) (*Encoder, error) {
	if m.Problem != "multiview" || len(m.Info.Views) == 0 || m.Info.FoldLambda == nil {
		return nil, errors.New("task: codes need a model of multiview")
	}
	e := &Encoder{model: m, lambda: *m.Info.FoldLambda, d: make([]float64, len(m.U))}
	at := 0
	for _, v := range m.Info.Views {
		l, err := ParseLoss(v.Loss)
		if err != nil {
			return nil, fmt.Errorf("task: view %s of the model: %w", v.Name, err)
		}
		e.first, e.losses = append(e.first, at), append(e.losses, l)
		at += v.Features
	}
	for i, u := range m.U {
		e.d[i] = u * math.Sqrt(m.S[i%m.Rank])
	}
	return e, nil
}

// Views are those of the model, the labels behind them.
func (e *Encoder) Views() []model.View { return e.model.Info.Views }

// Labels is the place of the labels among the views, -1 for none.
func (e *Encoder) Labels() int {
	if last := len(e.first) - 1; e.Views()[last].Labels {
		return last
	}
	return -1
}

// Training are the codes of the samples of training, samples × rank.
func (e *Encoder) Training() *dataset.Matrix {
	m := e.model
	codes := &dataset.Matrix{Rows: m.Cols, Cols: m.Rank, Dense: make([]float64, len(m.V))}
	for i, v := range m.V {
		codes.Dense[i] = v * math.Sqrt(m.S[i%m.Rank])
	}
	return codes
}

// A Given is a view of new samples.
type Given struct {
	View int // its place in the model
	Name string
	X    *dataset.Matrix // samples × features; NaN is missing
}

// Codes are the codes of new samples of which some views are given, samples × rank. Errors are of views that are not those of the
// model, or of different numbers of samples.
func (e *Encoder) Codes(given []Given) (*dataset.Matrix, error) {
	if len(given) == 0 {
		return nil, errors.New("task: codes need a view of the samples")
	}
	for _, g := range given {
		if err := e.fits(g, given[0]); err != nil {
			return nil, err
		}
	}
	samples, k := given[0].X.Rows, e.model.Rank
	codes := &dataset.Matrix{Rows: samples, Cols: k, Dense: make([]float64, samples*k)}
	if k == 0 {
		return codes, nil
	}
	c := e.coder(given)
	for i := range samples {
		c.sample(i)
		if err := c.solve(codes.Dense[i*k : (i+1)*k]); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", given[0].Name, i+1, err)
		}
	}
	return codes, nil
}

// fits refuses a view that is not the model's, or of other samples than the first one.
func (e *Encoder) fits(g, first Given) error {
	if g.View < 0 || g.View >= len(e.first) || e.Views()[g.View].Labels {
		return fmt.Errorf("%s: the model has no view %d", g.Name, g.View+1)
	}
	if err := g.X.CheckShape(g.Name); err != nil {
		return err
	}
	v := e.Views()[g.View]
	switch {
	case g.X.Dense == nil:
		return fmt.Errorf("%s: is no dense matrix of samples and features", g.Name)
	case g.X.Cols != v.Features:
		return fmt.Errorf("%s: has %s; %s, view %d of the model, has %d", g.Name, text.Counted(g.X.Cols, "feature"), v.Name,
			g.View+1, v.Features)
	case g.X.Rows != first.X.Rows:
		return fmt.Errorf("%s: has %s, and %s has %d; views are of the same samples", g.Name, text.Counted(g.X.Rows, "sample"),
			first.Name,
			first.X.Rows)
	case e.losses[g.View].Kind == task.Logistic:
		for i, x := range g.X.Dense {
			if !math.IsNaN(x) && x != 0 && x != 1 && x != -1 {
				return fmt.Errorf("%s: is %g, and the view is of 0 and 1", g.X.Place(g.Name, i/g.X.Cols, i%g.X.Cols), x)
			}
		}
	}
	if names := e.names(g.View); names != nil && g.X.Names != nil {
		for j, want := range names {
			if got := g.X.Names[j]; got != want {
				return fmt.Errorf("%s: column %d is %q; in training it is %q: give the same columns in the same order", g.Name, j+1, got,
					want)
			}
		}
	}
	return nil
}

// names are the features of a view, nil where they have none.
func (e *Encoder) names(view int) []string {
	if len(e.model.RowIDs) == 0 {
		return nil
	}
	names := e.model.RowIDs[e.first[view] : e.first[view]+e.Views()[view].Features]
	if names[0] == "" {
		return nil
	}
	return names
}

// Predict is a view, or the labels, of samples with codes, samples × features: in units of the data; of the logistic loss the
// probability of 1.
func (e *Encoder) Predict(view int, codes *dataset.Matrix) *dataset.Matrix {
	m, k, n := e.model, e.model.Rank, e.Views()[view].Features
	x := &dataset.Matrix{Rows: codes.Rows, Cols: n, Dense: make([]float64, codes.Rows*n), Names: e.names(view)}
	for i := range codes.Rows {
		h := codes.Dense[i*k : (i+1)*k]
		for j := range n {
			row := e.first[view] + j
			var z float64
			for c, a := range e.d[row*k : (row+1)*k] {
				z += a * h[c]
			}
			z *= scaleAt(m.RowScale, row)
			if m.RowOffset != nil {
				z += m.RowOffset[row]
			}
			if e.losses[view].Kind == task.Logistic {
				z = 1 / (1 + math.Exp(-z))
			}
			x.Dense[i*n+j] = z
		}
	}
	return x
}

// Classes are the classes of samples with codes, of a model whose labels are classes: those of the largest predictions.
func (e *Encoder) Classes(codes *dataset.Matrix) []string {
	at := e.Labels()
	p, outputs := e.Predict(at, codes), e.Views()[at].Outputs
	half := 0.0
	if e.losses[at].Kind == task.Logistic {
		half = 0.5
	}
	texts := make([]string, codes.Rows)
	for i := range texts {
		row := p.Dense[i*p.Cols : (i+1)*p.Cols]
		if p.Cols > 1 {
			texts[i] = outputs[metric.Largest(row)]
		} else {
			texts[i] = outputs[metric.SignClass(row[0]-half)]
		}
	}
	return texts
}
