package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/linear"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

type summary struct {
	Problem   string     `json:"problem"`
	Rows      int        `json:"rows"`
	Cols      int        `json:"cols"`
	Rank      *int       `json:"rank,omitempty"` // where W is of factors
	Spectrum  []float64  `json:"singular_values,omitempty"`
	Global    *float64   `json:"global,omitempty"` // of ratings
	Clip      []float64  `json:"clip,omitempty"`
	Nonzeros  *int       `json:"nonzeros,omitempty"` // where W is sparse
	Outputs   []string   `json:"outputs,omitempty"`
	Intercept []float64  `json:"intercept,omitempty"`
	Fill      []float64  `json:"fill,omitempty"` // what stands in for each feature that is missing
	Info      model.Info `json:"info"`
}

func showCommand() *cobra.Command {
	var file string
	var asJSON, weights bool
	cmd := &cobra.Command{
		Use:   "show --model FILE",
		Short: "What is in a model",
		Example: `  gcg show --model my.gcg
  gcg show --model my.gcg --weights > weights.csv`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return cli.Usagef("gcg show needs --model")
			}
			m, err := cli.UnlessInterrupted(cmd.Context(), func() (*model.Model, error) { return model.Load(file) })
			if err != nil {
				return err
			}
			switch {
			case weights && m.Problem == "completion":
				return cli.Usagef("--weights: %s has factors of ratings, not weights of features", file)
			case weights && asJSON:
				return cli.Usagef("--weights: writes CSV, not JSON")
			case weights:
				return m.Weights().WriteCSV(printable.Data(cmd.OutOrStdout()))
			}
			s := summary{Problem: m.Problem, Rows: m.Rows, Cols: m.Cols, Info: m.Info}
			if m.Problem == "completion" {
				s.Global = &m.Global
			} else {
				s.Outputs, s.Intercept, s.Fill = m.ColIDs, m.ColOffset, m.Fill
			}
			if m.Entries != nil {
				n := len(m.Entries.Values)
				s.Nonzeros = &n
			} else {
				s.Rank, s.Spectrum = &m.Rank, m.S
			}
			if m.Clip {
				s.Clip = []float64{m.Lo, m.Hi}
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), s)
			}
			m.Name()
			out, flush := printable.Wrapped(cmd.OutOrStdout())
			return errors.Join(s.print(out, m, showOf(m.Problem)), flush())
		},
	}
	cli.Bind(cmd, cmd.Name(), "", cli.Fields{"model": &file, "json": &asJSON, "weights": &weights})
	return cmd
}

// showOf is what a PROBLEM shows of its models, or nil.
func showOf(problem string) func(io.Writer, *model.Model) error {
	for _, k := range kinds() {
		if k.Name == problem {
			return k.Show
		}
	}
	return nil
}

// print is what is in a model, for people; own, which may be nil, prints what is not the objective.
func (s *summary) print(out io.Writer, m *model.Model, own func(io.Writer, *model.Model) error) error {
	onFeatures := m.Problem != "completion"
	small := fmt.Sprintf("rank %d", m.Rank)
	if s.Nonzeros != nil {
		small = fmt.Sprintf("%d nonzeros", *s.Nonzeros)
	}
	fmt.Fprintf(out, "%s, %d × %d, %s\n", s.Problem, s.Rows, s.Cols, small)
	fmt.Fprintf(out, "fitted on    %s (%d observations, %s)\n", printable.Name(m.Info.Data), m.Info.Observations, m.Info.Checksum)
	if onFeatures {
		fmt.Fprintf(out, "with         %s, %s loss (%s), gauge %s%s, seed %d\n",
			strength(m.Info), m.Info.Loss, m.Info.Normalize, m.Info.Gauge, extras(m.Info), m.Info.Seed)
	} else {
		fmt.Fprintf(out, "with         %s, loss is a %s, center %s, weights %s, seed %d\n",
			strength(m.Info), m.Info.Normalize, m.Info.Center, m.Info.Weights, m.Info.Seed)
	}
	bound := "no lower bound"
	if m.Info.LowerBound != nil && m.Info.RelativeGap != nil {
		bound = fmt.Sprintf("lower bound %.10g, relative gap %.2g", *m.Info.LowerBound, *m.Info.RelativeGap)
	}
	fmt.Fprintf(out, "objective    %.10g, %s (%s)\n", m.Info.Objective, bound, m.Info.Status)
	if two := m.TwoLabels(); two != nil && (!onFeatures || len(m.Info.Labels) > 0) {
		fmt.Fprintf(out, "labels       %s is the negative one, and predictions are of %s; %s loss, global centre %.6g\n",
			printable.Name(two[0]), printable.Name(two[1]), m.Info.Loss, m.Global)
	} else if !onFeatures && m.Info.Loss != "" {
		fmt.Fprintf(out, "loss         %s\n", m.Info.Loss)
	}
	printLists(out, m)
	if m.Clip {
		fmt.Fprintf(out, "predictions  clipped to [%g, %g], global centre %.6g\n", m.Lo, m.Hi, m.Global)
	}
	for _, of := range []struct {
		what string
		has  bool
		by   *model.Features
	}{{"users", m.DescribesUsers(), m.RowFeatures}, {"items", m.DescribesItems(), m.ColFeatures}} {
		if of.has {
			fmt.Fprintf(out, "features     of %s: %s\n", of.what, namedFeatures(of.by.Encoding.Names()))
		}
	}
	if own != nil {
		return own(out, m)
	}
	if onFeatures {
		printOutputs(out, m)
	}
	if m.Entries != nil {
		printFeatures(out, m)
		return nil
	}
	fmt.Fprint(out, "spectrum    ")
	for i, x := range m.S {
		if i == 12 {
			fmt.Fprintf(out, " … %.4g", m.S[len(m.S)-1])
			break
		}
		fmt.Fprintf(out, " %.4g", x)
	}
	_, err := fmt.Fprintln(out)
	return err
}

// printLists says which lists of what was rated are features.
func printLists(out io.Writer, m *model.Model) {
	if m.Info.Rated != "" {
		text := "lists of what was rated, of " + m.Info.Rated
		if n := m.Info.AlsoSeen; n > 0 {
			text += fmt.Sprintf(", and of %d pairs that were also seen", n)
		}
		fmt.Fprintf(out, "rated        %s, weight %v\n", text, m.Info.FeatureWeight)
	}
}

// namedFeatures are the first names, without that of the constant.
func namedFeatures(names []string) string {
	names = names[:len(names)-1]
	const most = 12 // fill a line
	if len(names) <= most {
		return printable.Join(names, ", ")
	}
	return fmt.Sprintf("%s, … (%d)", printable.Join(names[:most], ", "), len(names))
}

// strength is λ or ζ.
func strength(i model.Info) string {
	if i.Zeta > 0 {
		return fmt.Sprintf("constrain %.6g", i.Zeta)
	}
	text := fmt.Sprintf("lambda %.6g, %s penalty", i.Lambda, i.Penalty)
	if i.Ridge > 0 {
		text += fmt.Sprintf(", ridge %.6g", i.Ridge)
	}
	return text
}

// extras are what was fitted beside the weights, and in which units.
func extras(i model.Info) string {
	text := linear.WithIntercept(i.Intercept)
	if i.Standardized {
		text += ", standardized"
	}
	return text
}

// mostShown is how many outputs or features show lists.
const mostShown = 12

// printOutputs says what is predicted, and what stands in for features that are missing.
func printOutputs(out io.Writer, m *model.Model) {
	if m.Fill != nil {
		fmt.Fprintln(out, "missing      features that are missing are filled by the means of the training rows")
	}
	names := m.ColIDs
	fmt.Fprint(out, "outputs     ")
	for j, n := range names[:min(len(names), mostShown)] {
		fmt.Fprintf(out, " %s", printable.Name(n))
		if m.ColOffset != nil {
			fmt.Fprintf(out, " (intercept %.4g)", m.ColOffset[j])
		}
	}
	if len(names) > mostShown {
		fmt.Fprintf(out, " … %d in all", len(names))
	}
	fmt.Fprintln(out)
}

// printFeatures lists the features with the largest coefficients, which are for features as they are given. Of standardized ones
// the largest is that which a standard deviation of its feature changes most by.
func printFeatures(out io.Writer, m *model.Model) {
	e, names := m.Entries, m.RowIDs
	size := make([]float64, m.Rows) // Σ |W_ij| of a feature
	for t, i := range e.Rows {
		size[i] += math.Abs(e.Values[t])
	}
	order := make([]int, m.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	l, weights := m.Linear(), make([]float64, m.Cols)
	fmt.Fprint(out, "features    ")
	for k, i := range order {
		if size[i] == 0 || k == mostShown {
			break
		}
		value := 0.0
		if l.WeightsTo(weights, i); m.Cols == 1 {
			value = weights[0]
		} else {
			for _, w := range weights {
				value += math.Abs(w)
			}
		}
		fmt.Fprintf(out, " %s (%.4g)", printable.Name(names[i]), value)
	}
	if m.Info.Standardized {
		fmt.Fprint(out, "; weights of features as they are, the largest per standard deviation first")
	}
	fmt.Fprintln(out)
}
