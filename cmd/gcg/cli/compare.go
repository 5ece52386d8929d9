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
	Bind(cmd, cmdCompare, k.Name, Fields{"solvers": &c.solvers, "plot": &c.plot, "against": &c.against})
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
		names = SolversOf(c.shared)
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

// SolversOf are the words of --solver among some flags.
func SolversOf(s *pflag.FlagSet) []string { return s.Lookup("solver").Annotations[solverWords] }
