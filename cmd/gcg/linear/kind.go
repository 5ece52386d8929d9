// Package linear is the problems on rows of features: classification, multitask and regression.
package linear

import (
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// Kinds are the problems on rows of features.
func Kinds() []cli.Kind {
	of := func(problem string) func(*cobra.Command) cli.Loader {
		return func(c *cobra.Command) cli.Loader { return newFlags(c, problem) }
	}
	by := &predictor{}
	return []cli.Kind{{
		Name:      "classification",
		About:     "classes of rows of features: multinomial logistic loss, trace norm",
		Data:      "--train digits.libsvm",
		Flags:     of("classification"),
		Example:   map[string]string{"fit": "--intercept --split 0.75"},
		Predictor: by,
	}, {
		Name:      "multitask",
		About:     "related tasks on the same features: squared or logistic loss, trace norm",
		Data:      "--train school.csv --task task --target y --intercept",
		Flags:     of("multitask"),
		Example:   map[string]string{"fit": "--split 0.75"},
		Predictor: by,
	}, {
		Name:      "regression",
		About:     "numbers from rows of features: squared loss, ℓ1 or group norm",
		Data:      "--features X.csv --targets y.csv",
		Flags:     of("regression"),
		Example:   map[string]string{"fit": "--intercept --gauge group"},
		Predictor: by,
	}}
}
