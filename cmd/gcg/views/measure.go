package views

import (
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/task/views"
)

// mostClasses is how many classes have a confusion table in print; --json has it of any number.
const mostClasses = 12

// printMeasure says what predicted labels are worth.
func printMeasure(log io.Writer, m *views.LabelMeasure) {
	fmt.Fprintf(log, "measured     %s on %d labels\n", describe(m.LabelScore), m.N)
	if m.Unknown > 0 {
		fmt.Fprintf(log, "             %d are of classes that the model does not know, and count as wrong\n", m.Unknown)
	}
	for _, s := range m.Labels {
		fmt.Fprintf(log, "             %s: %s; the most frequent %s\n", s.Name, describe(s), cli.Decimals(s.MostFrequent))
	}
	for _, line := range metric.ClassTable(m.EachClass) {
		if len(m.EachClass) > 0 {
			fmt.Fprintf(log, "             %s\n", line)
		}
	}
	if n := len(m.Classes); n > 0 && n <= mostClasses {
		for _, line := range metric.ConfusionTable(m.Classes, m.Confusion) {
			fmt.Fprintf(log, "             %s\n", line)
		}
	}
	what := "the most frequent of each label"
	if m.Frequent != "" {
		what = "the most frequent class (" + m.Frequent + ")"
	}
	fmt.Fprintf(log, "baseline     %s: accuracy %s\n", what, cli.Decimals(m.MostFrequent))
	if m.Accuracy < m.MostFrequent {
		fmt.Fprintln(log, "warning      the model predicts the labels worse than that: try another λ, or a larger --weight labels=W")
	}
}

// describe is accuracy and AUC.
func describe(s views.LabelScore) string {
	text := "accuracy " + cli.Decimals(s.Accuracy)
	if s.AUC != nil {
		text += ", AUC " + cli.Decimals(*s.AUC)
	}
	return text
}
