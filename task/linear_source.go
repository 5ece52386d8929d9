package task

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/selection"
)

// A linearFitting is the problem on all training samples.
type linearFitting struct {
	selection.Fitting
	held gcg.Operator // of the samples to measure on, or nil
}

// Whole is the problem on all training samples, measured on the test. Each call returns a problem of its own, whose penalty is
// open.
func (l *PreparedLinear) Whole() (_ *selection.Fitting, err error) {
	if l.whole == nil {
		if l.whole, err = l.fittingOn(l.test); err != nil {
			return nil, err
		}
	}
	own, problem := l.whole.Fitting, *l.whole.Problem
	own.Problem = &problem
	return &own, nil
}

// fittingOn is the whole problem, measured on other samples.
func (l *PreparedLinear) fittingOn(held *Samples) (*linearFitting, error) {
	op, err := l.trainOperator()
	if err != nil {
		return nil, err
	}
	posed, err := l.posed(op, l.train.weights(nil, l.task.mean()), 1)
	if err != nil {
		return nil, err
	}
	f := &linearFitting{Fitting: posed}
	if held == nil {
		return f, nil
	}
	if f.held, err = l.operator(held); err != nil {
		return nil, err
	}
	f.Measure = func(s *gcg.State) selection.Measured {
		return meter{l.schema, l.task.Loss}.measure(held, nil, l.predictions(f.held, held, s), false)
	}
	return f, nil
}

// λ is chosen by validationFolds folds of fewer than fewRows training rows, or of fewRowsOfRank where W is of low rank, which
// costs more at small λ: a tenth of them would leave it to chance.
const (
	fewRows         = 3000
	fewRowsOfRank   = 500
	validationFolds = 5
)

// Validation is the problem on nine tenths of the training rows, measured on the rest, or on all measured on Valid. Of few rows
// folds are asked for. Where W is sparse small λ cost little, and of few rows all of the path is.
func (l *PreparedLinear) Validation() (*selection.Fitting, error) {
	if l.valid != nil {
		if l.valid.Timed && !slices.Contains(l.valid.seen(), 1) {
			return nil, fmt.Errorf("%s: no event was seen; λ is chosen by the deviance of events: give rows with some, or λ", l.valid.Name)
		}
		f, err := l.fittingOn(l.valid)
		if err != nil {
			return nil, err
		}
		f.Held, f.Through = l.valid.Rows(), l.short()
		return &f.Fitting, nil
	}
	f, err := l.without(folds(l.train.Rows(), l.train.strata(), 1/validationFraction, l.task.Seed), 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w %s to choose λ by validation", l.train.Name, ErrTooFew, l.train.scarce(2))
	}
	f.Through = l.short()
	if f.Through || l.train.Rows() < fewRowsOfRank {
		if _, err := l.Fold(0, validationFolds); err == nil {
			f.Folds = validationFolds
		}
	}
	return f, nil
}

// short says that a path to its end costs little.
func (l *PreparedLinear) short() bool {
	return l.train.Rows() < fewRows && selection.Sparse(l.task.Gauge)
}

// Fold is the problem without part k of n of the rows, or of the entries of the targets, measured on that part.
func (l *PreparedLinear) Fold(k, n int) (*selection.Fitting, error) {
	if l.parts == nil || l.folds != n {
		observations, strata := l.train.Rows(), l.train.strata()
		if l.task.FoldBy == FoldEntries {
			observations = len(l.train.Y)
		}
		if l.task.Kind == MultiTask && l.task.FoldBy != FoldTasks {
			strata = nil
		}
		l.parts, l.folds = folds(observations, strata, n, l.task.Seed), n
	}
	f, err := l.without(l.parts, k)
	if err != nil || !everyFold(l.parts, n, nil) {
		return nil, fmt.Errorf("%s: %w %s for %d folds", l.train.Name, ErrTooFew, l.train.scarce(n), n)
	}
	return f, nil
}

// operatorWithout is A where some observations are left out: their features scale and fill no others.
func (l *PreparedLinear) operatorWithout(out []bool) (gcg.Operator, error) {
	if !l.task.Standardize && l.filled == nil {
		return l.trainOperator()
	}
	wide := len(out) / l.train.Rows()
	rows := make([]bool, l.train.Rows())
	for i := range rows {
		rows[i] = !slices.Contains(out[i*wide:(i+1)*wide], false)
	}
	return l.preparedWithout(rows)
}

// without weighs the observations of a part by 0: nothing is copied but features that are to be standardized or filled, and their
// predictions come with the others.
func (l *PreparedLinear) without(part []int, k int) (*selection.Fitting, error) {
	wide := 1
	if l.train.Y != nil {
		wide = len(l.train.Y) / len(part)
	}
	out, held, count, rest := make([]bool, len(part)*wide), 0.0, 0, 0.0
	for e := range out {
		if w := l.train.weight(e); part[e/wide] == k {
			out[e] = true
			held += w
			count++
		} else {
			rest += w
		}
	}
	if held == 0 || rest == 0 || l.train.Timed && !l.train.eventful(out) {
		return nil, fmt.Errorf("part %d of the data is empty, or all of it", k+1)
	}
	share := rest / (held + rest)
	if l.task.mean() { // the loss divides by all observations
		share = 1
	}
	omega := l.train.weights(out, l.task.mean())
	op, err := l.operatorWithout(out)
	if err != nil {
		return nil, err
	}
	f, err := l.posed(op, omega, share)
	if err != nil {
		return nil, err
	}
	f.Held = max(count/wide, 1)
	f.Measure = func(s *gcg.State) selection.Measured {
		return meter{l.schema, l.task.Loss}.measure(l.train, out, l.train.ofAll(s.Z, l.each()), false)
	}
	return &f, nil
}
