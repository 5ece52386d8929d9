package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	compareTime  = "20s"  // of --max-time, for each solver, where none is given: most problems are solved by then
	compareRatio = "0.05" // of --lambda-ratio where nothing says what λ is
)

// ofOneAnswer are flags of fit that gcg compare sets itself, that choose λ, or that are for one answer.
var ofOneAnswer = []string{"solver", "improve", "step", "model", "trace", "live", "checkpoint", "checkpoint-every", "resume",
	"warm", "require-converged", "verbose", "plot", "help", "points", "ratio", "valid", "valid-features", "valid-labels",
	"valid-targets", "ranking", "confusion", "test"}

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
	plot    string
	against string // an axis of the plot
}

// An entrant is what one solver did. To is the time at which its certified relative gap was first at most 0.1, 0.01 and so on.
type entrant struct {
	Solver string             `json:"solver"`
	To     map[string]float64 `json:"seconds_to"`
	Result json.RawMessage    `json:"result"`
	trace  report.Trace
	sum    struct {
		Status      string   `json:"status"`
		Lambda      *float64 `json:"lambda"`
		Objective   float64  `json:"objective"`
		RelativeGap *float64 `json:"relative_gap"`
		Iterations  int      `json:"iterations"`
		Gradients   int      `json:"gradients"`
		Polars      int      `json:"polars"`
		Seconds     float64  `json:"seconds"`
	}
}

// CompareCommand is gcg compare.
func CompareCommand(kinds []Kind) *cobra.Command {
	return overProblems("compare", "Several solvers on one problem: one table and one plot", kinds, compareOf)
}

// compareOf is gcg compare for one PROBLEM.
func compareOf(k Kind) *cobra.Command {
	c := &comparison{kind: k, shared: FitVerb.sub(k).Flags()}
	cmd := &cobra.Command{Use: k.Name + " [flags]", Short: k.About, Args: NoArgs,
		Long: "Several solvers on one problem: what each did, how long it took to certified relative gaps of 0.1, 0.01 and so on\n" +
			"to --tol, and a plot. Each starts from W = 0, and reading is not counted.\n" + k.Name + ": " + k.About,
		Example: "  gcg compare " + k.Name + " " + k.Data + " --plot convergence.svg"}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringSliceVar(&c.solvers, "solvers", nil, "words of --solver of gcg fit, with those of --improve and --step behind them "+
		"where they are not the usual ones, as gcg:none:open-loop (default: all that are for the problem)")
	c.shared.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(ofOneAnswer, f.Name) {
			s.AddFlag(f)
		}
	})
	l := s.Lookup("lambda")
	l.Usage, l.DefValue = "weight λ of the penalty; where nothing says what it is, --lambda-ratio "+compareRatio, ""
	s.Lookup("max-time").Usage = "stop each solver after this time; reading is not counted (default " + compareTime + ")"
	s.StringVar(&c.plot, "plot", "", "draw the convergence of all to this file: .svg, .png or .pdf")
	s.StringVar(&c.against, "against", string(report.Seconds), "the axis of work of --plot: seconds, gradients or polars")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return Usage(FlagError(cmd, err)) })
	cmd.RunE = c.run
	return cmd
}

// run is the whole verb.
func (c *comparison) run(cmd *cobra.Command, _ []string) error {
	if format := PlotFormat(c.plot); c.plot != "" && !Contains("svg png pdf", format) {
		return Usagef("--plot %q: a file that ends in .svg, .png or .pdf", c.plot)
	}
	if !Contains("seconds gradients polars", c.against) {
		return Usagef("--against %q: seconds, gradients or polars", c.against)
	}
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
	if c.shared.Lookup("json").Changed {
		err = PrintJSON(cmd.OutOrStdout(), all)
	} else {
		err = c.print(cmd.OutOrStdout(), all)
	}
	if err != nil || c.plot == "" {
		return err
	}
	traces := make([]report.Trace, len(all))
	for i, e := range all {
		traces[i] = e.trace
	}
	return ToOutput(c.plot, nil, func(w io.Writer) error {
		return report.Convergence(w, PlotFormat(c.plot), report.Axis(c.against), traces)
	})
}

// entrants solves by every solver. Those that are not for the problem are left out where none is named; the rest has the λ of the
// first.
func (c *comparison) entrants(cmd *cobra.Command, args []string) ([]*entrant, error) {
	folder, err := os.MkdirTemp("", "gcg-compare-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	names, quiet := c.solvers, c.shared.Lookup("quiet").Changed
	if len(names) == 0 {
		names = c.shared.Lookup("solver").Annotations[solverWords]
	}
	var all []*entrant
	for i, name := range names {
		e, err := c.solve(cmd, name, args, filepath.Join(folder, strconv.Itoa(i)))
		if usage := new(UsageError); len(c.solvers) == 0 && len(all) > 0 && errors.As(err, usage) {
			if !quiet {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s is left out: %v\n", name, err)
			}
			continue
		}
		if err != nil && i == 0 { // of the problem, more likely than of the solver
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if all = append(all, e); !quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s after %.2f s\n", name, e.sum.Status, e.sum.Seconds)
		}
		if i == 0 && e.sum.Lambda != nil {
			args = append(without(args, "--lambda-ratio="), "--lambda="+strconv.FormatFloat(*e.sum.Lambda, 'g', -1, 64))
		}
		if cmd.Context().Err() != nil {
			break
		}
	}
	return all, nil
}

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

// solve is gcg fit by one solver. The trace goes to a file of its own.
func (c *comparison) solve(cmd *cobra.Command, name string, args []string, trace string) (*entrant, error) {
	words := strings.Split(name, ":")
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
	if err := root.ExecuteContext(cmd.Context()); err != nil {
		return nil, err
	}
	e := &entrant{Solver: name, Result: bytes.TrimSpace(out.Bytes()), To: map[string]float64{}}
	if err := json.Unmarshal(e.Result, &e.sum); err != nil {
		return nil, err
	}
	f, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if e.trace, err = report.ReadTrace(f, name); err != nil {
		return nil, err
	}
	e.reached(c.gaps())
	return e, nil
}

// gaps are 0.1, 0.01 and so on to --tol.
func (c *comparison) gaps() []string {
	tol, _ := strconv.ParseFloat(c.shared.Lookup("tol").Value.String(), 64)
	var all []string
	for gap := 0.1; gap > tol*(1+1e-9) && len(all) < 5; gap /= 10 {
		all = append(all, strconv.FormatFloat(gap, 'g', 1, 64))
	}
	return append(all, strconv.FormatFloat(tol, 'g', -1, 64))
}

// reached notes when each gap was reached.
func (e *entrant) reached(gaps []string) {
	for _, word := range gaps {
		gap, _ := strconv.ParseFloat(word, 64)
		i := slices.IndexFunc(e.trace.Points, func(p report.Point) bool { return p.LowerBound != nil && p.RelativeGap <= gap })
		if i >= 0 {
			e.To[word] = e.trace.Points[i].Seconds
		}
	}
}

// print is the table.
func (c *comparison) print(out io.Writer, all []*entrant) error {
	wide := len("solver")
	for _, e := range all {
		wide = max(wide, len(e.Solver))
	}
	if l := all[0].sum.Lambda; l != nil {
		fmt.Fprintf(out, "lambda %.6g; seconds to a certified relative gap of\n", *l)
	}
	fmt.Fprintf(out, "%-*s %6s %9s %7s %14s %9s", wide, "solver", "steps", "gradients", "polars", "objective", "gap")
	for _, gap := range c.gaps() {
		fmt.Fprintf(out, " %8s", gap)
	}
	fmt.Fprintln(out, "  status")
	for _, e := range all {
		gap := "-"
		if e.sum.RelativeGap != nil {
			gap = gapText(*e.sum.RelativeGap)
		}
		fmt.Fprintf(out, "%-*s %6d %9d %7d %14.8g %9s", wide, e.Solver, e.sum.Iterations, e.sum.Gradients, e.sum.Polars,
			e.sum.Objective, gap)
		for _, gap := range c.gaps() {
			if s, met := e.To[gap]; met {
				fmt.Fprintf(out, " %8.3g", s)
			} else {
				fmt.Fprintf(out, " %8s", "-")
			}
		}
		if _, err := fmt.Fprintln(out, "  "+e.sum.Status); err != nil {
			return err
		}
	}
	return nil
}
