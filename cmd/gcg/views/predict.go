package views

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/model"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// A predictor finds codes of samples, and predicts views and labels from them.
type predictor struct {
	views, denoised []string
	want            string
	images          cli.ImageFlags
	labels          string
	table           cli.TableFlags
}

func (p *predictor) Fields() cli.Fields {
	return p.images.Fields().And(p.table.Fields()).And(cli.Fields{"view": &p.views, "predict": &p.want,
		"denoised": &p.denoised, "labels": &p.labels})
}

func (*predictor) OverRanks() bool { return false }

func (p *predictor) Check(*cli.PredictFlags) (reads []string, err error) {
	for _, text := range p.denoised {
		if err := p.images.Check(text[strings.IndexByte(text, '=')+1:]); err != nil {
			return nil, err
		}
	}
	for _, text := range p.views {
		reads = append(reads, text[strings.IndexByte(text, '=')+1:])
	}
	return reads, nil
}

func (p *predictor) Predict(ctx context.Context, f *cli.PredictFlags, m *model.Model, out, log io.Writer) error {
	e, err := multiview.NewEncoder(m)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Model, err)
	}
	if p.labels != "" && e.Labels() < 0 {
		return cli.Usagef("--labels: %s is a model without labels; fit with --labels", f.Model)
	}
	if f.Data != "" {
		return cli.Usagef("--data: %s is a model of multiview, whose samples are given by --view FILE", f.Model)
	}
	names := viewNames(e)
	files, err := p.filesOf(names)
	if err != nil {
		return err
	}
	denoised, err := outputsOf(p.denoised, names)
	if err != nil {
		return err
	}
	want, err := p.wanted(e, names, files)
	if err != nil {
		return err
	}
	if err := p.checkFiles(f, files, denoised); err != nil {
		return err
	}
	codes, given, err := p.encode(ctx, e, files)
	if err != nil {
		return err
	}
	measured, err := p.measure(e, codes) // before anything is written: the labels may be of no use
	if err != nil {
		return err
	}
	if err := p.write(e, f, want, codes, rowNames(given), out); err != nil {
		return err
	}
	for _, o := range denoised {
		if err := p.images.Write(o.file, withRowNames(e.Predict(o.view, codes), rowNames(given)), given[o.view]); err != nil {
			return err
		}
	}
	switch {
	case f.JSON:
		worth := cli.Worth{Problem: "multiview", Predictions: codes.Rows}
		if measured != nil {
			worth.Unknown, worth.Measured = measured.Unknown, measured
		}
		return cli.PrintJSON(out, worth)
	case measured != nil && !f.Quiet:
		printMeasure(log, measured)
	}
	return nil
}

// measure is what the labels are worth where --labels has the true ones, or nil.
func (p *predictor) measure(e *multiview.Encoder, codes *dataset.Matrix) (*multiview.LabelMeasure, error) {
	if p.labels == "" {
		return nil, nil
	}
	return e.MeasureLabels(p.labels, codes)
}

// filesOf are the files of the views that are given.
func (p *predictor) filesOf(names []string) ([]viewFile, error) {
	if len(p.views) == 0 {
		return nil, cli.Usagef("gcg predict needs a view of the samples: --view FILE")
	}
	var files []viewFile
	for i, text := range p.views {
		view, file, one := strings.Cut(text, "=")
		at := i
		if one {
			var err error
			if at, err = placeOf("view", text, view, names, false); err != nil {
				return nil, err
			}
		} else {
			file = text
		}
		if at >= len(names) {
			return nil, cli.Usagef("--view %q: the model has %d views", text, len(names))
		}
		for _, other := range files {
			if other.view == at {
				return nil, cli.Usagef("--view %q: view %d is given twice", text, at+1)
			}
		}
		files = append(files, viewFile{at, file})
	}
	return files, nil
}

// wantCodes is what is predicted where it is no view.
const wantCodes = -1

// wanted is the view to predict, or wantCodes.
func (p *predictor) wanted(e *multiview.Encoder, names []string, files []viewFile) (int, error) {
	labels := e.Labels()
	switch {
	case p.want == "codes":
		return wantCodes, nil
	case p.want == "labels" && labels < 0:
		return 0, cli.Usagef("--predict labels: the model has none; fit with --labels")
	case p.want == "labels" || p.want == "" && labels >= 0:
		return labels, nil
	case p.want != "":
		return placeOf("predict", p.want, p.want, names, false)
	}
	has := map[int]bool{}
	for _, o := range files {
		has[o.view] = true
	}
	for v := range names {
		if !has[v] {
			return v, nil
		}
	}
	return wantCodes, nil
}

// checkFiles refuses what cannot be written.
func (p *predictor) checkFiles(f *cli.PredictFlags, files, denoised []viewFile) error {
	reads := []string{f.Model}
	for _, o := range files {
		reads = append(reads, o.file)
	}
	var writes []string
	if f.Output != "-" {
		writes = append(writes, f.Output)
	}
	for _, o := range denoised {
		writes = append(writes, o.file)
	}
	return cli.CheckArrays(reads, writes...)
}

// encode reads the views and finds the codes; given has the data of each view, or nil.
func (p *predictor) encode(ctx context.Context, e *multiview.Encoder, files []viewFile) (codes *dataset.Matrix,
	given map[int]*dataset.Matrix, err error) {
	var all []multiview.Given
	given = map[int]*dataset.Matrix{}
	codes, err = cli.UnlessInterrupted(ctx, func() (*dataset.Matrix, error) {
		for _, o := range files {
			x, err := p.table.Reader().ReadIncomplete(o.file, nil)
			if err != nil {
				return nil, err
			}
			given[o.view] = x
			all = append(all, multiview.Given{View: o.view, Name: dataset.Called(o.file), X: x})
		}
		return e.Codes(all)
	})
	return codes, given, err
}

// write writes what was asked for.
func (p *predictor) write(e *multiview.Encoder, f *cli.PredictFlags, want int, codes *dataset.Matrix, names []string,
	out io.Writer) error {
	switch {
	case want != wantCodes && want == e.Labels():
		return cli.WriteRecords(f.Output, out, labelRecords(e, codes))
	case want != wantCodes:
		codes = e.Predict(want, codes)
	}
	return cli.WriteRecords(f.Output, out, output.Records(withRowNames(codes, names)))
}

// rowNames are those of the samples, in the first view that has some, or nil.
func rowNames(given map[int]*dataset.Matrix) []string {
	for _, v := range slices.Sorted(maps.Keys(given)) {
		if names := given[v].RowNames; names != nil {
			return names
		}
	}
	return nil
}

// withRowNames is a matrix of the samples with their names.
func withRowNames(x *dataset.Matrix, names []string) *dataset.Matrix {
	y := *x
	y.RowNames = names
	return &y
}

// labelRecords are the predicted classes, or labels, with their scores: probabilities of the logistic loss.
func labelRecords(e *multiview.Encoder, codes *dataset.Matrix) dataset.Records {
	about := e.Views()[e.Labels()]
	scores := e.Predict(e.Labels(), codes)
	var fields []dataset.Field
	var classes []string
	if about.Classes {
		classes = e.Classes(codes)
		fields = append(fields, dataset.Field{Name: "label"})
	}
	for _, name := range about.Outputs[len(about.Outputs)-about.Features:] {
		fields = append(fields, dataset.Field{Name: name, Kind: dataset.NumberField, Text: cli.Decimals})
	}
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		var cells []dataset.Cell
		for i := range codes.Rows {
			cells = cells[:0]
			if classes != nil {
				cells = append(cells, dataset.Cell{Text: classes[i]})
			}
			for _, x := range scores.Dense[i*scores.Cols : (i+1)*scores.Cols] {
				cells = append(cells, dataset.Cell{Number: x})
			}
			if !yield(cells, nil) {
				return
			}
		}
	}}
}
