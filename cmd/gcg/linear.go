package main

import (
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A linear is the data of classification, multitask or regression and all that its flags make of it.
type linear struct {
	f      *linearFlags
	schema *schema
	train  *samples
	test   *samples // or nil
	valid  *samples // or nil
	loss   lossWord
	word   gaugeWord
	gauge  gcg.Gauge
	op     gcg.Operator // of the training rows
	parts  []int        // the fold of each row or entry
	from0  string       // the other file that shows training to count features from 0, or ""
	read   time.Duration
}

func (f *linearFlags) load() (study, error) {
	l := &linear{f: f}
	start := time.Now()
	l.loss, _ = parseLoss(f.problem, f.loss)
	l.word, _ = parseGauge(f.gauge, false)
	u, err := f.train.read(f)
	if err != nil {
		return nil, err
	}
	if l.from0, err = f.sameBase(u); err != nil {
		return nil, err
	}
	if l.schema, l.train, err = learn(f.problem, l.loss, u); err != nil {
		return nil, err
	}
	if err := l.schema.fitsMemory(u.xname); err != nil {
		return nil, err
	}
	if err := moderate(l.train, l.schema, u); err != nil {
		return nil, err
	}
	if l.test, err = l.other(&f.test); err != nil {
		return nil, err
	}
	if l.valid, err = l.other(&f.valid); err != nil {
		return nil, err
	}
	if f.split != 0 {
		if err := l.cut(); err != nil {
			return nil, err
		}
	}
	if values := len(l.train.x.Dense) + len(l.train.x.Values); values > 8_000_000 {
		thrifty(max(5, 160_000_000/values)) // some 13 MB
	}
	if l.op, err = l.operator(l.train); err != nil {
		return nil, err
	}
	p, n, _ := l.op.Dims()
	if l.gauge, err = l.word.on(l.schema.features, p, n); err != nil {
		return nil, err
	}
	if err := f.checkImprover(l.gauge); err != nil {
		return nil, err
	}
	if err := f.checkExact(l.gauge, p, n); err != nil {
		return nil, err
	}
	l.read = time.Since(start)
	return l, nil
}

// sameBase counts the features of the training data from 0 where one of its companions does, which it names.
func (f *linearFlags) sameBase(u *unread) (companion string, err error) {
	if !u.libsvm || u.zeroBased {
		return "", nil
	}
	for _, s := range []*sourceFlags{&f.test, &f.valid} {
		if len(s.files) == 1 && looksLIBSVM(s.files[0]) {
			o, err := s.read(f)
			if err != nil {
				return "", err
			}
			if o.zeroBased {
				u.shift()
				return o.name, nil
			}
		}
	}
	return "", nil
}

// other reads samples by the schema of the training data.
func (l *linear) other(s *sourceFlags) (*samples, error) {
	if s.empty() {
		return nil, nil
	}
	u, err := s.read(l.f)
	if err != nil {
		return nil, err
	}
	return l.schema.read(l.loss, u, true)
}

// cut splits the rows, the same share of each class or task.
func (l *linear) cut() error {
	fit, rest := divide(l.train.rows(), l.train.strata(), l.f.split, l.f.seed)
	if len(fit) == 0 || len(rest) == 0 {
		return fmt.Errorf("%s: the split leaves %d rows for training and %d for the test; both need some", l.train.name, len(fit), len(rest))
	}
	l.test = l.train.subset(rest)
	l.train = l.train.subset(fit)
	return nil
}

// operator is A on the features of samples.
func (l *linear) operator(s *samples) (gcg.Operator, error) {
	x, err := features(s.x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.xname, err)
	}
	if l.f.problem == "multitask" {
		return operator.NewTasks(x, s.task, len(l.schema.outputs))
	}
	return operator.NewDesign(x, len(l.schema.outputs))
}

// problem is that of the training data with weights of its observations, of its rows in classification; nil is 1.
func (l *linear) problem(omega []float64) (*gcg.Problem, error) {
	mean := l.f.normalize == "mean"
	p := &gcg.Problem{Operator: l.op, Gauge: l.gauge, Intercept: l.f.intercept}
	if l.f.problem == "classification" {
		p.Loss = l.loss.ofClasses(l.train.class, len(l.schema.outputs), omega, mean)
	} else {
		p.Loss = l.loss.of(l.train.y, omega, mean, len(l.train.y)/l.train.rows())
	}
	if c := view.OfLoss(p.Loss).Checker; c != nil {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.train.name, err)
		}
	}
	return p, nil
}

// predictions are z of other samples, at a state of the training problem.
func (l *linear) predictions(op gcg.Operator, s *gcg.State) []float64 {
	_, _, n := op.Dims()
	z := make([]float64, n)
	group := len(l.schema.outputs)
	if l.f.problem == "multitask" {
		group = 1
	}
	p := &gcg.Problem{Operator: op, Loss: l.loss.of(make([]float64, n), nil, false, group)}
	p.Apply(z, s.W)
	if s.Intercept != nil {
		p.Places().AddTo(z, 1, s.Intercept)
	}
	return z
}
