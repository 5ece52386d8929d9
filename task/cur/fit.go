package cur

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// A Result is a fitted selection.
type Result struct {
	*task.Solution
	Ranking
	CUR      *CUR         // of Task.Rows rows and Task.Columns columns, 0 for all that W selects; nil where W is 0
	Error    Error        // what CUR leaves of D
	Model    *model.Model // of W
	Warnings []task.Warning
}

// Fit selects rows and columns at λ, or at the largest λ that selects Rows and Columns of them. Not to converge is no error.
// Errors are those of Prepare and of task.Solve; ErrWhole is that of neither λ nor numbers. [Task.Prepare] is for those who want
// more than a fit of the same data.
func (t *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	if opt.Zeta > 0 || opt.Square {
		return nil, errors.New("task: a selection of rows and columns has the penalty λκ")
	}
	p, err := t.Prepare()
	if err != nil {
		return nil, err
	}
	if t.Warm != nil {
		if opt.Run.Start, err = p.Start(t.Warm); err != nil {
			return nil, err
		}
	}
	s, cut := task.Solve(ctx, p, opt) // cut by the end of ctx, which leaves the best so far
	if s == nil {
		return nil, cut
	}
	r := &Result{Solution: s, Ranking: p.Ranking(s.Result.State), Model: p.Model(s.Fitting, s.Result)}
	r.Warnings = slices.Concat(p.Warnings(), s.Warnings)
	if len(r.Rows) == 0 || len(r.Columns) == 0 {
		return r, cut
	}
	if r.CUR, err = p.CUR(first(r.Rows, t.Rows), first(r.Columns, t.Columns)); err != nil {
		return nil, err
	}
	r.Error = p.ErrorOf("CUR", r.CUR)
	return r, cut
}

// Start is the W of a model, for the problem of the data. An error is of a model of another problem, or of another number of rows
// and columns.
func (p *Prepared) Start(m *model.Model) (*gcg.Iterate, error) {
	d := p.task.D
	if m.Problem != "cur" || m.Rows != d.Cols || m.Cols != d.Rows || m.Entries == nil {
		return nil, fmt.Errorf("%s: has %d rows and %d columns; a start is a model of cur of as many, not of %s of %d and %d",
			p.task.Name, d.Rows, d.Cols, m.Problem, m.Cols, m.Rows)
	}
	rows, cols := m.Entries.Rows, m.Entries.Cols
	if p.turned {
		rows, cols = cols, rows
	}
	w := make([]float64, p.p*p.q)
	for e, v := range m.Entries.Values {
		w[int(rows[e])*p.p+int(cols[e])] = v
	}
	start, _ := rowscolumns.Gauge{}.Split(w, p.q, p.p)
	return start, nil
}

// first are the places of the first k, or of all where k is 0.
func first(all []Chosen, k int) []int {
	if k == 0 {
		k = len(all)
	}
	return Top(all, min(k, len(all)))
}
