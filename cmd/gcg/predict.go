package main

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

func predictCommand() *cobra.Command {
	var modelFile, data, output, columns string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "predict --model FILE --data FILE",
		Short: "Predict ratings for users and items",
		Example: `  gcg predict --model my.gcg --data pairs.csv > predictions.csv
  gcg predict --model my.gcg --data test.csv --output predictions.csv`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if modelFile == "" || data == "" {
				return usagef("gcg predict needs --model and --data")
			}
			if err := checkColumns(columns); err != nil {
				return err
			}
			m, err := loadModel(modelFile)
			if err != nil {
				return err
			}
			r, err := dataset.RatingsReader{Columns: columns, ValuesOptional: true}.ReadRatings(data)
			if err != nil {
				return err
			}
			var stats predictStats
			write := func(w io.Writer) error { return stats.predict(w, m, r) }
			if err := toOutput(output, cmd.OutOrStdout(), write); err != nil {
				return err
			}
			if !quiet {
				stats.print(cmd.ErrOrStderr(), r)
			}
			return nil
		},
	}
	s := cmd.Flags()
	s.StringVar(&modelFile, "model", "", "a fitted model")
	s.StringVar(&data, "data", "", "users and items, and perhaps ratings to measure against; - is standard input")
	s.StringVar(&output, "output", "", "file to write (default: standard output)")
	s.StringVar(&columns, "columns", "", "user, item and rating columns: names, or numbers from 1")
	s.BoolVar(&quiet, "quiet", false, "print predictions only")
	return cmd
}

// toOutput writes to a file that appears only when complete, or to standard output.
func toOutput(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(out)
	}
	a, err := dataset.CreateAtomic(name)
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := write(a); err != nil {
		return fmt.Errorf("%s: not written: %w", name, err)
	}
	return a.Commit()
}

type predictStats struct {
	errors  metric.Errors
	unknown int
}

// predict writes user, item and prediction as CSV, in the order of the file.
func (st *predictStats) predict(out io.Writer, m *model.Model, r *dataset.Ratings) error {
	rows, cols := translate(r.RowIDs, m.RowIDs), translate(r.ColIDs, m.ColIDs)
	w := newCSV(out)
	w.line("user", "item", "prediction")
	for e, x := range r.Values {
		i, j := rows[r.Rows[e]], cols[r.Cols[e]]
		if i < 0 || j < 0 {
			st.unknown++
		}
		y := m.Predict(i, j)
		st.errors.Add(y, x)
		w.line(r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e])), number(y))
	}
	return w.flush()
}

func (st *predictStats) print(log io.Writer, r *dataset.Ratings) {
	if st.unknown > 0 {
		fmt.Fprintf(log, "%d of %d predictions are for unknown users or items: the centre\n", st.unknown, len(r.Values))
	}
	if !r.NoValues {
		fmt.Fprintf(log, "RMSE %.4f, MAE %.4f on %d ratings\n", st.errors.RMSE(), st.errors.MAE(), st.errors.N())
	}
}

// translate maps the ids of a file to those of a model, -1 for unknown ones.
func translate(from *dataset.IDs, to []string) []int {
	known := dataset.NewIDs(to)
	at := make([]int, from.Len())
	for i := range at {
		at[i] = int(known.Find([]byte(from.Text(i))))
	}
	return at
}

func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'g', -1, 64)
}
