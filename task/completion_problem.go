package task

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
)

// A CompletionFitting is the problem on some of the ratings, its penalty open, with what predictions need to undo its changes
// of variable:
//
//	prediction(i, j) = Centre(i, j) + RowScale_i W_ij ColScale_j
type CompletionFitting struct {
	selection.Fitting
	Centre             *dataset.Offsets
	RowScale, ColScale []float64 // nil without weights
	Lo, Hi, Mean       float64   // of the ratings; with a centre its global part
	Ratings            int       // how many

	task     *Completion
	settings settings
	data     dataset.Observed // the ratings; less the centre where they were taken over; nil where only the problem has them
	y        []float64        // the ratings less the centre, in the order of data; likewise
	// residuals lists the ratings less the centre, y, with the residual r = y - X_ij of the last solution where predictions are
	// not kept.
	residuals func(f func(i, j int, y, r float64))
	floor     float64 // the smallest relative gap that can be certified
}

// fittingOf builds the problem. Nobody else needs the ratings where they may be taken over: the centre is taken off in place.
func (c *Completion) fittingOf(data dataset.Observed, over bool) (*CompletionFitting, error) {
	m, n, nobs := data.Dims()
	s := &CompletionFitting{Centre: dataset.Centre(data, c.settings().center), Ratings: nobs, task: c, settings: c.settings(),
		data: data}
	s.Share = 1
	s.Lo, s.Hi = data.Range()
	if s.Mean = s.Centre.Global; s.settings.center <= dataset.NoCentre {
		s.Mean = dataset.Centre(data, dataset.GlobalMean).Global
	}
	if w := s.settings.weights; w.Rule != NoWeights {
		rows, cols := dataset.Counts(data)
		s.RowScale, s.ColScale = w.scales(rows, nobs), w.scales(cols, nobs)
	}
	var err error
	if d, narrow := data.(*dataset.Compact); narrow {
		s.Problem, err = s.narrow(d)
	} else {
		s.Problem, err = s.wide(m, n, data.(*dataset.Sparse), over)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// wide is the problem in float64, with predictions.
func (s *CompletionFitting) wide(m, n int, data *dataset.Sparse, over bool) (*gcg.Problem, error) {
	op, err := operator.NewSampling(m, n, data.Ptr, data.Cols)
	if err != nil {
		return nil, err
	}
	if s.RowScale != nil {
		if op, err = op.Scaled(s.RowScale, s.ColScale); err != nil {
			return nil, err
		}
	}
	s.y = data.Values
	if over {
		data.SubtractInPlace(s.Centre)
	} else {
		s.y = data.Subtract(s.Centre)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: s.y, Mean: s.settings.normalize == Mean}, Gauge: gauge.Trace{}}, nil
}

// narrow is the problem in float32, without predictions; the ratings belong to it from then on, and are put in another order.
func (s *CompletionFitting) narrow(data *dataset.Compact) (*gcg.Problem, error) {
	data.SubtractInPlace(s.Centre)
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
