package rpca

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/recovery"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	entries "github.com/seed-b18ef778/gcg/task/recovery"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

// A job is the task that the flags make of a matrix.
type job struct {
	*rpca.Task
	*rpca.Prepared
	f *flags
}

// Load reads the matrix or its entries.
func (f *flags) Load() (cli.Job, error) {
	j := &job{Task: f.task(), f: f}
	read := j.readMatrix
	if f.train != "" {
		read = j.readEntries
	}
	if err := cli.ForeseeReading(f.features); err != nil {
		return nil, err
	}
	if err := read(); err != nil {
		return nil, err
	}
	if f.outputs.hasImages() {
		if err := f.outputs.images.CheckSize(j.Name, &dataset.Matrix{Rows: j.Rows, Cols: j.Cols}); err != nil {
			return nil, err
		}
	}
	if err := f.ForeseeMatrices(j.Name, j.Rows, j.Cols, 4, 24); err != nil {
		return nil, err
	}
	if lambda, auto, _ := f.LambdaValue(); !auto && lambda > 0 {
		j.Task.L1 = j.UsualL1(lambda)
	}
	var err error
	if j.Prepared, err = j.Prepare(); err != nil {
		return nil, err
	}
	return j, nil
}

// readMatrix reads D, or some of its rows; what is missing is not known.
func (j *job) readMatrix() error {
	x, err := j.f.table.Reader().ReadIncomplete(j.f.features, nil)
	if err != nil {
		return err
	}
	if x, err = j.f.some(x); err != nil {
		return err
	}
	j.Name, j.Rows, j.Cols = j.f.features, x.Rows, x.Cols
	j.Checksum = (&task.Samples{X: x}).Checksum()
	if len(x.Names) == x.Cols {
		j.ColIDs = x.Names
	}
	if len(x.RowNames) == x.Rows {
		j.RowIDs = x.RowNames
	}
	if !slices.ContainsFunc(x.Dense, math.IsNaN) {
		j.Values = x.Dense
		return nil
	}
	j.Ptr = make([]int64, 1, x.Rows+1)
	for i := range x.Rows {
		for c, v := range x.Dense[i*x.Cols : (i+1)*x.Cols] {
			if !math.IsNaN(v) {
				j.Index, j.Values = append(j.Index, int32(c)), append(j.Values, v)
			}
		}
		j.Ptr = append(j.Ptr, int64(len(j.Values)))
	}
	return nil
}

// some are the rows of --rows.
func (f *flags) some(x *dataset.Matrix) (*dataset.Matrix, error) {
	if f.rows == "" {
		return x, nil
	}
	lo, hi, _ := span(f.rows)
	if hi > x.Rows {
		return nil, fmt.Errorf("%s: has %s; --rows %s asks for more", f.features, text.Counted(x.Rows, "row"), f.rows)
	}
	rows := make([]int32, 0, hi-lo+1)
	for i := lo - 1; i < hi; i++ {
		rows = append(rows, int32(i))
	}
	return x.Subset(rows), nil
}

// readEntries reads some entries of D.
func (j *job) readEntries() error {
	r, err := dataset.RatingsReader{Columns: j.f.columns, Decimal: j.f.table.Reader().Decimal}.ReadRatings(j.f.train)
	if err != nil {
		return err
	}
	t := &entries.Task{Train: r}
	if j.f.shape != "" {
		t.Shape, _ = recovery.Shape(j.f.shape)
	}
	p, err := t.Prepare()
	if err != nil {
		return err
	}
	t = p.Task()
	s, err := t.Train.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return err
	}
	j.Name, j.Checksum, j.Rows, j.Cols = r.Name, r.Checksum, s.M, s.N
	j.Ptr, j.Index, j.Values = s.Ptr, s.Cols, s.Values
	j.RowIDs, j.ColIDs = t.Train.RowIDs.Texts(), t.Train.ColIDs.Texts()
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

func (j *job) Noun() string { return "entries" }

func (j *job) Greet(*cli.Progress) {}

func (j *job) Release() {}

func (j *job) Choosing() string {
	if j.Open() {
		return "choosing λ and λ₁ by the noise (without --lambda, --l1 and --equal)"
	}
	return "choosing λ by a path on 90 % of the entries, with --l1 as it is (--lambda auto)"
}

// Whole is the problem on all known entries. Of a checkpoint that is resumed λ is known, and λ₁ is found anew.
func (j *job) Whole() (*selection.Fitting, error) {
	if j.Open() {
		f := j.f
		if _, err := j.Choose(f.Cmd.Context(), selection.Options{Run: f.Options(nil)}); err != nil {
			return nil, err
		}
	}
	return j.Prepared.Whole()
}

// Validation names the flag that does without.
func (j *job) Validation() (*selection.Fitting, error) {
	t, err := j.Prepared.Validation()
	return t, cli.OrLambda(err)
}

// Identity names all that must be the same for a checkpoint to be continued.
func (j *job) Identity(lambda float64) string {
	return fmt.Sprintf("rpca data=%s λ=%.17g λ₁=%.17g equal=%v shape=%s columns=%s", j.Checksum, lambda, j.Prepared.L1(),
		j.Prepared.Equal(), j.f.shape, j.f.columns)
}

// Start is where a model of a matrix of this size is.
func (j *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	if m.Rows != j.Rows || m.Cols != j.Cols {
		return selection.Start{}, fmt.Errorf("%s: is a model of a %d×%d matrix; --warm takes one of %d×%d", j.f.Warm, m.Rows, m.Cols,
			j.Rows, j.Cols)
	}
	return recovery.StartOf(m), nil
}

// Answer makes the model of the low-rank part.
func (j *job) Answer(fitted *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	m, err := j.Model(fitted, r)
	if err != nil {
		panic(err) // L is of low rank
	}
	f, parts := j.f, j.PartsOf(r.State.W)
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	l1 := j.Prepared.L1()
	res.GaugeName, res.L1, res.N = "trace", &l1, len(j.Values)
	res.LossName, res.Normed = "huber", "trace norm of L"
	res.Data = fmt.Sprintf("%d entries of %d × %d", len(j.Values), j.Rows, j.Cols)
	if j.Prepared.Equal() {
		res.LossName = "absolute"
	}
	for _, line := range j.reasons() {
		res.Note(line[0], "%s", line[1])
	}
	res.Note("sparse part", "%d of %d entries, λ₁ = %.6g, ‖S‖₁ = %.6g, ‖D - L - S‖ = %.3g", len(parts.Values), len(j.Values), l1,
		parts.Norm, parts.Residual)
	said := partsSaid{Nonzeros: len(parts.Values), Norm: parts.Norm, Residual: parts.Residual, Equal: j.Prepared.Equal()}
	if noise := j.Noise(); noise != nil {
		said.Noise = &noise.Sigma
	}
	res.Parts = said
	res.Lose(j.write(parts, m))
	return m
}

// partsSaid is what is said of the parts, for scripts.
type partsSaid struct {
	Nonzeros int      `json:"sparse_nonzeros"`
	Norm     float64  `json:"sparse_norm"`
	Residual float64  `json:"residual"`
	Equal    bool     `json:"equal"`           // L + S = D
	Noise    *float64 `json:"noise,omitempty"` // its standard deviation, where λ and λ₁ were chosen by it; 0 for none
}

// reasons are why λ and λ₁ are what they are, as names and texts of lines.
func (j *job) reasons() [][2]string {
	noise := j.Noise()
	switch {
	case noise == nil && j.Prepared.Equal():
		return [][2]string{{"with", "L + S = D: small noise is in S; --lambda leaves it out of both"}}
	case noise == nil:
		return nil
	case noise.Sigma == 0:
		return [][2]string{{"noise", "none is seen beside L and S"}, {"with", "L + S = D, as by --equal"}}
	}
	text := fmt.Sprintf("σ = %.4g by %d fits: λ₁ = 3σ, and λ is about the spectral norm of D - L - S and of S cut at λ₁",
		noise.Sigma, noise.Rounds)
	if !noise.Settled {
		text += "; it had not settled"
	}
	return [][2]string{{"noise", text}}
}
