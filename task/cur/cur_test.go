package cur_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	task "github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
	"gonum.org/v1/gonum/mat"
)

// prepared is a task whose data nothing is wrong with.
func prepared(t *testing.T, c *cur.Task) *cur.Prepared {
	t.Helper()
	p, err := c.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fitted is D of a rank and noise, and the solution at a part of λ_max.
func fitted(t *testing.T, p, q int, unit bool) (*cur.Prepared, *task.Solution) {
	t.Helper()
	d := &dataset.Matrix{Rows: p, Cols: q, Dense: testproblem.FactorMatrix(4, p, q, 4)}
	c := prepared(t, &cur.Task{D: d, Name: "D", UnitNorm: unit})
	s, err := task.Solve(context.Background(), c, task.Options{LambdaRatio: 0.1, Run: solver.Options{Tol: 1e-7}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Result.Status != solver.Converged {
		t.Fatalf("%s", s.Result.Status)
	}
	return c, s
}

// The objective is that of D itself, as a product of matrices, for wide and for tall D; Dᵀ has the same with rows for columns.
func TestObjectiveIsOfD(t *testing.T) {
	for _, size := range [][2]int{{12, 25}, {25, 12}} {
		c, s := fitted(t, size[0], size[1], false)
		d := mat.NewDense(size[0], size[1], c.Dense())
		m := c.Model(s.Fitting, s.Result)
		if cert := s.Result.State.Cert; m.Info.Objective != cert.Objective || m.Info.Status != string(s.Result.Status) {
			t.Errorf("the model says %+v, and the run %+v", m.Info, cert)
		}
		w := mat.NewDense(m.Rows, m.Cols, nil)
		for e, v := range m.Entries.Values {
			w.Set(int(m.Entries.Rows[e]), int(m.Entries.Cols[e]), v)
		}
		var rest mat.Dense
		rest.Product(d, w, d)
		rest.Sub(d, &rest)
		var kappa float64
		for i := range m.Rows {
			kappa += mat.Norm(w.RowView(i), math.Inf(1))
		}
		for j := range m.Cols {
			kappa += mat.Norm(w.ColView(j), math.Inf(1))
		}
		f := math.Pow(mat.Norm(&rest, 2), 2)/2 + s.Lambda*kappa
		if got := s.Result.State.Cert.Objective; math.Abs(got-f) > 1e-9*f {
			t.Errorf("%v: F is %v, of the matrices %v", size, got, f)
		}
		r, saved := c.Ranking(s.Result.State), cur.RankingOf(m)
		if len(r.Rows) == 0 || len(r.Rows) != len(saved.Rows) || len(r.Columns) != len(saved.Columns) ||
			r.Rows[0].Level != saved.Rows[0].Level || r.Columns[0].Level != saved.Columns[0].Level {
			t.Errorf("%v: the ranking of the model begins with %v and %v, that of W with %v and %v", size, saved.Rows[0],
				saved.Columns[0], r.Rows[0], r.Columns[0])
		}
		for k := 1; k < len(r.Columns); k++ {
			if r.Columns[k].Level > r.Columns[k-1].Level && r.Columns[k].Explained == r.Columns[k-1].Explained {
				t.Errorf("%v: column %d weighs more than the one before", size, k)
			}
		}
	}
}

// C U R is the best for its rows and columns, the error of all of them is 0, and greedy ones are not beaten by single exchanges
// at one column.
func TestErrors(t *testing.T) {
	c, s := fitted(t, 8, 20, true)
	r := c.Ranking(s.Result.State)
	x, err := c.CUR(cur.Top(r.Rows, 3), cur.Top(r.Columns, 4))
	if err != nil {
		t.Fatal(err)
	}
	e := c.ErrorOf("", x)
	before := e.CUR
	x.U.Set(0, 0, x.U.At(0, 0)*1.001+1e-3)
	if after := c.ErrorOf("", x); !(after.CUR > before) || e.CUR < e.Rows || e.CUR < e.Columns {
		t.Errorf("errors %+v, and %v with another U", e, after.CUR)
	}
	others, err := c.Others(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	best := others[len(others)-1]
	for _, o := range append(others, e) {
		if o.Columns < best.Columns-1e-9 || o.Rows < best.Rows-1e-9 || o.CUR < best.CUR-1e-9 {
			t.Errorf("%+v is below the best rank, %+v", o, best)
		}
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	if x, err = c.CUR(all, append(all, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)); err != nil || c.ErrorOf("", x).CUR > 1e-8 {
		t.Errorf("all rows and columns: %v, %v", c.ErrorOf("", x), err)
	}
	if _, err := c.CUR(nil, all); err == nil {
		t.Error("an empty selection is taken")
	}
}

// The chosen λ has as many rows and columns, and the one before fewer. Without time it is the first, and says so.
func TestChoose(t *testing.T) {
	load := func(rows, columns int) *cur.Task {
		return &cur.Task{D: &dataset.Matrix{Rows: 12, Cols: 25, Dense: testproblem.FactorMatrix(9, 12, 25, 3)}, Name: "D", Rows: rows,
			Columns: columns}
	}
	c := load(5, 9)
	var counts [][2]int
	c.Visit = func(_ float64, rows, columns int) { counts = append(counts, [2]int{rows, columns}) }
	p := prepared(t, c)
	choice, err := p.Choose(context.Background(), selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Ranking(&gcg.State{W: choice.Start.W})
	if !(choice.Lambda > 0) || len(r.Rows) < 5 || len(r.Columns) < 9 || choice.Curve.CutShort != "" {
		t.Errorf("λ = %v has %d rows and %d columns, %s", choice.Lambda, len(r.Rows), len(r.Columns), choice.Curve.CutShort)
	}
	for i, n := range counts {
		if enough := n[0] >= 5 && n[1] >= 9; enough != (i == len(counts)-1) {
			t.Errorf("λ %d of %d has %v", i+1, len(counts), n)
		}
	}
	hurried, err := prepared(t, load(12, 25)).Choose(context.Background(), selection.Options{Run: solver.Options{MaxTime: 1}})
	if err != nil || hurried.Curve.CutShort != solver.MaxTime || !(hurried.Lambda > choice.Lambda) {
		t.Errorf("without time: %+v, %v", hurried, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c = load(12, 25)
	c.Visit = func(float64, int, int) { cancel() }
	cut, err := prepared(t, c).Choose(ctx, selection.Options{})
	if !errors.Is(err, context.Canceled) || cut.Curve.CutShort != solver.Interrupted {
		t.Errorf("interrupted: %+v, %v", cut, err)
	}
	if _, err := load(13, 1).Prepare(); err == nil ||
		!strings.Contains(err.Error(), "it has 12 and 25") {
		t.Errorf("%v", err)
	}
}

func TestBadData(t *testing.T) {
	for want, d := range map[string]*dataset.Matrix{
		"row 2, column 1: is NaN": {Rows: 2, Cols: 2, Dense: []float64{1, 2, math.NaN(), 1}},
		"is +Inf":                 {Rows: 1, Cols: 2, Dense: []float64{1, math.Inf(1)}},
		"all numbers are 0":       {Rows: 1, Cols: 2, Dense: []float64{0, 0}},
		"needs rows and columns":  {},
		"UnitNorm":                {Rows: 1, Cols: 2, Dense: []float64{1e100, 1}},
	} {
		if _, err := (&cur.Task{D: d, Name: "D"}).Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	c := prepared(t, &cur.Task{Name: "D",
		D: &dataset.Matrix{Rows: 2, Cols: 3, Dense: []float64{1, 1, 1, 1, 2, 3}, Names: []string{"a", "b", "c"}}})
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0].String(),
		"1 row is constant (1 first); 1 column is constant (a first)") {
		t.Errorf("%v", w)
	}
	if _, err := c.Validation(); err != cur.ErrWhole {
		t.Errorf("%v", err)
	}
}
