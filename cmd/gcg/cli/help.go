package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns is the width that descriptions of flags are wrapped to.
const helpColumns = 110

// flagGroups are the flags of fit, path, cv and check by what they are for, in the order of the help. Flags that stand nowhere
// are of the data.
var flagGroups = []struct{ title, names string }{
	{"What most people need", "train covariance features graph view labels targets task target data test split lambda nonzeros " +
		"components model output check solvers quiet help"},
	{"The data", ""},
	{"The problem", "loss penalty gauge constrain normalize intercept standardize center weights clip " +
		"feature-weight l1 equal radius unit-norm"},
	{"Choosing λ", "lambda-ratio points ratio folds by select valid valid-features valid-labels valid-targets seed"},
	{"Output", "json plot against ranking confusion verbose denoised low-rank sparse sheet links top picture image-size " +
		"image-order trace live checkpoint checkpoint-every resume"},
	{"How long and how exact", "tol require-converged max-time max-iter max-rank warm threads float32 exact-certificate"},
	{"For those who compare solvers", "solver improve step atoms inner-steps as-printed generate"},
}

// GroupedFlags is the help of a command's flags: in groups where it is a verb of a PROBLEM.
func GroupedFlags(cmd *cobra.Command) string {
	all := cmd.LocalFlags()
	if all.Lookup("lambda") == nil {
		return "Flags:\n" + all.FlagUsagesWrapped(helpColumns)
	}
	var b strings.Builder
	for _, g := range flagGroups {
		part := pflag.NewFlagSet("", pflag.ContinueOnError)
		part.SortFlags = false
		all.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && (Contains(g.names, f.Name) || g.names == "" && !grouped(f.Name)) {
				part.AddFlag(f)
			}
		})
		if part.HasFlags() {
			b.WriteString(g.title + ":\n" + part.FlagUsagesWrapped(helpColumns) + "\n")
		}
	}
	return b.String()
}

// grouped says that a flag stands in a group by its name.
func grouped(name string) bool {
	for _, g := range flagGroups {
		if Contains(g.names, name) {
			return true
		}
	}
	return false
}
