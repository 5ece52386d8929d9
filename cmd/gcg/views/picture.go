package views

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/model"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// mostDrawn are the components whose loadings are drawn, the first ones.
const mostDrawn = 4

// draw draws what the views share: the part of each that components explain, their loadings, and the samples.
func (j *job) draw(m *model.Model) error {
	if j.f.picture == "" {
		return nil
	}
	e, err := multiview.NewEncoder(m)
	if err != nil {
		return err
	}
	codes := e.Training()
	given, files := map[int]*dataset.Matrix{}, []string{}
	for v, view := range j.task.Views {
		given[v] = view.X
		files = append(files, filepath.Base(view.Name))
	}
	c := report.Components{Title: fmt.Sprintf("%d shared components of %s", m.Rank, strings.Join(files, ", ")), Scores: codes.Dense,
		RowNames: rowNames(given)}
	var explained []string
	for v, view := range j.task.Views {
		parts := e.Explained(v, view.X, codes)
		if parts == nil {
			continue
		}
		c.Explained = append(c.Explained, report.Explained{Name: files[v], Parts: parts})
		total := 0.0
		for _, x := range parts {
			total += x
		}
		explained = append(explained, fmt.Sprintf("%.1f %% of %s", 100*total, files[v]))
	}
	c.Subtitle = strings.Join(explained, ", ")
	if m.Info.Lambda > 0 {
		c.Subtitle += fmt.Sprintf("; λ = %.4g", m.Info.Lambda)
	}
	if m.Rank == 0 {
		c.Title, c.Subtitle = "no shared components of "+strings.Join(files, ", "), "W is 0: a smaller --lambda finds some"
		c.Scores = nil
	}
	for k := range m.Rank {
		c.Names = append(c.Names, fmt.Sprintf("component %d", k+1))
	}
	for k := range min(m.Rank, mostDrawn) {
		c.Loadings = append(c.Loadings, j.loadings(e, k))
	}
	return atomicfile.Write(j.f.picture, func(out io.Writer) error {
		return report.DrawComponents(out, cli.PlotFormat(j.f.picture), c)
	})
}

// loadings are those of a component on the features of all views, one view behind the other.
func (j *job) loadings(e *multiview.Encoder, k int) (list []report.Loading) {
	for v := range j.task.Views {
		d := e.Dictionary(v)
		for i := range d.Rows {
			name := fmt.Sprintf("%d.%d", v+1, i+1)
			if d.RowNames != nil {
				name = d.RowNames[i]
			}
			list = append(list, report.Loading{Variable: len(list), Name: name, Value: d.Dense[i*d.Cols+k]})
		}
	}
	return list
}
