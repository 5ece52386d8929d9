package main

import (
	"encoding/json"
	"fmt"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

type summary struct {
	Problem  string     `json:"problem"`
	Rows     int        `json:"rows"`
	Cols     int        `json:"cols"`
	Rank     int        `json:"rank"`
	Spectrum []float64  `json:"singular_values"`
	Global   float64    `json:"global"`
	Clip     []float64  `json:"clip,omitempty"`
	Info     model.Info `json:"info"`
}

func showCommand() *cobra.Command {
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show --model FILE",
		Short:   "What is in a model",
		Example: `  gcg show --model my.gcg`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("gcg show needs --model")
			}
			m, err := model.Load(file)
			if err != nil {
				return err
			}
			s := summary{m.Problem, m.Rows, m.Cols, m.Rank, m.S, m.Global, nil, m.Info}
			if m.Clip {
				s.Clip = []float64{m.Lo, m.Hi}
			}
			out := cmd.OutOrStdout()
			if asJSON {
				b, err := json.Marshal(s)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(out, "%s\n", b)
				return err
			}
			fmt.Fprintf(out, "%s, %d × %d, rank %d\n", s.Problem, s.Rows, s.Cols, s.Rank)
			fmt.Fprintf(out, "fitted on    %s (%d observations, %s)\n", m.Info.Data, m.Info.Observations, m.Info.Checksum)
			fmt.Fprintf(out, "with         lambda %.6g, %s penalty, loss is a %s, center %s, weights %s, seed %d\n", m.Info.Lambda, m.Info.Penalty, m.Info.Normalize, m.Info.Center, m.Info.Weights, m.Info.Seed)
			bound := "no lower bound"
			if m.Info.LowerBound != nil && m.Info.RelativeGap != nil {
				bound = fmt.Sprintf("lower bound %.10g, relative gap %.2g", *m.Info.LowerBound, *m.Info.RelativeGap)
			}
			fmt.Fprintf(out, "objective    %.10g, %s (%s)\n", m.Info.Objective, bound, m.Info.Status)
			if m.Clip {
				fmt.Fprintf(out, "predictions  clipped to [%g, %g], global centre %.6g\n", m.Lo, m.Hi, m.Global)
			}
			fmt.Fprint(out, "spectrum    ")
			for i, x := range m.S {
				if i == 12 {
					fmt.Fprintf(out, " … %.4g", m.S[len(m.S)-1])
					break
				}
				fmt.Fprintf(out, " %.4g", x)
			}
			fmt.Fprintln(out)
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "model", "", "a fitted model")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
