package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flag has one row, and each row is a flag of some command.
func TestFlagsAreDefinedOnce(t *testing.T) {
	used := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			used[f.Name] = true
			row := func(row cli.Flag) bool { return row.Name == f.Name }
			if f.Name != "help" && f.Name != "version" && !slices.ContainsFunc(cli.Flags, row) {
				t.Errorf("%s --%s: has no row in cli.Flags", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand(nil))
	seen := map[string]bool{}
	for _, row := range cli.Flags {
		if seen[row.Name] || !used[row.Name] {
			t.Errorf("--%s: has two rows, or no command", row.Name)
		}
		seen[row.Name] = true
	}
}

// A command line makes the command that it names alone, and that is the one among all.
func TestCommandIsMadeAlone(t *testing.T) {
	flags := func(cmd *cobra.Command) (list []pflag.Flag) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			list = append(list, pflag.Flag{Name: f.Name, Usage: f.Usage, DefValue: f.DefValue, Hidden: f.Hidden})
		})
		return list
	}
	all := rootCommand(nil)
	for _, args := range [][]string{{"fit", "rpca"}, {"compare", "completion"}, {"predict", "--model"}, {"path"}, {"data", "get"}} {
		alone := rootCommand(args)
		if n := len(alone.Commands()); n != 1 {
			t.Errorf("%v: %d verbs are made, not one", args, n)
		}
		if n := len(alone.Commands()[0].Commands()); len(args) > 1 && args[0] != "predict" && args[0] != "data" && n != 1 {
			t.Errorf("%v: %d problems are made, not one", args, n)
		}
		a, _, errA := alone.Find(args)
		b, _, errB := all.Find(args)
		if errA != nil || errB != nil || a.CommandPath() != b.CommandPath() || !reflect.DeepEqual(flags(a), flags(b)) {
			t.Errorf("%v: alone it is %s, among all %s (%v, %v)", args, a.CommandPath(), b.CommandPath(), errA, errB)
		}
	}
	for _, args := range [][]string{{}, {"help", "fit"}, {"fits"}, {"--version"}} {
		if got, want := len(rootCommand(args).Commands()), len(all.Commands()); got != want {
			t.Errorf("%v: %d verbs of %d", args, got, want)
		}
	}
}

// of are other values than the usual ones of the flags that some solvers read.
var of = map[string]string{"step": "open-loop", "atoms": "3", "improve": "local", "max-rank": "2", "inner-steps": "5",
	"as-printed": "true"}

// methodWith is the solver that flags lead to, on a small problem, after they are read.
func methodWith(t *testing.T, k cli.Kind, args ...string) (method, improver any) {
	t.Helper()
	cmd := &cobra.Command{}
	f := k.Flags(cmd)
	cli.Bind(cmd, "fit", k.Name, f.Fields())
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewIdentity(4, 3)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: make([]float64, 12)}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 1}}
	m, im := f.Shared().MethodOf(p)
	return m, im
}

// Each flag of solvers × each PROBLEM × each solver: either it changes the solver, and the table says so, or it is refused by
// name.
func TestNoSolverIgnoresAFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, row := range cli.Flags {
		if row.Solvers != "" && of[row.Name] == "" {
			t.Errorf("--%s: the test has no value of it", row.Name)
		}
	}
	for _, k := range kinds() {
		if k.Flags == nil { // which has a table of solvers of its own, without such flags
			continue
		}
		for _, word := range cli.SolversOf(cli.FitVerb.Command([]cli.Kind{k, k}, "").Commands()[0].Flags()) {
			for name, value := range of {
				flag := "--" + name + "=" + value
				seen, there := visible(k, name)
				if !there {
					continue
				}
				m, im := methodWith(t, k, "--solver="+word, "--improve=none")
				m2, im2 := methodWith(t, k, "--solver="+word, "--improve=none", flag)
				reads := seen && (!reflect.DeepEqual(m, m2) || !reflect.DeepEqual(im, im2))
				args := append([]string{"fit", k.Name}, strings.Fields(dataFor(k, word))...)
				_, errs, code := command(t, append(args, "--lambda=1", "--solver="+word, flag)...)
				refused := code == 2 && strings.Contains(errs, "--"+name) && strings.Count(errs, "\n") == 1
				if reads == refused {
					t.Errorf("fit %s --solver %s %s: changes the solver: %v; exit %d, %q", k.Name, word, flag, reads, code, errs)
				}
			}
		}
	}
}

// dataFor is what a solver is for, of files that do not exist: flags are checked before anything is read.
func dataFor(k cli.Kind, solver string) string {
	switch {
	case k.Name == "regression" && (solver == "structured" || solver == "hcgs"):
		return k.Data + " --penalty=fused:1"
	case k.Name == "regression":
		return k.Data + " --gauge=trace" // which has a rank
	case k.Name == "recovery" && !cli.Contains("hcgs gfb ipd", solver):
		return "--train entries.csv"
	}
	if solver == "ialm" {
		return k.Data + " --equal"
	}
	return k.Data
}

// visible says that gcg fit has a flag for a PROBLEM, and shows it in the help.
func visible(k cli.Kind, name string) (seen, there bool) {
	cmd := &cobra.Command{}
	cli.Bind(cmd, "fit", k.Name, k.Flags(cmd).Fields())
	f := cmd.Flags().Lookup(name)
	return f != nil && !f.Hidden, f != nil
}

func TestStepRulesThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"--constrain 3 --step quadratic-bound": "--step quadratic-bound: is of a penalty",
		"--lambda 3 --step constant":           "--step constant: is of a horizon, which --max-iter gives",
	} {
		_, errs, code := command(t, strings.Fields("fit completion --train r "+args)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
	}
}
