package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/side"
)

// model makes a model of an iterate: enough for predictions.
func (s *completionFitting) model(w *gcg.Iterate) *model.Model {
	of := func(w *gcg.Iterate) (*model.Model, error) { return model.Of("completion", w) }
	if s.Sides != nil {
		of = s.Sides.Model
	}
	m, err := of(w)
	if err != nil {
		panic(err) // the atoms of a trace norm are of one kind
	}
	m.RowScale, m.ColScale = s.RowScale, s.ColScale
	m.Global, m.RowOffset, m.ColOffset = s.Centre.Global, s.Centre.Row, s.Centre.Col
	m.Info.RowShrink = s.Centre.RowShrink
	if l := s.settings.loss; l.Kind != Squared {
		m.Info.Loss = l.String()
	}
	if s.of.task.Own != nil {
		m.Info.Loss = "own"
	} else if !s.settings.loss.Signs() {
		m.Info.Mean = &s.Mean
		s.of.task.Clip.on(m, s.Lo, s.Hi)
	}
	return m
}

// Model makes the model of a result of Whole, which is f: with ids, and with Info of the data, the problem and the
// certificate. Version and Solver are the caller's to add.
func (p *PreparedCompletion) Model(f *selection.Fitting, r *solver.Result) *model.Model {
	s := p.made()
	w, m := s.settings.weights, s.model(r.State.W)
	for _, own := range []*[]float64{&m.RowScale, &m.ColScale, &m.RowOffset, &m.ColOffset} {
		*own = slices.Clone(*own)
	}
	loss, mean, shrink := m.Info.Loss, m.Info.Mean, m.Info.RowShrink
	m.RowIDs, m.ColIDs = p.task.Train.RowIDs.Texts(), p.task.Train.ColIDs.Texts()
	m.Info = InfoOf(f, r, s.settings.normalize == Mean)
	m.Info.Center, m.Info.Mean, m.Info.RowShrink = s.settings.center.String(), mean, shrink
	m.Info.Seed, m.Info.Observations = p.task.Seed, s.Ratings
	m.Info.Data, m.Info.Checksum = p.task.Train.Name, p.task.Train.Checksum
	if m.Info.Loss = loss; p.two != nil {
		keepTwo(&m.Info, p.two)
	}
	w.Note(&m.Info, s.Ratings, m.Rows)
	m.Info.FeatureWeight = s.settings.features
	if s.settings.rated.Listed() {
		m.Info.Rated = s.settings.rated.String()
		if p.seen != nil {
			m.Info.AlsoSeen = p.seen.told.Joined
		}
	}
	SetFolding(&m.Info, f.Problem, r.State)
	return m
}

// InfoOf is what a model keeps of a result of the problem f: how the run ended, h with its λ or ζ, and the certificate. The loss
// is a mean over the observations, or a sum. What the data were is for the caller to add.
func InfoOf(f *selection.Fitting, r *solver.Result, mean bool) model.Info {
	info := model.Info{Status: string(r.Status), Normalize: "sum", Iterations: r.Iter}
	if mean {
		info.Normalize = "mean"
	}
	switch h := f.Problem.Penalty.(type) {
	case gauge.Linear:
		info.Penalty, info.Lambda = "linear", h.Lambda
	case gauge.Square:
		info.Penalty, info.Lambda = "square", h.Lambda
	default:
		info.Zeta = h.Max()
	}
	info.Certify(r.State.Cert)
	return info
}

// SetFolding gives a model the λ to fold new rows in with, where h is not linear, so that it is not the λ of the problem.
func SetFolding(info *model.Info, p *gcg.Problem, at *gcg.State) {
	if _, linear := p.Penalty.(gauge.Linear); !linear {
		slope := view.Lambda(p, at)
		info.FoldLambda = &slope
	}
}

// Start is where a model is on the whole problem: its factors for users and items that the data has, in the variable of the
// new weights, and 0 for those that the model does not know. W is nil where nothing of it is left. What came in later is Later.
// Errors are those of Whole.
func (p *PreparedCompletion) Start(m *model.Model) (selection.Start, error) {
	s, err := p.fitting()
	if err != nil {
		return selection.Start{}, err
	}
	return selection.Start{W: s.iterate(m), Later: p.later}, nil
}

// made is the problem of Whole, which was asked for before.
func (p *PreparedCompletion) made() *completionFitting {
	s, err := p.fitting()
	if err != nil {
		panic(err)
	}
	return s
}

// iterate is the W of a start.
func (s *completionFitting) iterate(m *model.Model) *gcg.Iterate {
	train := s.of.task.Train
	if s.Sides == nil || m.Rank == 0 {
		return StartFrom(m, s.Problem, train, s.RowScale, s.ColScale)
	}
	var known side.Known
	users, items := gcg.NewFactor(train.RowIDs.Len(), 0), gcg.NewFactor(train.ColIDs.Len(), 0)
	if m.RowRated != nil {
		known.Items = carried(items, m.RowRated.Factor, m.S, m.ColIDs, train.ColIDs, nil, nil)
	}
	if m.ColRated != nil {
		known.Users = carried(users, m.ColRated.Factor, m.S, m.RowIDs, train.RowIDs, nil, nil)
	}
	return s.Sides.Start(m, carried(users, m.U, m.S, m.RowIDs, train.RowIDs, m.RowScale, s.RowScale),
		carried(items, m.V, m.S, m.ColIDs, train.ColIDs, m.ColScale, s.ColScale), known)
}

// StartFrom is where a model is on a problem of ratings, with the scales of its weights.
func StartFrom(m *model.Model, p *gcg.Problem, train *dataset.Ratings, rowScale, colScale []float64) *gcg.Iterate {
	if m.Rank == 0 {
		return nil
	}
	rows, cols, _ := p.Operator.Dims()
	u, v := gcg.FactorsFor(p.Operator)
	return &gcg.Iterate{M: rows, N: cols, U: carried(u, m.U, m.S, m.RowIDs, train.RowIDs, m.RowScale, rowScale),
		V: carried(v, m.V, m.S, m.ColIDs, train.ColIDs, m.ColScale, colScale)}
}

// carried is one factor of a model, times √S, from one scale to another. Its rows are those of like, of the data, where they have
// ids of the model.
func carried(like *gcg.Factor, x, sigma []float64, ids []string, known *dataset.IDs, from, to []float64) *gcg.Factor {
	f, k := gcg.Like[float64](like, len(sigma)), len(sigma)
	for i, id := range ids {
		if (i+1)*k > len(x) { // lists do not know what came into the model after it was fitted
			break
		}
		at := int(known.Find([]byte(id)))
		if at < f.First() || at >= f.First()+f.Rows { // unknown, or of another rank
			continue
		}
		scale := 1.0
		if from != nil {
			scale = from[i]
		}
		if to != nil {
			scale /= to[at]
		}
		for c, s := range sigma {
			f.Row(at - f.First())[c] = scale * math.Sqrt(s) * x[i*k+c]
		}
	}
	return f
}

// Clip says where predictions are cut off. Its zero value takes the range of the training ratings.
type Clip struct {
	Rule   ClipRule
	Lo, Hi float64 // of ClipTo
}

// A ClipRule is where the bounds of predictions come from.
type ClipRule int

const (
	ClipToRatings ClipRule = iota // the smallest and the largest training rating
	NoClip                        // no bounds
	ClipTo                        // Lo and Hi
)

// Check is an error where r is no rule.
func (r ClipRule) Check() error {
	return enum.Check("task: Clip.Rule", r, "ClipToRatings", "NoClip", "ClipTo")
}

// check is an error where there is no such rule, or its bounds are none, or nothing reads them.
func (c Clip) check() error {
	switch {
	case c.Rule == ClipTo && !(c.Lo <= c.Hi):
		return fmt.Errorf("task: Clip is from %v to %v: Lo is not above Hi", c.Lo, c.Hi)
	case c.Rule != ClipTo && (c.Lo != 0 || c.Hi != 0):
		return fmt.Errorf("task: Clip has Lo %v and Hi %v, which only its Rule ClipTo reads", c.Lo, c.Hi)
	}
	return c.Rule.Check()
}

// on makes a model clip, with training ratings from lo to hi.
func (c Clip) on(m *model.Model, lo, hi float64) {
	switch c.Rule {
	case ClipToRatings:
		m.Clip, m.Lo, m.Hi = true, lo, hi
	case ClipTo:
		m.Clip, m.Lo, m.Hi = true, c.Lo, c.Hi
	}
}
