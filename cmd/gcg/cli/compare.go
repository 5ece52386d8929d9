package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	compareTime  = "20s"  // of --max-time, for each solver, where none is given: most problems are solved by then
	compareRatio = "0.05" // of --lambda-ratio where nothing says what λ is
)

// solverWords is the annotation of --solver that gcg compare reads.
const solverWords = "words"

// SolverWords says which words --solver takes.
func SolverWords(s *pflag.FlagSet, words []string) {
	words = slices.DeleteFunc(words, func(w string) bool { return w == "r1d" }) // atomdescent
	s.Lookup("solver").Annotations = map[string][]string{solverWords: words}
}

// A comparison is gcg compare for one PROBLEM: a fit by each solver, with the flags that they share.
type comparison struct {
	kind    Kind
	shared  *pflag.FlagSet
	solvers []string
	repeat  int
	format  string
	plot    string
	against string // an axis of the plot
}

// An entrant is what one solver did.
type entrant struct {
	run experiment.Run
	sum struct {
		Status      string   `json:"status"`
		Lambda      *float64 `json:"lambda"`
		Objective   float64  `json:"objective"`
		RelativeGap *float64 `json:"relative_gap"`
		Iterations  int      `json:"iterations"`
		Gradients   int      `json:"gradients"`
		Polars      int      `json:"polars"`
		Seconds     float64  `json:"seconds"`
	}
	result json.RawMessage // of the last repetition
}

// CompareCommand is gcg compare.
func CompareCommand(kinds []Kind, only string) *cobra.Command {
	return overProblems(cmdCompare, "Several solvers on one problem: one table and one plot", kinds, only, compareOf)
}

// compareOf is gcg compare for one PROBLEM.
func compareOf(k Kind) *cobra.Command {
	c := &comparison{kind: k, shared: FitVerb.sub(k).Flags()}
	cmd := &cobra.Command{Use: k.Name + " [flags]", Short: k.About, Args: NoArgs,
		Long: "Several solvers on one problem: what each did, how long it took until its objective was within relative gaps of 0.1,\n" +
			"0.01 and so on to --tol above the best lower bound of all, and a plot. Each starts from W = 0. The data are read once,\n" +
			"which is not counted. Each solver may take " + compareTime + ", or --max-time; one that fails or that memory does not\n" +
			"suffice for costs its own row.\n" + k.Name + ": " + k.About,
		Example: "  gcg compare " + k.Name + " " + k.Data + " --plot convergence.svg"}
	Bind(cmd, cmdCompare, k.Name, Fields{"solvers": &c.solvers, "repeat": &c.repeat, "format": &c.format, "plot": &c.plot,
		"against": &c.against})
	c.share(cmd.Flags())
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return Usage(FlagError(cmd, err)) })
	cmd.RunE = c.run
	return cmd
}

// cmdCompare is the name of the verb.
const cmdCompare = "compare"

// share adds the flags of gcg fit, in the words of gcg compare. Those that it refuses are hidden.
func (c *comparison) share(s *pflag.FlagSet) {
	here := place{cmdCompare, c.kind.Name}
	c.shared.VisitAll(func(f *pflag.Flag) {
		row := flagNamed(f.Name)
		if row == nil || s.Lookup(f.Name) != nil {
			return
		}
		u, _ := row.at(here)
		if u.Doc != "" {
			f.Usage = u.Doc
		}
		f.Hidden = f.Hidden || row.why(here) != ""
		s.AddFlag(f)
	})
	s.Lookup("lambda").DefValue = ""
}

// run is the whole verb.
func (c *comparison) run(cmd *cobra.Command, _ []string) error {
	if l := c.shared.Lookup("lambda"); l.Changed && l.Value.String() == "auto" {
		return Usagef("--lambda auto: solvers are compared on one problem; give λ, --lambda-ratio or --constrain")
	}
	args, err := c.arguments()
	if err != nil {
		return err
	}
	all, err := c.entrants(cmd, args)
	if err != nil {
		return err
	}
	if err := c.print(cmd.OutOrStdout(), all); err != nil || c.plot == "" {
		return err
	}
	var traces []report.Trace
	for _, e := range all {
		if e.run.Err == nil {
			traces = append(traces, report.Trace{Name: e.run.Solver, Points: e.run.Points(), Run: e.run.Traces[0].Run})
		}
	}
	return ToOutput(c.plot, nil, func(w io.Writer) error {
		return report.Convergence(w, PlotFormat(c.plot), report.Axis(c.against), traces)
	})
}

// entrants solves by every solver. Those that are not for the problem are left out where none is named; the rest has the λ of the
// first that solved. A solver that fails has its error in its place, unless all do.
func (c *comparison) entrants(cmd *cobra.Command, args []string) ([]*entrant, error) {
	folder, err := os.MkdirTemp("", "gcg-compare-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	names, quiet := c.solvers, c.shared.Lookup("quiet").Changed
	if len(names) == 0 {
		names = SolversOf(c.shared)
	}
	say := func(format string, a ...any) {
		if !quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", a...)
		}
	}
	var all []*entrant
	var first error
	data, solved := &sharedData{}, 0
	for _, name := range names {
		e := &entrant{run: experiment.Run{Solver: name}}
		for k := 0; k < max(c.repeat, 1) && e.run.Err == nil; k++ {
			e.run.Err = c.solve(cmd, e, data, args, filepath.Join(folder, strconv.Itoa(len(all))))
		}
		if usage := new(UsageError); errors.As(e.run.Err, usage) {
			if len(c.solvers) > 0 || solved == 0 && data.job == nil && len(all) == 0 && c.kind.Own == nil && !c.ofSolver(e.run.Err) {
				return nil, e.run.Err
			}
			say("%s is left out: %v", name, e.run.Err)
			first = cmp.Or(first, e.run.Err)
			continue
		}
		all = append(all, e)
		switch {
		case e.run.Err != nil && data.job == nil && c.kind.Own == nil:
			return nil, e.run.Err // of the data
		case e.run.Err != nil:
			say("%s: %v", name, e.run.Err)
			first = cmp.Or(first, e.run.Err)
		default:
			say("%s: %s after %.2f s", name, e.sum.Status, e.sum.Seconds)
			if solved++; solved == 1 && e.sum.Lambda != nil {
				args = append(without(args, "--lambda-ratio="), "--lambda="+strconv.FormatFloat(*e.sum.Lambda, 'g', -1, 64))
			}
		}
		if cmd.Context().Err() != nil {
			break
		}
	}
	if solved == 0 {
		return nil, cmp.Or(first, cmd.Context().Err())
	}
	return all, nil
}

// ofSolver says that an error names the solver, so that others may be for the problem.
func (c *comparison) ofSolver(err error) bool { return strings.Contains(err.Error(), "--solver ") }

// arguments are those of every fit.
func (c *comparison) arguments() ([]string, error) {
	args := []string{"--json", "--quiet"}
	c.shared.VisitAll(func(f *pflag.Flag) {
		list, many := f.Value.(pflag.SliceValue)
		switch {
		case !f.Changed || f.Name == "json" || f.Name == "quiet":
		case many:
			for _, x := range list.GetSlice() {
				args = append(args, "--"+f.Name+"="+x)
			}
		default:
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	if !c.shared.Lookup("max-time").Changed {
		args = append(args, "--max-time="+compareTime)
	}
	given := func(name string) bool { f := c.shared.Lookup(name); return f != nil && f.Changed }
	if !given("lambda") && !given("lambda-ratio") && !given("constrain") && !given("nonzeros") {
		args = append(args, "--lambda-ratio="+compareRatio)
	}
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasSuffix(a, "=-") }); i >= 0 {
		return nil, Usagef("%s: every solver reads the data, and standard input can be read once; give a file",
			strings.TrimSuffix(args[i], "=-"))
	}
	return args, nil
}

// without leaves out what begins so.
func without(args []string, begin string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, begin) })
}

// solve is gcg fit by one solver, once. The trace goes to a file of its own.
func (c *comparison) solve(cmd *cobra.Command, e *entrant, data *sharedData, args []string, trace string) error {
	words := strings.Split(e.run.Solver, ":")
	args = append(slices.Clone(args), "--solver="+words[0], "--trace="+trace)
	for _, w := range words[1:] {
		flag := "--step="
		if Contains("auto none corrective local proximal", w) {
			flag = "--improve="
		}
		args = append(args, flag+w)
	}
	var out bytes.Buffer
	root, fit := &cobra.Command{Use: "gcg", SilenceErrors: true, SilenceUsage: true}, &cobra.Command{Use: "compare"}
	root.AddCommand(fit)
	fit.AddCommand(FitVerb.sub(c.kind))
	root.SetArgs(append([]string{fit.Use, c.kind.Name}, args...))
	root.SetOut(&out)
	root.SetErr(cmd.ErrOrStderr())
	ctx, done := withinMemory(context.WithValue(cmd.Context(), sharedKey{}, data))
	defer done()
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	e.result = bytes.TrimSpace(out.Bytes())
	if err := json.Unmarshal(e.result, &e.sum); err != nil {
		return err
	}
	if ctx.Err() != nil && cmd.Context().Err() == nil {
		e.sum.Status = "out_of_memory"
	}
	f, err := os.Open(trace)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := report.ReadTrace(f, e.run.Solver)
	if err == nil {
		e.run.Traces = append(e.run.Traces, t)
	}
	return err
}

// sharedData is what the first fit of a comparison has read: its Job, or the matrix of a command without one.
type sharedData struct {
	job    Job
	matrix *dataset.Matrix
}

type sharedKey struct{}

// A Sharing is a Job whose data serve the same fit by another solver, whose flags are given; nil where they do not.
type Sharing interface{ For(Loader) (Job, error) }

// loadOnce is f.Load, or the data of the fit before in a comparison.
func loadOnce(ctx context.Context, f Loader) (Job, error) {
	data, _ := ctx.Value(sharedKey{}).(*sharedData)
	if data == nil {
		return timed(f)
	}
	if s, is := data.job.(Sharing); is {
		if job, err := s.For(f); job != nil || err != nil {
			return job, err
		}
	}
	job, err := timed(f)
	if err == nil {
		data.job = job
	}
	return job, err
}

// timed is f.Load, and keeps how long it took.
func timed(f Loader) (Job, error) {
	start := time.Now()
	job, err := f.Load()
	f.Shared().reading = time.Since(start)
	return job, err
}

// ReadOnce reads the matrix of a command that has no Job, or takes that of the fit before in a comparison. It may not be changed.
func ReadOnce(ctx context.Context, read func() (*dataset.Matrix, error)) (*dataset.Matrix, error) {
	data, _ := ctx.Value(sharedKey{}).(*sharedData)
	if data == nil {
		return read()
	}
	var err error
	if data.matrix == nil {
		data.matrix, err = read()
	}
	return data.matrix, err
}

const (
	// mostMemory is the part of the memory at which a solver of a comparison is ended: below that at which the process is.
	mostMemory = 0.85
	// memoryEvery is short beside the time in which a step fills memory, and costs a system call.
	memoryEvery = 50 * time.Millisecond
)

// withinMemory is a context that ends before the memory does, so that one solver does not end the others.
func withinMemory(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		t := time.NewTicker(memoryEvery)
		defer t.Stop()
		for {
			select {
			case <-ended:
				return
			case <-t.C:
				if memory.InUse() > mostMemory {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, func() {
		close(ended)
		if cancel(); ctx.Err() != nil && memory.InUse() > mostMemory/2 {
			debug.FreeOSMemory()
		}
	}
}

// SolversOf are the words of --solver among some flags.
func SolversOf(s *pflag.FlagSet) []string { return s.Lookup("solver").Annotations[solverWords] }
