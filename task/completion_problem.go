package task

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task/side"
)

// A completionFitting is the problem on some of the ratings, its penalty open, with what predictions need to undo its changes
// of variable:
//
//	prediction(i, j) = Centre(i, j) + RowScale_i W_ij ColScale_j
//
// or, with features, as package task/side says.
type completionFitting struct {
	selection.Fitting
	Centre             *dataset.Offsets
	RowScale, ColScale []float64 // nil without weights
	Lo, Hi, Mean       float64   // of the ratings; with a centre its global part
	Ratings            int       // how many

	Sides *side.Sides // of the features; nil without any

	of       *PreparedCompletion
	settings settings
	data     dataset.Observed // the ratings; less the centre where they were taken over; nil where only the problem has them
	biases   []float64        // of the columns, where lists are to be measured
	y        []float64        // the ratings less the centre, in the order of data; likewise
	// residuals lists the ratings less the centre, y, with the residual r = y - X_ij of the last solution where predictions are
	// not kept.
	residuals func(f func(i, j int, y, r float64))
	spread    *cluster.Rows // of ratings that ranks share
	floor     float64       // the smallest relative gap that can be certified
}

// fittingOf builds the problem. Nobody else needs the ratings where they may be taken over: the centre is taken off in place.
func (p *PreparedCompletion) fittingOf(data dataset.Observed, over bool) (*completionFitting, error) {
	m, n, _ := data.Dims()
	nobs := countOf(data)
	var biases []float64
	if len(p.task.Ranking) > 0 {
		biases = dataset.Biases(data).Col // before the centre is taken off
	}
	centre, err := p.centre(data)
	if err != nil {
		return nil, err
	}
	s := &completionFitting{Centre: centre, Ratings: nobs, of: p, settings: p.settings(), data: data, biases: biases}
	s.Share = 1
	s.Lo, s.Hi = data.Range()
	if s.Mean = s.Centre.Global; s.settings.center <= dataset.NoCentre {
		s.Mean = dataset.Centre(data, dataset.GlobalMean).Global
	}
	if w := s.settings.weights; w.Rule != NoWeights {
		rows, cols := dataset.Counts(data)
		s.RowScale, s.ColScale = w.scales(rows, nobs), w.scales(cols, nobs)
	}
	if s.settings.features > 0 {
		rows, cols := dataset.Counts(data)
		rated := s.settings.rated.sides()
		if rated.Lists, err = p.listsOf(data); err != nil {
			return nil, err
		}
		s.Sides = p.features.On(s.settings.features, rated, rows, cols, s.RowScale, s.ColScale)
	}
	switch d := data.(type) {
	case *dataset.Compact:
		s.Problem, err = s.narrow(d)
	case *dataset.Sparse:
		if d.Spread != nil && s.settings.loss.Kind == Squared && d.Omega == nil {
			s.Problem, err = s.shared(d, over)
		} else {
			s.Problem, err = s.wide(m, n, d, over)
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// wide is the problem in float64, with predictions.
func (s *completionFitting) wide(m, n int, data *dataset.Sparse, over bool) (*gcg.Problem, error) {
	op, err := s.operator(m, n, data)
	if err != nil {
		return nil, err
	}
	p := &gcg.Problem{Operator: op, Gauge: gauge.Trace{}}
	switch {
	case s.of.task.Own != nil:
		s.y = data.Values
		if p.Loss = s.of.task.Own(data.Values, data.Omega); p.Loss == nil {
			return nil, errors.New("task: Own makes no loss: it is nil")
		}
		if p.Loss.Len() != len(data.Values) {
			return nil, fmt.Errorf("task: Own makes a loss of %d observations for %d ratings", p.Loss.Len(), len(data.Values))
		}
	case s.settings.loss.Signs():
		s.y = data.Values
		p.Loss = s.ofLabels(data)
	default:
		s.y = data.Values
		if over {
			data.SubtractInPlace(s.Centre)
		} else {
			s.y = data.Subtract(s.Centre)
		}
		omega, mean := data.Omega, s.settings.normalize == Mean
		if mean && data.Spread != nil { // the number of ratings is that of all ranks
			omega, mean = meanWeights(omega, len(s.y), s.Ratings), false
		}
		p.Loss = s.settings.loss.Of(s.y, omega, mean, 0)
	}
	if check := view.OfLoss(p.Loss).Checker; check != nil && (data.Spread == nil || len(s.y) > 0) {
		if err := check.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.of.task.Train.Name, err)
		}
	}
	return p, nil
}

// meanWeights are those of n ratings in a mean over all.
func meanWeights(omega []float64, n, all int) []float64 {
	list := make([]float64, n)
	for e := range list {
		if list[e] = 1 / float64(all); omega != nil {
			list[e] *= omega[e]
		}
	}
	return list
}

// operator observes the entries, with scales or features where there are some.
func (s *completionFitting) operator(m, n int, data *dataset.Sparse) (gcg.Operator, error) {
	if data.Spread != nil {
		s.spread = data.Spread
		return operator.NewSpreadSampling(data.Spread, n, data.Ptr, data.Cols, s.RowScale, s.ColScale)
	}
	op, err := operator.NewSampling(m, n, data.Ptr, data.Cols)
	switch {
	case err != nil:
		return nil, err
	case s.Sides != nil:
		return s.Sides.Operator(op)
	case s.RowScale != nil:
		return op.Scaled(s.RowScale, s.ColScale)
	}
	return op, nil
}

// ofLabels is the loss of signs, at predictions less what the centre and the offsets add to them.
func (s *completionFitting) ofLabels(data *dataset.Sparse) gcg.Loss {
	l := s.settings.loss.Of(data.Values, data.Omega, s.settings.normalize == Mean, 0)
	if s.Centre.Global == 0 && data.Offset == nil {
		return l
	}
	by := make([]float64, len(data.Values))
	for e := range by {
		by[e] = s.Centre.Global
		if data.Offset != nil {
			by[e] += data.Offset[e]
		}
	}
	return &loss.Shifted{Loss: l.(loss.Separate), By: by}
}

// centre is what is taken off the ratings: of squares and of rows and columns the least-squares centre, and else the number that
// minimises the loss, which for the logistic one are the log odds.
func (p *PreparedCompletion) centre(data dataset.Observed) (*dataset.Offsets, error) {
	l, kind := p.task.loss(), p.settings().center
	switch {
	case l.Kind == Squared || kind == dataset.NoCentre || !l.Signs() && kind != dataset.GlobalMean:
		return dataset.Centre(data, kind), nil
	case kind != dataset.GlobalMean:
		return nil, &labelCentreError{kind, l}
	}
	s := data.(*dataset.Sparse)
	return &dataset.Offsets{Global: bestConstant(l.Of(s.Values, s.Omega, s.Spread == nil, 0), s)}, nil
}

// A labelCentreError is of means that labels do not have.
type labelCentreError struct {
	Center dataset.Centring
	Loss   Loss
}

func (e *labelCentreError) Error() string {
	return fmt.Sprintf("task: a centre %q is of means, which the labels of the %s loss do not have; take none or global", e.Center,
		e.Loss)
}

// total is the sum of some numbers.
func total(x []float64) (sum float64) {
	for _, y := range x {
		sum += y
	}
	return sum
}

// bestConstant is the number that minimises a loss of ratings, offsets included: where the derivative changes its sign, between
// the least and the most that a rating asks for.
func bestConstant(l gcg.Loss, data *dataset.Sparse) float64 {
	z, r := make([]float64, len(data.Values)), make([]float64, len(data.Values))
	slope := func(b float64) (sum float64) {
		for e := range z {
			z[e] = b
			if data.Offset != nil {
				z[e] += data.Offset[e]
			}
		}
		l.Eval(0, z, r)
		if data.Spread != nil {
			return -cluster.Numbers(data.Spread, 1, func(shard int) []float64 {
				lo, hi := data.Spread.Shard(shard)
				return []float64{total(r[data.Ptr[lo]:data.Ptr[hi]])}
			})[0]
		}
		return -total(r)
	}
	reach := 0.0 // in the unit of the ratings; of labels 1 and more
	for e, y := range data.Values {
		size := math.Abs(y)
		if data.Offset != nil {
			size += math.Abs(data.Offset[e])
		}
		reach = math.Max(reach, size)
	}
	_, reach = data.Spread.Comm().Extremes(reach, reach)
	for reach > 0 && reach < mostCentre && !(slope(-reach) <= 0 && slope(reach) >= 0) {
		reach *= 2
	}
	lo, hi := roots.Bisect(-reach, reach, centreDigits*reach, func(c float64) bool { return slope(c) < 0 })
	return (lo + hi) / 2
}

const (
	// mostCentre is what no rating reaches.
	mostCentre = 1e100
	// centreDigits is how close the centre comes to the best one, in parts of the ratings: any is a centre.
	centreDigits = rounding.Null
)

// narrow is the problem in float32, without predictions; the ratings belong to it from then on, and are put in another order.
func (s *completionFitting) narrow(data *dataset.Compact) (*gcg.Problem, error) {
	data.SubtractInPlace(s.Centre)
	if data.Spread != nil {
		return overRanks(s, data.Spread, data.N, data.Ptr, data.Cols, data.Values)
	}
	q, err := operator.NewSquares(data.M, data.N, data.Ptr, data.Cols, data.Values, s.settings.normalize == Mean)
	if err != nil {
		return nil, err
	}
	if s.RowScale != nil {
		if q, err = q.Scaled(s.RowScale, s.ColScale); err != nil {
			return nil, err
		}
	}
	s.data, s.residuals, s.floor = nil, q.Residuals, q.Floor()
	return &gcg.Problem{Operator: q, Loss: q, Gauge: gauge.Trace{}}, nil
}

// shared is the problem in float64 of ratings that ranks share, without predictions.
func (s *completionFitting) shared(data *dataset.Sparse, over bool) (*gcg.Problem, error) {
	if over && len(s.of.task.Ranking) == 0 { // lists leave out what users had
		data.SubtractInPlace(s.Centre)
		return overRanks(s, data.Spread, data.N, data.Ptr, data.Cols, data.Values)
	}
	y := slices.Clone(data.Subtract(s.Centre)) // the operator puts them in another order
	p, err := overRanks(s, data.Spread, data.N, data.Ptr, slices.Clone(data.Cols), y)
	s.data = data
	return p, err
}

// overRanks is the problem of ratings that ranks share, less the centre, which belong to it from then on.
func overRanks[T operator.Storage](s *completionFitting, rows *cluster.Rows, n int, ptr []int64, cols []int32,
	y []T) (*gcg.Problem, error) {
	q, err := operator.NewSpreadSquares(rows, n, ptr, cols, y, s.settings.normalize == Mean)
	if err == nil && s.RowScale != nil {
		q, err = q.Scaled(s.RowScale, s.ColScale)
	}
	if err != nil {
		return nil, err
	}
	s.data, s.residuals, s.floor, s.spread = nil, q.Residuals, q.Floor(), rows
	return &gcg.Problem{Operator: q, Loss: q, Gauge: gauge.Trace{}}, nil
}

// signed is ratings whose values are signs of their labels, which are two, or those that are given.
func signed(r *dataset.Ratings, two []string) (*dataset.Ratings, []string, error) {
	at := func(e int) string { return r.Place(e) }
	labels := r.LabelTexts()
	s := *r
	s.Labels = nil
	if two == nil && r.Spread != nil {
		some := slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return label == "" })
		all, _ := dataset.NewIDs(some).OverRanks(r.Spread.Comm())
		var err error
		if _, two, err = signsOf(all.Texts(), func(int) string { return r.Name }, r.Name); err != nil {
			return nil, nil, err
		}
	}
	if two == nil {
		y, two, err := signsOf(labels, at, r.Name)
		s.Values = y
		return &s, two, err
	}
	if e := slices.Index(labels, ""); e >= 0 {
		return nil, nil, fmt.Errorf("%s: has no label; give it one of %s, or leave it out", at(e), strings.Join(two, " and "))
	}
	var err error
	s.Values, err = class.Signs(two, labels, at)
	return &s, two, err
}
