package views

import (
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// A job is the task that the flags make of the files they name.
type job struct {
	*multiview.Prepared
	task     *multiview.Task
	f        *flags
	denoised []viewFile
}

// Load reads the views and the labels.
func (f *flags) Load() (cli.Job, error) {
	said, err := f.settings()
	if err != nil {
		return nil, err
	}
	t := &multiview.Task{Seed: f.Seed, Gauge: f.gauge()}
	for i, word := range multiview.Scalings {
		if word == f.scale {
			t.Scale = multiview.Scaling(i)
		}
	}
	if f.Normalize == "mean" {
		t.Normalize = task.Mean
	}
	if err := cli.ForeseeReading(f.views...); err != nil {
		return nil, err
	}
	for i, name := range f.views {
		x, err := f.table.Reader().ReadIncomplete(name, nil)
		if err != nil {
			return nil, err
		}
		t.Views = append(t.Views, multiview.View{Name: dataset.Called(name), X: x, Radius: said.radius[i], Weight: said.weight[i],
			Loss: said.loss[i]})
	}
	if f.labels != "" {
		if t.Labels, err = multiview.ReadLabels(f.labels, t.Views[0].X.Rows); err != nil {
			return nil, err
		}
		t.Labels.Loss, t.Labels.Weight = said.loss[len(f.views)], said.weight[len(f.views)]
	}
	if f.Gauge == "views" {
		t.Gauge = t.Simplex()
	}
	p, err := t.Prepare()
	if err != nil {
		return nil, err
	}
	if err := f.foresee(t); err != nil {
		return nil, err
	}
	j := &job{Prepared: p, task: t, f: f}
	if j.denoised, err = outputsOf(f.denoised, f.views); err != nil {
		return nil, err
	}
	if err := checkSizes(&f.images, j.denoised, t.Views); err != nil {
		return nil, err
	}
	return j, nil
}

// foresee refuses views that the memory cannot hold, and says what they may take.
func (f *flags) foresee(t *multiview.Task) error {
	features := 0
	for _, v := range t.Views {
		features += v.X.Cols
	}
	return f.ForeseeMatrices(t.Views[0].Name, features, t.Views[0].X.Rows, 3, 28)
}

// gauge is what --gauge says, nil for what suits the views.
func (f *flags) gauge() gcg.Gauge {
	if f.Gauge == "trace" {
		return gauge.Trace{}
	}
	return nil
}

// For is the fit of the same data by another solver.
func (j *job) For(l cli.Loader) (cli.Job, error) {
	f, same := l.(*flags)
	if !same {
		return nil, nil
	}
	other := *j
	other.f = f
	return &other, nil
}

func (j *job) Shared() *cli.RunFlags { return &j.f.RunFlags }
func (j *job) Noun() string          { return "entries" }
func (j *job) Release()              {}

func (j *job) Choosing() string {
	return "choosing λ by a path on 90 % of the entries (--lambda auto)"
}

// Validation names the flag that does without. What constants predict is not said: it is of other units than ratings.
func (j *job) Validation() (*selection.Fitting, error) {
	t, err := j.Prepared.Validation()
	if errors.Is(err, task.ErrTooFew) {
		err = fmt.Errorf("%w; give a λ with --lambda", err)
	}
	if err == nil {
		t.Trivial = 0
	}
	return t, err
}

// Greet warns of what the data says.
func (j *job) Greet(show *cli.Progress) {
	for _, w := range j.Warnings() {
		show.Say("warning: " + words(w))
	}
}

// words are those of a warning, with the flags that mend what it doubts.
func words(w task.Warning) string {
	if w, ok := w.(warning.Overweight); ok {
		return strings.Replace(w.String(), "scale the features, or give weights", "try --scale standardize, or --weight", 1)
	}
	return w.String()
}

// Identity names all that must be the same for a checkpoint to be continued.
func (j *job) Identity(lambda float64) string {
	f := j.f
	return fmt.Sprintf("multiview data=%s λ=%.17g ζ=%.17g %s %s loss=%v weight=%v radius=%s scale=%s gauge=%s", j.checksum(), lambda,
		f.Constrain, f.Penalty, f.Normalize, f.losses, f.weights, f.radius, f.scale, f.Gauge)
}

// checksum is of the numbers of the views and labels.
func (j *job) checksum() string {
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	add := func(width int, x []float64) {
		fmt.Fprintf(sum, "%d:", width)
		for _, v := range x {
			b := math.Float64bits(v)
			sum.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24), byte(b >> 32), byte(b >> 40), byte(b >> 48),
				byte(b >> 56)})
		}
	}
	for _, v := range j.task.Views {
		add(v.X.Cols, v.X.Dense)
	}
	if l := j.task.Labels; l != nil {
		add(l.Width(), l.Y)
	}
	return fmt.Sprintf("crc64:%016x", sum.Sum64())
}

// Start is where a model is on the problem.
func (j *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	w, err := j.Prepared.Start(m)
	if err != nil {
		err = fmt.Errorf("%s: %w", j.f.Warm, err)
	}
	return selection.Start{W: w}, err
}

// Answer makes the model and measures it.
func (j *job) Answer(fitted *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f := j.f
	m := j.Model(fitted, r)
	m.Info.Version, m.Info.Solver, m.Info.Penalty = cli.Version, f.Solver, f.PenaltyName()
	m.Info.Loss = losses(m.Info.Views)
	m.Info.Data, m.Info.Checksum = strings.Join(f.views, ", "), j.checksum()
	res.LossName, res.GaugeName, res.N = m.Info.Loss, m.Info.Gauge, m.Info.Observations
	res.Data, res.Normed = j.describe(), map[bool]string{true: "trace norm", false: "gauge of views"}[f.Gauge == "trace"]
	scores := j.Scores(r.State.Z)
	res.Training = scores
	for _, v := range scores {
		res.Note("view", "%s", v)
	}
	for _, w := range j.Warnings() {
		res.Warn(words(w))
	}
	res.Lose(j.writeDenoised(m))
	res.Lose(j.draw(m))
	return m
}

// writeDenoised writes the denoised views.
func (j *job) writeDenoised(m *model.Model) error {
	if len(j.denoised) == 0 {
		return nil
	}
	e, err := multiview.NewEncoder(m)
	if err != nil {
		return err
	}
	given := map[int]*dataset.Matrix{}
	for v := range j.task.Views {
		given[v] = j.task.Views[v].X
	}
	names := rowNames(given)
	for _, o := range j.denoised {
		if err := j.f.images.Write(o.file, withRowNames(e.Predict(o.view, e.Training()), names), given[o.view]); err != nil {
			return err
		}
	}
	return nil
}

// losses are those of all views, or the one that they share.
func losses(views []model.View) string {
	var words []string
	for _, v := range views {
		words = append(words, v.Loss)
	}
	if len(slices.Compact(slices.Clone(words))) == 1 {
		return words[0]
	}
	return strings.Join(words, ", ")
}

// describe is the data for people.
func (j *job) describe() string {
	var features []string
	for _, v := range j.task.Views {
		features = append(features, fmt.Sprint(v.X.Cols))
	}
	text := fmt.Sprintf("%d samples, views of %s features", j.task.Views[0].X.Rows, strings.Join(features, " and "))
	if j.task.Labels != nil {
		text += fmt.Sprintf(", %d label", j.task.Labels.Width()) + map[bool]string{true: "s"}[j.task.Labels.Width() != 1]
	}
	return text
}
