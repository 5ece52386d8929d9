package task

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/structured"
)

// A Linear is a task whose rows have features: classes, related tasks, or numbers. It minimises
//
//	Σ ℓ(z_i, y_i) + λκ(W)   over W (features × outputs), and b where there is an intercept, z_i = Wᵀx_i + b
//
// or with the mean of ℓ. The outputs are the classes, the tasks (each row has a z of its task alone) or the targets. Fields are
// the configuration, and only Kind and Train are needed. [Linear.Fit] does all, and reads the fields each time. It is a
// [selection.Source], too, which loads once: what is asked for after Load is of the fields as they were.
type Linear struct {
	Kind  Kind
	Train *dataset.Rows // Load takes it over: labels become signs in place. Fit does not
	Test  *dataset.Rows // to measure on, with the features and answers of Train; may be nil
	Valid *dataset.Rows // to choose λ by, likewise; nil takes a tenth of Train
	// train on this part of the rows of Train, the same of each class or task, and test on the rest; 0 splits none
	Split float64

	Loss      Loss
	Gauge     gcg.Gauge          // nil is the trace norm of classes and tasks, ℓ1 of regression
	Second    structured.Penalty // on the weights of a single output, beside the gauge ℓ1; nil is none
	Smoothed  bool               // states Second by its envelope, for solver.HCGS
	Intercept bool               // an unpenalised constant for each output
	// AllFeatures keeps those that never occur in a wide LIBSVM file: for a gauge that numbers them, or has W ≠ 0 there.
	AllFeatures bool
	// Standardize divides each feature by its standard deviation in the training rows, so that the gauge treats all alike: in those
	// of the fold, where some are left out. The model takes features as they are: its RowScale has the divisors. A constant feature
	// stays as it is.
	Standardize bool
	Normalize   Normalization
	FoldBy      FoldUnit
	Seed        uint64 // of parts and folds
	Warm        *model.Model

	schema             *Schema
	train, test, valid *Samples
	op                 gcg.Operator // of the training rows
	scale              []float64    // what features were multiplied by, nil for 1
	whole              *LinearFitting
	parts              []int // the fold of each row or entry, of so many
	folds              int
	from0              string // the other rows that show training to count features from 0, or ""
}

// A Normalization says whether the loss is a sum or a mean over the observations: rows × targets, or rows of the multinomial
// loss.
type Normalization int

const (
	UsualSum Normalization = iota // a sum of regression, a mean of classes and tasks
	Sum                           // over the observations
	Mean                          // of the observations
)

// Check is an error where n is no normalization.
func (n Normalization) Check() error {
	return enum.Check("task: Normalize", n, "UsualSum", "Sum", "Mean")
}

// A FoldUnit is what folds hold out.
type FoldUnit int

const (
	UsualFolds  FoldUnit = iota // rows; of ratings FoldEntries
	FoldRows                    // rows, the same share of each class; of all tasks together; of ratings half of those of some rows
	FoldTasks                   // rows, the same share of each task
	FoldEntries                 // single entries of several targets, or of ratings
)

// Check is an error where u is no unit.
func (u FoldUnit) Check() error {
	return enum.Check("task: FoldBy", u, "UsualFolds", "FoldRows", "FoldTasks", "FoldEntries")
}

// Load learns the schema of the training rows, reads the others by it, and splits. Whatever else is asked for does so where it
// was not done. Errors are of answers that do not suit the loss, of rows that do not belong together, and of fields that do
// not.
func (l *Linear) Load() (err error) {
	if l.train != nil {
		return nil
	}
	if l.Train == nil || l.Train.X == nil || l.Train.X.Rows == 0 {
		return errors.New("task: a task needs rows to train on")
	}
	if l.Split != 0 && (l.Test != nil || !(l.Split > 0 && l.Split < 1)) {
		return fmt.Errorf("task: Split %v is a part between 0 and 1 of rows that have no Test beside them", l.Split)
	}
	if err := cmp.Or(l.Kind.Check(), l.Normalize.Check(), l.FoldBy.Check()); err != nil {
		return err
	}
	if l.Loss, err = l.Loss.filled(l.Kind); err != nil {
		return err
	}
	if l.Gauge == nil {
		l.Gauge = gauge.Trace{}
		if l.Kind == Regression {
			l.Gauge = gauge.L1{}
		}
	}
	l.alignBase()
	train := (*Samples)(nil)
	if l.schema, train, err = Learn(l.Kind, l.Loss, l.Train, l.AllFeatures); err != nil {
		return err
	}
	if l.test, err = l.other(l.Test); err != nil {
		return err
	}
	if l.valid, err = l.other(l.Valid); err != nil {
		return err
	}
	if l.Split != 0 {
		if train, err = l.cut(train); err != nil {
			return err
		}
	}
	l.train = train
	if l.Standardize {
		l.standardize()
	}
	return nil
}

// alignBase counts the features of the training rows from 0 where those of others are.
func (l *Linear) alignBase() {
	for _, o := range []*dataset.Rows{l.Test, l.Valid} {
		if o != nil && o.LIBSVM && o.ZeroBased && l.Train.LIBSVM && !l.Train.ZeroBased {
			l.Train.CountFrom0()
			l.from0 = o.Name
		}
	}
}

// other reads rows by the schema of training.
func (l *Linear) other(r *dataset.Rows) (*Samples, error) {
	if r == nil {
		return nil, nil
	}
	return l.schema.Read(l.Loss, r, true)
}

// cut splits the rows, the same share of each class or task.
func (l *Linear) cut(all *Samples) (train *Samples, err error) {
	fit, rest := divide(all.Rows(), all.strata(), l.Split, l.Seed)
	if len(fit) == 0 || len(rest) == 0 {
		return nil, fmt.Errorf("%s: the split leaves %d rows for training and %d for the test; both need some", all.Name, len(fit),
			len(rest))
	}
	l.test = all.subset(rest)
	return all.subset(fit), nil
}

// Schema is what the samples have in common; Load must have been called.
func (l *Linear) Schema() *Schema { return l.schema }

// Samples are those to train on, and to measure on or nil; Load must have been called.
func (l *Linear) Samples() (train, test *Samples) { return l.train, l.test }

// mean says that the loss is a mean.
func (l *Linear) mean() bool {
	return l.Normalize == Mean || l.Normalize == UsualSum && l.Kind != Regression
}

// operator is A on the features of samples.
func (l *Linear) operator(s *Samples) (gcg.Operator, error) {
	x, err := features(s.X)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.XName, err)
	}
	if l.Kind == MultiTask {
		return operator.NewTasks(x, s.Task, len(l.schema.Outputs))
	}
	return operator.NewDesign(x, len(l.schema.Outputs))
}

// trainOperator is A on the training features. It is made once.
func (l *Linear) trainOperator() (_ gcg.Operator, err error) {
	if l.op == nil {
		l.op, err = l.operator(l.train)
	}
	return l.op, err
}

// problem is that of the training data with weights of its observations, of its rows in classification; nil is 1.
// Where there is a second penalty, it is multiplied by share, as λ is.
func (l *Linear) problem(op gcg.Operator, omega []float64, share float64) (*gcg.Problem, error) {
	p := &gcg.Problem{Operator: op, Gauge: l.Gauge, Intercept: l.Intercept}
	if l.Kind == Classification {
		p.Loss = l.Loss.ofClasses(l.train.Class, len(l.schema.Outputs), omega, l.mean())
	} else {
		p.Loss = l.Loss.Of(l.train.Y, omega, l.mean(), len(l.train.Y)/l.train.Rows())
	}
	if c := view.OfLoss(p.Loss).Checker; c != nil {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.train.Name, err)
		}
	}
	if l.Second == nil {
		return p, nil
	}
	problem := structured.Problem
	if l.Smoothed {
		problem = structured.Smoothed
	}
	q, err := problem(p.Operator, p.Loss, l.Second.Scaled(share))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; a second penalty is for one target", l.train.Name, err)
	}
	q.Gauge, q.Intercept = p.Gauge, p.Intercept
	return q, nil
}

// predictions are z of other samples, at a state of the training problem.
func (l *Linear) predictions(op gcg.Operator, s *gcg.State) []float64 {
	_, _, n := op.Dims()
	z := make([]float64, n)
	group := len(l.schema.Outputs)
	if l.Kind == MultiTask {
		group = 1
	}
	p := &gcg.Problem{Operator: op, Loss: l.Loss.Of(make([]float64, n), nil, false, group)}
	p.Apply(z, s.W)
	if s.Intercept != nil {
		p.InterceptMap().AddTo(z, 1, s.Intercept)
	}
	return z
}
