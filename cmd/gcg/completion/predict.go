package completion

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// A predictor predicts the ratings of pairs.
type predictor struct {
	columns, unknown, query, user, item string
	features                            FeatureFiles
	seen                                SeenFile
	decimal                             cli.Decimal
}

// Predictor predicts entries of a matrix by the ids of their rows and columns. One serves all problems whose models are matrices,
// so that they share its flags.
func Predictor() cli.Predictor { return &predictor{} }

func (p *predictor) Fields() cli.Fields {
	return p.features.Fields().And(p.seen.Fields()).And(cli.Fields{"columns": &p.columns, "query": &p.query, "decimal": &p.decimal,
		"unknown": &p.unknown, "user": &p.user, "item": &p.item})
}

// OverRanks is true: each rank reads and predicts some of the pairs.
func (*predictor) OverRanks() bool { return true }

func (p *predictor) Check(f *cli.PredictFlags) ([]string, error) {
	switch {
	case (p.user == "") != (p.item == ""):
		return nil, cli.Usagef("--user and --item belong together: they are one pair")
	case p.user != "" && f.Data != "":
		return nil, cli.Usagef("--data: --user and --item are one pair instead of a file of them")
	}
	if err := cli.CheckQuery(p.query, f.Data, p.seen.Name); err != nil {
		return nil, err
	}
	return append(p.features.Files(), p.seen.files()...), cli.CheckColumns(p.columns, false)
}

// pairs are those of --data, or the one of --user and --item.
func (p *predictor) pairs(ctx context.Context, f *cli.PredictFlags, m *model.Model) (*dataset.Ratings, error) {
	if p.user != "" {
		return &dataset.Ratings{Name: "--user and --item", Shape: [2]int{1, 1}, Rows: []int32{0}, Cols: []int32{0}, NoValues: true,
			RowIDs: dataset.NewIDs([]string{p.user}), ColIDs: dataset.NewIDs([]string{p.item})}, nil
	}
	if err := f.NeedData(); err != nil {
		return nil, err
	}
	by := dataset.RatingsReader{Columns: p.columns, Decimal: byte(p.decimal), ValuesOptional: true, Labels: m.TwoLabels() != nil,
		Ranks: cli.CommOf(ctx), Apart: true}
	return cli.UnlessInterrupted(ctx, func() (*dataset.Ratings, error) { return cli.ReadQueried(by, f.Data, p.query) })
}

// describe makes users and items known to a model by their features and by what was seen.
func (p *predictor) describe(ctx context.Context, m *model.Model) error {
	if err := p.features.Describe(m, m.AddRows); err != nil {
		return err
	}
	return p.seen.Describe(ctx, p.columns, p.decimal, p.query, m.AddSeen)
}

func (p *predictor) Predict(ctx context.Context, f *cli.PredictFlags, m *model.Model, out, log io.Writer) error {
	if err := p.seen.Check(m); err != nil {
		return err
	}
	r, err := p.pairs(ctx, f, m)
	if err != nil {
		return err
	}
	if err := p.describe(ctx, m); err != nil {
		return err
	}
	ranks := cli.CommOf(ctx)
	all, err := task.PredictOverRanks(ranks, m, r)
	if err != nil {
		return err
	}
	if n := ranks.Count(len(all.Values)); n > 0 && all.Unknown == n && p.unknown != "mean" {
		return fmt.Errorf("%s: none of its %d pairs is of a user and an item of %s; see --columns, or say --unknown mean", r.Name, n,
			f.Model)
	}
	if err := cli.WriteRecords(f.Output, out, all.Records()); err != nil {
		return err
	}
	e, clicks := &all.Errors, m.Info.Alpha > 0
	switch {
	case f.JSON:
		w := cli.Worth{Problem: m.Problem, Predictions: len(all.Values), Unknown: all.Unknown}
		switch {
		case all.Labels != nil:
			w.Measured = all.Labels
		case !r.NoValues && m.TwoLabels() == nil && !clicks:
			w.Measured = &task.ValueScores{RMSE: e.RMSE(), MAE: e.MAE(), N: e.N()}
		}
		return cli.PrintJSON(out, w)
	case f.Quiet:
		return nil
	case all.Unknown > 0:
		by := "the mean"
		if m.RowFeatures != nil {
			by = "what others have in common; give --user-features or --item-features of them"
			if m.RowRated != nil || m.ColRated != nil {
				by += ", or --also-seen"
			}
		}
		fmt.Fprintf(log, "%d of %d predictions are for unknown users or items: %s\n", all.Unknown, len(all.Values), by)
	}
	switch {
	case all.Strange != nil:
		fmt.Fprintf(log, "warning: %v; nothing is measured\n", all.Strange)
	case all.Labels != nil:
		fmt.Fprintf(log, "%s on %d ratings\n", cli.Brief(all.Labels.Scores()), all.Labels.N)
	case clicks:
		fmt.Fprintf(log, "%d scores of clicks; they are of no unit that ratings could be compared with\n",
			len(all.Values))
	case !r.NoValues && m.TwoLabels() == nil:
		fmt.Fprintf(log, "RMSE %s, MAE %s on %d ratings\n", cli.Decimals(e.RMSE()), cli.Decimals(e.MAE()), e.N())
	}
	return nil
}
