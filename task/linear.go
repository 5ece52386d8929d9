package task

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver/structured"
)

// A Linear is a task whose rows have features: classes, related tasks, or numbers. It minimises
//
//	Σ ℓ(z_i, y_i) + λκ(W)   over W (features × outputs), and b where there is an intercept, z_i = Wᵀx_i + b
//
// or with the mean of ℓ. The outputs are the classes, the tasks (each row has a z of its task alone) or the targets. Fields are
// the configuration, and only Kind and Train are needed. [Linear.Fit] does all, and reads all fields each time; none is written,
// nor what it points to, but with Consume. [Linear.Prepare] is for those who want more than a fit of the same data.
type Linear struct {
	Kind  Kind
	Train *dataset.Rows
	Test  *dataset.Rows // to measure on, with the features and answers of Train; may be nil
	Valid *dataset.Rows // to choose λ by, likewise; nil takes a tenth of Train
	// train on this part of the rows of Train, the same of each class or task, and test on the rest; 0 splits none
	Split float64
	// Consume lets Prepare and Fit write the rows in place, of which nothing can be said afterwards: for those that just fit in
	// memory.
	Consume bool

	Loss   Loss
	Gauge  gcg.Gauge          // nil is the trace norm of classes and tasks, ℓ1 of regression
	Second structured.Penalty // on the weights of a single output, beside the gauge ℓ1; nil is none
	// Shape makes Gauge and Second in their place where they depend on what Prepare learns of the rows: it sees their schema and
	// their samples, nothing else yet. Its errors are those of Prepare.
	Shape func(*PreparedLinear) (gcg.Gauge, structured.Penalty, error)
	// Ridge is μ > 0 of μ/2‖W‖² beside the penalty of κ, 0 for none. With L1Ratio = r in 0 … 1, both excluded, λ weighs
	// rκ(W) + (1-r)/2 ‖W‖², the elastic net; 0 is none. The ridge is of standardized weights where features are. For it alone there
	// is gauge.Lp{P: 2} with Options.Square.
	Ridge     float64
	L1Ratio   float64
	Smoothed  bool // states Second by its envelope, for hybrid.HCGS
	Intercept bool // an unpenalised constant for each output
	// AllFeatures keeps those that never occur in a wide LIBSVM file: for a gauge that numbers them, or has W ≠ 0 there.
	AllFeatures bool
	// Standardize divides each feature by its standard deviation in the training rows, so that the gauge treats all alike: in those
	// of the fold, where some are left out. The model takes features as they are: its RowScale has the divisors. A constant feature
	// stays as it is.
	Standardize bool
	// AutoStandardize is Standardize where features are dense, and their standard deviations differ more than 30-fold.
	AutoStandardize bool
	Normalize       Normalization
	FoldBy          FoldUnit
	Missing         MissingRule // of dense features; the model keeps what it fills them by, and takes rows with gaps then
	Seed            uint64      // of parts and folds
	Warm            *model.Model
	// Ranks fit one model together, or nil, with the trace norm or a gauge of blocks, such as ℓ1 and groups. All have the same rows,
	// or have read them together (dataset.RowsReader.Ranks); of the features each keeps those of some rows.
	Ranks *cluster.Comm
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

// A PreparedLinear is a task whose rows were checked, read by one schema, and split. It is a [selection.Source]. It serves any
// number of fits, one after another, and none changes what another has returned. Whatever becomes of the task that it is made
// of, it stays; the numbers of the rows may not change meanwhile.
type PreparedLinear struct {
	task               *Linear // a copy, with what is usual in place of fields that are 0
	schema             *Schema
	train, test, valid *Samples
	op                 gcg.Operator // of the training rows
	scale              []float64    // what features were multiplied by, nil for 1
	fill               []float64    // of each feature, before that, where it is missing; nil where none may be
	gaps               []int        // the features of the training rows that were, as places of X.Dense, ascending
	filled             []int        // their columns
	deviations         float64      // of ranks, what Spread is
	warned             []Warning    // of ranks, what Warnings are
	whole              *linearFitting
	parts              []int // the fold of each row or entry, of so many
	folds              int
	from0              string // the other rows that show training to count features from 0, or ""
}

// Prepare checks a copy of the fields, learns the schema of the training rows, reads the others by it, and splits. Errors are of
// answers that do not suit the loss, of rows that do not belong together, of fields that do not, and those of Shape.
func (l *Linear) Prepare() (*PreparedLinear, error) {
	own := *l
	if err := own.fill(); err != nil {
		return nil, err
	}
	if !l.Consume {
		own.ownRows()
	}
	p := &PreparedLinear{task: &own}
	if err := p.load(); err != nil {
		return nil, err
	}
	return p, nil
}

// fill checks the fields, and gives those that are 0 what is usual.
func (l *Linear) fill() (err error) {
	switch {
	case l.Train == nil || l.Train.X == nil || l.Train.Len() == 0:
		return errors.New("task: a task needs rows to train on")
	case !(l.Ridge >= 0) || math.IsInf(l.Ridge, 1):
		return fmt.Errorf("task: Ridge %v is a weight, a finite number not below 0", l.Ridge)
	case !(l.L1Ratio >= 0 && l.L1Ratio < 1):
		return fmt.Errorf("task: L1Ratio %v is a part of λ between 0 and 1, or 0 for none", l.L1Ratio)
	case l.Smoothed && l.Second == nil && l.Shape == nil:
		return errors.New("task: Smoothed is of a Second penalty, and there is none")
	case l.FoldBy == FoldTasks && l.Kind != MultiTask:
		return errors.New("task: FoldBy is of tasks, and Kind is not MultiTask")
	case l.Ridge > 0 && l.L1Ratio > 0:
		return errors.New("task: Ridge and L1Ratio exclude each other")
	case l.Split != 0 && (l.Test != nil || !(l.Split > 0 && l.Split < 1)):
		return fmt.Errorf("task: Split %v is a part between 0 and 1 of rows that have no Test beside them", l.Split)
	}
	if err := cmp.Or(l.Kind.Check(), l.Normalize.Check(), l.FoldBy.Check(), l.Missing.Check()); err != nil {
		return err
	}
	if l.Gauge == nil {
		l.Gauge = gauge.Trace{}
		if l.Kind == Regression {
			l.Gauge = gauge.L1{}
		}
	}
	if l.Loss, err = l.Loss.filled(l.Kind); err == nil && l.Intercept && l.Loss.Kind == Cox {
		err = errors.New("task: the cox loss has no Intercept: a constant changes no risk beside another")
	}
	return cmp.Or(err, l.checkRanks())
}

// load reads the rows.
func (l *PreparedLinear) load() (err error) {
	if err := l.task.overRanks(); err != nil {
		return err
	}
	l.alignBase()
	train := (*Samples)(nil)
	if l.schema, train, err = learn(l.task.Kind, l.task.Loss, l.task.Train, l.task.AllFeatures); err != nil {
		return err
	}
	l.schema.Gaps = l.task.Missing != RefuseMissing
	if err := l.task.Ranks.FirstError(l.schema.checkSizes(l.task.Train, train.Y)); err != nil {
		return err
	}
	if l.test, err = l.other(l.task.Test); err != nil {
		return err
	}
	if l.valid, err = l.other(l.task.Valid); err != nil {
		return err
	}
	if l.task.Split != 0 {
		if train, err = l.cut(train); err != nil {
			return err
		}
	}
	if l.train = train; l.task.Shape != nil {
		if l.task.Gauge, l.task.Second, err = l.task.Shape(l); err != nil {
			return err
		}
	}
	if l.task.Missing == FillMean {
		if err := l.fillMissing(); err != nil {
			return err
		}
	}
	if l.task.Ranks != nil { // all of which are here
		l.deviations = l.Spread()
	}
	l.task.Standardize = l.task.Standardize || l.task.AutoStandardize && l.Spread() > mostSpread
	if l.task.Standardize {
		l.standardize()
	}
	return l.shared()
}

// alignBase counts the features of the training rows from 0 where those of others are.
func (l *PreparedLinear) alignBase() {
	for _, o := range []*dataset.Rows{l.task.Test, l.task.Valid} {
		if o != nil && o.LIBSVM && o.ZeroBased && l.task.Train.LIBSVM && !l.task.Train.ZeroBased {
			l.task.Train.CountFrom0()
			l.from0 = o.Name
		}
	}
}

// other reads rows by the schema of training.
func (l *PreparedLinear) other(r *dataset.Rows) (*Samples, error) {
	if r == nil {
		return nil, nil
	}
	s, err := l.schema.Read(l.task.Loss, r, true)
	return s, l.task.Ranks.FirstError(err)
}

// cut splits the rows, the same share of each class or task.
func (l *PreparedLinear) cut(all *Samples) (train *Samples, err error) {
	fit, rest := divide(all.Rows(), all.strata(), l.task.Split, l.task.Seed)
	if len(fit) == 0 || len(rest) == 0 {
		return nil, fmt.Errorf("%s: the split leaves %d rows for training and %d for the test; both need some", all.Name, len(fit),
			len(rest))
	}
	if l.test, err = all.subset(rest); err != nil {
		return nil, err
	}
	return all.subset(fit)
}

// Schema is what the samples have in common.
func (l *PreparedLinear) Schema() *Schema { return l.schema }

// Samples are those to train on, and to measure on or nil. Nobody may write them.
func (l *PreparedLinear) Samples() (train, test *Samples) { return l.train, l.test }

// Validating are the samples by which λ is chosen, nil where those are some of the training rows. Nobody may write them.
func (l *PreparedLinear) Validating() *Samples { return l.valid }

// mean says that the loss is a mean.
func (l *Linear) mean() bool {
	return l.Normalize == Mean || l.Normalize == UsualSum && l.Kind != Regression
}

// operatorOf is A on the features of training samples.
func (l *PreparedLinear) operatorOf(s *Samples) (gcg.Operator, error) {
	if s.spread == nil {
		return l.operator(s)
	}
	x, err := s.features()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.XName, err)
	}
	if l.task.Kind == MultiTask {
		return operator.NewSpreadTasks(s.spread, x, s.ownTasks(), len(l.schema.Outputs))
	}
	return operator.NewSpreadDesign(s.spread, x, len(l.schema.Outputs))
}

// operator is A on the features of samples, of those that are here where ranks share them; nil where there are none.
func (l *PreparedLinear) operator(s *Samples) (gcg.Operator, error) {
	x, err := s.features()
	switch {
	case s.spread != nil && s.X.Rows == 0:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.XName, err)
	case l.task.Kind == MultiTask:
		return operator.NewTasks(x, s.ownTasks(), len(l.schema.Outputs))
	}
	return operator.NewDesign(x, len(l.schema.Outputs))
}

// trainOperator is A on the training features. It is made once.
func (l *PreparedLinear) trainOperator() (_ gcg.Operator, err error) {
	if l.op == nil {
		l.op, err = l.operatorOf(l.train)
	}
	return l.op, err
}

// posed is the problem of the training data with weights of its observations, of its rows in classification; nil is 1. A second
// penalty and a ridge are multiplied by share, as λ is. Its loss follows λ where the ridge does.
func (l *PreparedLinear) posed(op gcg.Operator, omega []float64, share float64) (f selection.Fitting, err error) {
	var base gcg.Loss
	if l.train.spread != nil {
		base = l.ownLoss(omega)
	} else if l.task.Kind == Classification {
		base = l.task.Loss.ofClasses(l.train.Class, len(l.schema.Outputs), omega, l.task.mean())
	} else if l.task.Loss.Kind == Cox {
		if base, err = l.train.cox(omega, l.task.mean()); err != nil {
			return f, fmt.Errorf("%s: %w", l.train.Name, err)
		}
	} else {
		base = l.task.Loss.Of(l.train.Y, omega, l.task.mean(), len(l.train.Y)/l.train.Rows())
	}
	if c := view.OfLoss(base).Checker; c != nil {
		if err := c.Check(); err != nil {
			return f, fmt.Errorf("%s: %w", l.train.Name, err)
		}
	}
	mu, r := l.task.Ridge*share, l.task.L1Ratio
	if r > 0 {
		mu = 1 - r // until λ is known
	}
	f.Share = share
	if f.Problem, err = l.problem(op, base, mu, share); err == nil && r > 0 {
		f.Part, f.Loss = r, func(lambda float64) gcg.Loss {
			p, err := l.problem(op, base, (1-r)*lambda, share)
			if err != nil {
				panic(err) // as it was posed before
			}
			return p.Loss
		}
	}
	return f, err
}

// problem adds a ridge to a loss, where μ > 0, and the second penalty.
func (l *PreparedLinear) problem(op gcg.Operator, base gcg.Loss, mu, share float64) (*gcg.Problem, error) {
	p := &gcg.Problem{Operator: op, Loss: base, Gauge: l.task.Gauge, Intercept: l.task.Intercept}
	if mu > 0 {
		m, n, _ := op.Dims()
		whole, err := operator.NewIdentity(m, n)
		if err != nil {
			return nil, err
		}
		if p.Operator, err = operator.Stack(op, whole); err != nil {
			return nil, err
		}
		p.Loss = loss.Stack(base, &loss.Ridge{N: m * n, Mu: mu, Group: n})
	}
	if l.task.Second == nil {
		return p, nil
	}
	second := structured.Problem
	if l.task.Smoothed {
		second = structured.Smoothed
	}
	q, err := second(p.Operator, p.Loss, l.task.Second.Scaled(share))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; a second penalty is for one target", l.train.Name, err)
	}
	q.Gauge, q.Intercept = p.Gauge, p.Intercept
	return q, nil
}

// predictions are z of other samples, of which op is the operator, at a state of the training problem.
func (l *PreparedLinear) predictions(op gcg.Operator, of *Samples, s *gcg.State) []float64 {
	group := l.each()
	if op == nil {
		return of.ofAll(nil, group)
	}
	_, _, n := op.Dims()
	z := make([]float64, n)
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: make([]float64, n), Group: group}} // for its blocks
	p.Apply(z, s.W)
	if s.Intercept != nil {
		p.InterceptMap().AddTo(z, 1, s.Intercept)
	}
	return of.ofAll(z, group)
}
