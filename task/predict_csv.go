package task

import (
	"encoding/csv"
	"io"

	"github.com/seed-b18ef778/gcg/metric"
)

// WriteCSV writes a line for each row under a header: the label and the probabilities or scores of all classes; or the task and
// the prediction; or one for each target, with a probability or a score beside each label.
func (p *Predictions) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	header := p.header()
	w.Write(header)
	for i := range p.Samples.Rows() {
		row := p.Row(i)
		var fields []string
		switch {
		case p.of.Schema.Kind == Classification:
			fields = append(fields, p.Class(i))
			if p.of.Loss.Probabilities() {
				row = p.Probabilities(i)
			}
			for _, v := range row {
				fields = append(fields, metric.Number(v))
			}
		case p.Samples.Task != nil:
			fields = make([]string, len(header)) // those of an unknown task stay empty
			fields[0] = p.rows.Tasks[p.rows.Task[i]]
			if t := p.Samples.Task[i]; t >= 0 {
				copy(fields[1:], p.sign(row[t]))
			}
		default:
			for _, v := range row {
				fields = append(fields, p.sign(v)...)
			}
		}
		w.Write(fields)
	}
	w.Flush()
	return w.Error()
}

func (p *Predictions) header() []string {
	if p.of.Schema.Kind == Classification {
		return append([]string{"label"}, p.of.Schema.Outputs...)
	}
	names := p.of.Schema.Outputs
	if len(names) == 1 || p.Samples.Task != nil {
		names = []string{"prediction"}
	}
	var all []string
	if p.Samples.Task != nil {
		all = []string{"task"}
	}
	for _, n := range names {
		all = append(all, n)
		if p.of.Loss.Signs() {
			extra := "score"
			if p.of.Loss.Probabilities() {
				extra = "probability"
			}
			if len(names) > 1 {
				extra = n + "_" + extra
			}
			all = append(all, extra)
		}
	}
	return all
}

// sign is a number; or a label with the probability of 1, or its score.
func (p *Predictions) sign(z float64) []string {
	if !p.of.Loss.Signs() {
		return []string{metric.Number(z)}
	}
	label, probability := p.of.Label(z)
	if p.of.Loss.Probabilities() {
		return []string{label, metric.Number(probability)}
	}
	return []string{label, metric.Number(z)}
}
