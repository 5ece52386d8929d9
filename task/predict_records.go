package task

import (
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/decimal"
)

// Records are the predictions of the rows: the label and the probabilities or scores of all classes; or the task and the
// prediction, none of a task that the model does not know; or one for each target, with a probability or a score beside a label.
func (p *Predictions) Records() dataset.Records {
	return dataset.Records{Fields: p.fields(), Rows: func(yield func([]dataset.Cell, error) bool) {
		var cells []dataset.Cell
		for i := range p.Samples.Rows() {
			if cells = p.cells(cells[:0], i); !yield(cells, nil) {
				return
			}
		}
	}}
}

// cells appends those of row i.
func (p *Predictions) cells(to []dataset.Cell, i int) []dataset.Cell {
	row := p.Row(i)
	switch {
	case p.of.Schema.Kind == Classification:
		to = append(to, dataset.Cell{Text: p.Class(i)})
		if p.of.Loss.Probabilities() {
			row = p.Probabilities(i)
		}
		for _, v := range row {
			to = append(to, dataset.Cell{Number: v})
		}
	case p.Samples.Task != nil:
		to = append(to, dataset.Cell{Text: p.rows.Tasks[p.rows.Task[i]]})
		if t := p.Samples.Task[i]; t >= 0 {
			return p.sign(to, row[t])
		}
		to = append(to, dataset.Cell{Null: true})
		if p.of.Loss.Signs() {
			to = append(to, dataset.Cell{Null: true})
		}
	default:
		for _, v := range row {
			to = p.sign(to, v)
		}
	}
	return to
}

// fields are the columns of the predictions.
func (p *Predictions) fields() (all []dataset.Field) {
	number := func(name string) dataset.Field {
		return dataset.Field{Name: name, Kind: dataset.NumberField, Text: decimal.Number, Null: p.Samples.Task != nil}
	}
	names := p.of.Schema.Outputs
	if p.of.Schema.Kind == Classification {
		all = append(all, dataset.Field{Name: "label"})
		for _, n := range names {
			all = append(all, number(n))
		}
		return all
	}
	if len(names) == 1 || p.Samples.Task != nil {
		names = []string{"prediction"}
	}
	if p.Samples.Task != nil {
		all = append(all, dataset.Field{Name: "task"})
	}
	for _, n := range names {
		if !p.of.Loss.Signs() {
			all = append(all, number(n))
			continue
		}
		extra := "score"
		if p.of.Loss.Probabilities() {
			extra = "probability"
		}
		if len(names) > 1 {
			extra = n + "_" + extra
		}
		all = append(all, dataset.Field{Name: n, Null: p.Samples.Task != nil}, number(extra))
	}
	return all
}

// sign appends a number; or a label with the probability of 1, or its score.
func (p *Predictions) sign(to []dataset.Cell, z float64) []dataset.Cell {
	if !p.of.Loss.Signs() {
		return append(to, dataset.Cell{Number: p.of.Loss.Mean(z)})
	}
	label, probability := p.of.Label(z)
	if p.of.Loss.Probabilities() {
		z = probability
	}
	return append(to, dataset.Cell{Text: label}, dataset.Cell{Number: z})
}
