package rpca

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/recovery"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
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
	f    *flags
	read time.Duration
}

// Load reads the matrix or its entries.
func (f *flags) Load() (cli.Job, error) {
	j, start := &job{Task: f.task(), f: f}, time.Now()
	read := j.readMatrix
	if f.train != "" {
		read = j.readEntries
	}
	if err := read(); err != nil {
		return nil, err
	}
	if lambda, auto, _ := f.LambdaValue(); !auto && lambda > 0 {
		j.SetLambda(lambda)
	}
	j.read = time.Since(start)
	return j, nil
}

// readMatrix reads a whole D.
func (j *job) readMatrix() error {
	x, err := dataset.ReadMatrix(j.f.features, nil)
	if err != nil {
		return err
	}
	x.Densify()
	j.Name, j.Rows, j.Cols, j.Values = j.f.features, x.Rows, x.Cols, x.Dense
	j.Checksum = (&task.Samples{X: x}).Checksum()
	if len(x.Names) == x.Cols {
		j.ColIDs = x.Names
	}
	return nil
}

// readEntries reads some entries of D.
func (j *job) readEntries() error {
	r, err := dataset.RatingsReader{Columns: j.f.columns}.ReadRatings(j.f.train)
	if err != nil {
		return err
	}
	t := &entries.Task{Train: r}
	if j.f.shape != "" {
		t.Shape, _ = recovery.Shape(j.f.shape)
	}
	if err := t.Load(); err != nil {
		return err
	}
	s, err := t.Train.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return err
	}
	j.Name, j.Checksum, j.Rows, j.Cols = r.Name, r.Checksum, s.M, s.N
	j.Ptr, j.Index, j.Values = s.Ptr, s.Cols, s.Values
	j.RowIDs, j.ColIDs = t.Train.RowIDs.Texts(), t.Train.ColIDs.Texts()
	return nil
}

func (j *job) Shared() *cli.RunFlags { return &j.f.RunFlags }

func (j *job) Noun() string { return "entries" }

func (j *job) Greet(*cli.Progress) {}

func (j *job) Release() {}

func (j *job) Choosing() string {
	return "choosing λ by a path on 90 % of the entries, with --l1 as it is (--lambda auto)"
}

// Validation names the flag that does without.
func (j *job) Validation() (*selection.Fitting, error) {
	t, err := j.Task.Validation()
	return t, cli.OrLambda(err)
}

// Identity names all that must be the same for a checkpoint to be continued.
func (j *job) Identity(lambda float64) string {
	return fmt.Sprintf("rpca data=%s λ=%.17g λ₁=%.17g equal=%v shape=%s columns=%s", j.Checksum, lambda, j.L1, j.Equal, j.f.shape,
		j.f.columns)
}

// Start is where a model of a matrix of this size is.
func (j *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	if m.Rows != j.Rows || m.Cols != j.Cols {
		return selection.Start{}, fmt.Errorf("%s: is a model of a %d×%d matrix; --warm takes one of %d×%d", j.f.Warm, m.Rows, m.Cols,
			j.Rows, j.Cols)
	}
	return recovery.StartOf(m), nil
}

// Answer makes the model of the low-rank part, and writes both parts.
func (j *job) Answer(_ *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	fit, err := j.Fitting()
	if err != nil {
		panic(err) // it was made before
	}
	m, err := fit.Model(r)
	if err != nil {
		panic(err) // L is of low rank
	}
	f, parts := j.f, fit.PartsOf(r.State.W)
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	l1 := fit.L1()
	res.Read, res.GaugeName, res.L1, res.N = j.read.Seconds(), "trace", &l1, len(j.Values)
	res.LossName, res.Normed = "huber", "trace norm of L"
	if j.Equal {
		res.LossName = "absolute"
	}
	res.Data = fmt.Sprintf("%d entries of %d × %d", len(j.Values), j.Rows, j.Cols)
	res.Note("sparse part", "%d of %d entries, λ₁ = %.6g, ‖S‖₁ = %.6g, ‖D - L - S‖ = %.3g", len(parts.Values), len(j.Values), l1,
		parts.Norm, parts.Residual)
	res.Parts = struct {
		Nonzeros int     `json:"sparse_nonzeros"`
		Norm     float64 `json:"sparse_norm"`
		Residual float64 `json:"residual"`
	}{len(parts.Values), parts.Norm, parts.Residual}
	for _, part := range []struct {
		name  string
		write func(io.Writer) error
	}{{f.lowRank, func(w io.Writer) error { return writeDense(w, parts.LowRank, j.Cols) }},
		{f.sparse, func(w io.Writer) error { return writeSparse(w, parts, m.RowIDs, m.ColIDs) }}} {
		if part.name != "" {
			if err := atomicfile.Write(part.name, part.write); err != nil {
				res.Lose(err)
			}
		}
	}
	return m
}

// writeDense writes a row-major matrix as CSV without a header.
func writeDense(out io.Writer, x []float64, n int) error {
	w := bufio.NewWriter(out)
	var line []byte
	for i := 0; i < len(x); i += n {
		line = line[:0]
		for c, v := range x[i : i+n] {
			if c > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeSparse writes the entries of S as CSV of row, column and value.
func writeSparse(out io.Writer, p *rpca.Parts, rows, cols []string) error {
	w := csv.NewWriter(out)
	w.Write([]string{"row", "column", "value"})
	for e, v := range p.Values {
		w.Write([]string{rows[p.Rows[e]], cols[p.Cols[e]], strconv.FormatFloat(v, 'g', -1, 64)})
	}
	w.Flush()
	return w.Error()
}
