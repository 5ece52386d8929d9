// Command gcg fits sparse and low-rank models with a certificate.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/completion"
	_ "github.com/seed-b18ef778/gcg/cmd/gcg/early" // before the others
	"github.com/seed-b18ef778/gcg/cmd/gcg/reproduce"
	"github.com/seed-b18ef778/gcg/dataset"
	_ "github.com/seed-b18ef778/gcg/dataset/parquet" // tables of this format are read wherever tables are
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func main() {
	job := begin()
	os.Exit(as(job, untilSignalled(), os.Args[1:]))
}

// execute returns the exit code: 0 done, 1 the data or the numbers do not allow it, 2 wrong usage, 3 the gap was to be reached
// and was not, 130, 143 and 129 a signal came before there was something to keep.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	root := rootCommand(args)
	results := &checkedWriter{w: out}
	root.SetArgs(args)
	text := printable.NewWriter(results, !isTerminal(out)) // a terminal would obey what stands in data, too
	text.Width = widthOf(out)
	said := printable.NewWriter(errs, false)
	said.Width = widthOf(errs)
	root.SetOut(text)
	root.SetErr(said)
	dataset.Notify(func(text string) { printable.Line(said, "note: "+text) })
	within, done := untilExhausted(ctx)
	defer done()
	if r := cli.RanksOf(within); r != nil {
		within = r.Within(within)
	}
	err := errors.Join(root.ExecuteContext(within), text.Flush(), said.Flush())
	var exhausted exhaustedError
	switch {
	case results.err != nil: // a full disk must not look like success, whoever printed
		err = fmt.Errorf("standard output: not written: %w", results.err)
	case errors.As(context.Cause(within), &exhausted):
		err = exhausted
	}
	if err != nil {
		printable.Line(said, "gcg: "+oneLine(cli.Interruption(err)))
	}
	if code := signalCode(ctx); code != 0 && err != nil { // else what was found is printed and kept
		return code
	}
	var usage cli.UsageError
	var open cli.OpenError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return 2
	case errors.As(err, &open):
		return 3
	}
	return 1
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf is how many columns a terminal has, and 0 for what is none.
func widthOf(out io.Writer) int {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	}
	return 0
}

// A checkedWriter remembers the first error.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(b)
	if p, ok := err.(*os.PathError); ok {
		err = p.Err
	}
	c.err = err
	return n, err
}

// oneLine is an error in one line, of which the middle is left out where a field of the data makes it long.
func oneLine(err error) string {
	const head, tail = 600, 300
	text := strings.ReplaceAll(cli.ErrorText(err), "\n", " ")
	if len(text) <= head+tail {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + " … " + strings.ToValidUTF8(text[len(text)-tail:], "")
}

// rootCommand is gcg with the verb and the PROBLEM that args begin with, or else with all of them: thousands of flags would
// take most of the time of a short command.
func rootCommand(args []string) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "gcg",
		Short: "Sparse and low-rank models with a certificate",
		Long: `gcg minimises a smooth convex loss plus a gauge (the trace norm and others) by generalized
conditional gradient methods, and says how far from the optimum the answer can be at most.`,
		Example: `  gcg fit completion                                   a built-in dataset
  gcg fit completion --train ratings.csv --model my.gcg  your own
  gcg recommend --model my.gcg --user 42 --top 10`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(refuseEmpty(cmd, args), checkRanks(cmd)); err != nil {
				return err
			}
			warnUnkept(cmd, cmd.OutOrStdout())
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case version:
				return printVersion(cmd)
			case len(args) > 0:
				return unknownVerb(args[0])
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.Usage(cli.FlagError(cmd, err)) })
	root.SetHelpCommand(helpCommand(root))
	cli.Bind(root, root.Name(), "", cli.Fields{"version": &version})
	root.SetHelpFunc(help)
	root.CompletionOptions.HiddenDefaultCmd = true // its name is that of a problem
	only, problem := begins(args)
	for _, v := range verbs(problem) {
		if only == "" || v.name == only {
			root.AddCommand(v.command())
		}
	}
	return root
}

func init() {
	cobra.EnableCommandSorting = false // verbs and flags stand in the order of use
}

// begins is the verb that args begin with and the PROBLEM that follows; each is empty where none is named.
func begins(args []string) (verb, problem string) {
	isVerb := func(v namedVerb) bool { return len(args) > 0 && v.name == args[0] }
	if !slices.ContainsFunc(verbs(""), isVerb) {
		return "", ""
	}
	isProblem := func(k cli.Kind) bool { return len(args) > 1 && k.Name == args[1] }
	if slices.ContainsFunc(kinds(), isProblem) {
		problem = args[1]
	}
	return args[0], problem
}

// A namedVerb is a verb that is made when it is needed.
type namedVerb struct {
	name    string
	command func() *cobra.Command
}

// verbs are those of gcg, in the order of the help. Those over problems have only the one that is named, or all where none is.
func verbs(problem string) []namedVerb {
	all := kinds()
	of := func(command func(kinds []cli.Kind, only string) *cobra.Command) func() *cobra.Command {
		return func() *cobra.Command { return command(all, problem) }
	}
	return []namedVerb{{"fit", of(cli.FitVerb.Command)}, {"path", of(cli.PathVerb.Command)}, {"cv", of(cli.CVVerb.Command)},
		{"update", completion.UpdateCommand},
		{"predict", func() *cobra.Command { return cli.PredictCommand(all, predictExamples) }},
		{"recommend", recommendCommand}, {"similar", similarCommand}, {"serve", serveCommand}, {"show", showCommand},
		{"export", exportCommand}, {"check", of(cli.CheckVerb.Command)}, {"polar", polarCommand},
		{"compare", of(cli.CompareCommand)}, {"reproduce", reproduce.Command}, {"data", dataCommand},
		{"report", reportCommand}, {"version", versionCommand}}
}

func unknownVerb(word string) error {
	var names []string
	for _, v := range verbs("") {
		names = append(names, v.name)
	}
	last := len(names) - 1
	return cli.Usagef("unknown verb %q; there are %s and %s", word, strings.Join(names[:last], ", "), names[last])
}

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) }}
}

func printVersion(cmd *cobra.Command) error {
	fmt.Fprintln(cmd.OutOrStdout(), "gcg", cli.Version)
	return nil
}

const predictExamples = `  gcg predict --model my.gcg --data pairs.csv > predictions.csv
  gcg predict --model my.gcg --data test.csv --output predictions.csv --json
  gcg predict --model digits.gcg --data test.libsvm         labels with probabilities; accuracy if the labels are known
  gcg predict --model digits.gcg --data X.csv --labels y.csv`
