// Command gcg fits sparse and low-rank models with a certificate.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// version is set by the release build.
var version = "0.1.0"

// A usageError is the caller's wording, not the data: exit code 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute returns the exit code: 0 done, 1 the data or the numbers do not allow it, 2 wrong usage.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	root := rootCommand()
	results := &checkedWriter{w: out}
	root.SetArgs(args)
	root.SetOut(results)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if results.err != nil { // a full disk must not look like success, whoever printed
		err = fmt.Errorf("standard output: not written: %w", results.err)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(errs, "gcg: "+oneLine(interruption(err)))
	var usage usageError
	if errors.As(err, &usage) {
		return 2
	}
	return 1
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
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	if len(text) <= head+tail {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + " … " + strings.ToValidUTF8(text[len(text)-tail:], "")
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "gcg",
		Short: "Sparse and low-rank models with a certificate",
		Long: `gcg minimises a smooth convex loss plus a gauge (the trace norm and others) by generalized
conditional gradient methods, and says how far from the optimum the answer can be at most.`,
		Example: `  gcg fit completion                                   a built-in dataset
  gcg fit completion --train ratings.csv --model my.gcg  your own
  gcg recommend --model my.gcg --user 42 --top 10`,
		Version:           version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownVerb(args[0])
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{flagError(cmd, err)} })
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpTemplate(helpTemplate)
	root.SetVersionTemplate("gcg {{.Version}}\n")
	cobra.EnableCommandSorting = false             // they stand in the order of use
	root.CompletionOptions.HiddenDefaultCmd = true // its name is that of a problem
	root.AddCommand(fitVerb.command(), pathVerb.command(), cvVerb.command(), predictCommand(), recommendCommand(), showCommand(),
		checkVerb.command(), polarCommand(), dataCommand(), reportCommand(), versionCommand())
	return root
}

func unknownVerb(word string) error {
	return usagef("unknown verb %q; there are fit, path, cv, predict, recommend, show, check, polar, data, report and version", word)
}

// flagError says what a flag takes where its value does not parse, and which flag there is where there is none.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		return unknownFlag(cmd, missing)
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	allowed := map[string]string{"int": "a whole number", "uint64": "a whole number, not negative", "float64": "a finite number",
		"bool": "true or false", "duration": "a time, such as 20s or 5m"}
	f := invalid.GetFlag()
	return fmt.Errorf("--%s %q: %s", f.Name, invalid.GetValue(), allowed[f.Value.Type()])
}

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), "gcg", version)
			return nil
		}}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes flags only, not %q; see gcg help %s", cmd.CommandPath(), args[0],
			strings.TrimPrefix(cmd.CommandPath(), "gcg "))
	}
	return nil
}

// problemArg sees the words that are no PROBLEM.
func problemArg(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s takes a problem: %s", cmd.CommandPath(), problemNames())
	}
	return usagef("unknown problem %q; there are %s", args[0], problemNames())
}

func problemNames() string {
	all := kinds()
	names := all[0].name
	for _, k := range all[1 : len(all)-1] {
		names += ", " + k.name
	}
	return names + " and " + all[len(all)-1].name
}
