package recovery

import (
	"errors"
	"fmt"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

// A job is the task that the flags make of entries.
type job struct {
	*recovery.Task
	*recovery.Prepared
	f *flags
}

// Load reads the entries or the graph.
func (f *flags) Load() (cli.Job, error) {
	if f.graph != "" {
		return f.loadGraph()
	}
	j := &job{Task: f.task(), f: f}
	for _, part := range []struct {
		name string
		to   **dataset.Ratings
	}{{f.train, &j.Train}, {f.test, &j.Test}, {f.valid, &j.Valid}} {
		if part.name == "" {
			continue
		}
		r, err := dataset.RatingsReader{Columns: f.columns}.ReadRatings(part.name)
		if err != nil {
			return nil, err
		}
		*part.to = r
	}
	var err error
	if j.Prepared, err = j.Prepare(); err != nil {
		return nil, worded(err)
	}
	j.Task = j.Prepared.Task()
	if err := f.ForeseeMatrices(j.Train.Name, j.Train.Shape[0], j.Train.Shape[1], 2, 28); err != nil {
		return nil, err
	}
	return j, nil
}

// worded is an error of the data with the flag that mends it.
func worded(err error) error {
	if errors.Is(err, dataset.ErrDuplicate) {
		return fmt.Errorf("%w, or say --duplicates last or mean", err)
	}
	return err
}

// For is the fit of the same data by another solver, if it takes the same problem.
func (j *job) For(l cli.Loader) (cli.Job, error) {
	f, same := l.(*flags)
	if !same || f.task().Smoothed != j.Smoothed || f.task().Full != j.Full {
		return nil, nil
	}
	other := *j
	other.f = f
	return &other, nil
}

func (j *job) Shared() *cli.RunFlags { return &j.f.RunFlags }

func (j *job) Noun() string { return "entries" }

func (j *job) Greet(*cli.Progress) {}

func (j *job) Release() {}

func (j *job) Choosing() string {
	if j.Valid != nil {
		return "choosing λ by a path on the known entries, measured on " + j.Valid.Name + " (--lambda auto)"
	}
	return "choosing λ by a path on 90 % of the known entries (--lambda auto)"
}

// Validation names the flag that does without.
func (j *job) Validation() (*selection.Fitting, error) {
	t, err := j.Prepared.Validation()
	return t, cli.OrLambda(err)
}

// Identity names all that must be the same for a checkpoint to be continued.
func (j *job) Identity(lambda float64) string {
	f := j.f
	return fmt.Sprintf("recovery data=%s split=%v,seed=%d λ=%.17g ζ=%.17g λ₁=%.17g %s loss=%s gauge=%s shape=%s columns=%s "+
		"duplicates=%s %s",
		j.Train.Checksum, f.Split, f.Seed, lambda, f.Constrain, f.l1, f.Normalize, f.Loss, f.Gauge, f.shape, f.columns, f.duplicates,
		f.Solver)
}

// Start is where a model is on the whole: nowhere, unless it has the same rows and columns.
func (j *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	return startOf(j.f.Warm, m, j.Train.RowIDs.Texts(), j.Train.ColIDs.Texts())
}

// Answer makes the model and measures it.
func (j *job) Answer(fitted *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f, m := j.f, j.Model(fitted, r)
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	res.LossName, res.GaugeName, res.N = f.Loss, normName(f.Gauge), j.Observations()
	res.Data = fmt.Sprintf("%d entries of %d × %d", j.Observations(), res.Rows, res.Cols)
	res.Normed = "trace norm"
	l1 := f.l1
	res.L1 = &l1
	kept := ""
	if f.l1 > 0 && !j.Smoothed {
		kept = fmt.Sprintf(", %d entries of X where it may not be 0", fitted.Problem.Loss.Len())
	}
	if f.l1 == 0 {
		kept = ": --l1 makes X sparse"
	}
	res.Note("with", "%s loss (%s), %s, ℓ1 norm of weight %g%s", f.Loss, f.Normalize, normName(f.Gauge), f.l1, kept)
	held, name := j.Train, "training"
	if j.Test != nil {
		held, name = j.Test, "test"
	}
	e := metric.Predicted(m.Predict, held)
	scores := &task.ValueScores{RMSE: e.RMSE(), MAE: e.MAE(), N: e.N()}
	if res.Training = scores; name == "test" {
		res.Test, res.Training = scores, nil
	}
	res.Note(name, "RMSE %s, MAE %s on %d entries", cli.Decimals(e.RMSE()), cli.Decimals(e.MAE()), e.N())
	return m
}

// normName is the trace norm of a word of --gauge.
func normName(word string) string {
	return map[string]string{"trace": "trace norm", "symmetric": "trace norm of symmetric matrices",
		"psd": "trace of positive semidefinite matrices"}[word]
}
