package cur

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	task "github.com/seed-b18ef778/gcg/task/cur"
	"github.com/spf13/cobra"
)

// flags are those of gcg fit cur.
type flags struct {
	cli.RunFlags
	table           cli.TableFlags
	features        string
	unit            bool
	rows, columns   int
	output, picture string
}

// usualRatio is the part of λ_max that is taken where nothing says which λ: that of [Cheung15] on the gene data.
const usualRatio = 0.002

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	f.Init(cmd, "cur", methods, others)
	return f
}

// Fields are where the values of flags are kept.
func (f *flags) Fields() cli.Fields {
	return f.RunFlags.Fields().And(f.table.Fields()).And(cli.Fields{"features": &f.features, "unit-norm": &f.unit, "rows": &f.rows,
		"columns": &f.columns, "output": &f.output, "picture": &f.picture})
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

// Outputs are the files of C, U, R and their ranking, and the picture.
func (f *flags) Outputs() []string {
	if f.output == "" {
		return []string{f.picture}
	}
	return []string{f.output + columnsFile, f.output + coreFile, f.output + rowsFile, f.output + rankingFile, f.picture}
}

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	if f.features == "" {
		return cli.Usagef("%s needs --features D", f.Cmd.CommandPath())
	}
	if f.Lambda == "auto" && f.LambdaRatio == 0 && f.rows+f.columns == 0 {
		f.LambdaRatio = usualRatio
	}
	return nil
}

// A job is the selection on the user's matrix.
type job struct {
	*task.Task
	*task.Prepared
	f     *flags
	visit func(lambda float64, rows, columns int)
}

// Load reads D.
func (f *flags) Load() (cli.Job, error) {
	if err := cli.ForeseeReading(f.features); err != nil {
		return nil, err
	}
	d, err := f.table.Reader().Read(f.features, nil)
	if err != nil {
		return nil, err
	}
	if err := f.ForeseeMatrices(f.features, d.Rows, d.Cols, 6, 64); err != nil {
		return nil, err
	}
	j := &job{Task: &task.Task{D: d, Name: dataset.Called(f.features), UnitNorm: f.unit, Rows: f.rows, Columns: f.columns}, f: f}
	j.Task.Visit = func(lambda float64, rows, columns int) {
		if j.visit != nil {
			j.visit(lambda, rows, columns)
		}
	}
	if j.Prepared, err = j.Prepare(); err != nil {
		return nil, err
	}
	return j, nil
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
func (j *job) Choosing() string      { return "looking for the largest λ with so many rows and columns" }
func (j *job) Release()              {}

// Greet warns of what the data says.
func (j *job) Greet(show *cli.Progress) {
	for _, w := range j.Warnings() {
		show.Say("warning: " + j.Name + ": " + w.String())
	}
	j.visit = func(lambda float64, rows, columns int) {
		show.Step(fmt.Sprintf("λ %.4g  %d rows  %d columns", lambda, rows, columns))
	}
}
