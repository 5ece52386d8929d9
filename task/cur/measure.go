package cur

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/baseline/columns"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// An Error is what a selection C of columns and R of rows leaves of D, relative to ‖D‖.
type Error struct {
	Name    string  `json:"name"`
	Columns float64 `json:"columns"` // ‖D - C C⁺D‖
	Rows    float64 `json:"rows"`    // ‖D - D R⁺R‖
	CUR     float64 `json:"cur"`     // ‖D - C U R‖, U = C⁺D R⁺
}

// CUR are the matrices C = D_:J, R = D_I: and U = C⁺D R⁺, which is the best for these.
type CUR struct {
	I, J    []int // of rows and columns of D
	C, U, R *mat.Dense
}

// CUR is that of some rows and columns. It refuses an empty selection.
func (p *Prepared) CUR(rows, cols []int) (*CUR, error) {
	if len(rows) == 0 || len(cols) == 0 {
		return nil, fmt.Errorf("%s: no rows or columns are selected, so that there is no C U R", p.task.Name)
	}
	d := p.dense()
	c, r := mat.NewDense(p.x.Rows, len(cols), nil), mat.NewDense(len(rows), p.x.Cols, nil)
	for k, j := range cols {
		for i := range p.x.Rows {
			c.Set(i, k, d.At(i, j))
		}
	}
	for k, i := range rows {
		r.SetRow(k, d.RawRowView(i))
	}
	var cd, u mat.Dense
	cd.Mul(inverse(c), d)
	u.Mul(&cd, inverse(r))
	return &CUR{I: rows, J: cols, C: c, U: &u, R: r}, nil
}

// dense is D.
func (p *Prepared) dense() *mat.Dense { return mat.NewDense(p.x.Rows, p.x.Cols, p.x.Dense) }

// inverse is the pseudoinverse of a.
func inverse(a *mat.Dense) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return mat.DenseCopyOf(a.T())
	}
	values := svd.Values(nil)
	var u, v, scaled mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	inv := make([]float64, len(values))
	for i, s := range values {
		if s > singular*values[0] {
			inv[i] = 1 / s
		}
	}
	scaled.Mul(&v, mat.NewDiagDense(len(inv), inv))
	var x mat.Dense
	x.Mul(&scaled, u.T())
	return &x
}

// singular is the part of the largest singular value below which columns depend on others.
const singular = rounding.Decomposed

// ErrorOf is what a C U R leaves of D.
func (p *Prepared) ErrorOf(name string, x *CUR) Error {
	var cu, rest mat.Dense
	cu.Mul(x.C, x.U)
	rest.Mul(&cu, x.R)
	d := p.dense()
	rest.Sub(d, &rest)
	return Error{Name: name, Columns: columns.Error(p.matrix(), x.J), Rows: columns.Error(p.transposed(), x.I),
		CUR: mat.Norm(&rest, 2) / mat.Norm(d, 2)}
}

// Dense is D, of norm 1 with UnitNorm: its rows one after the other. It belongs to the task.
func (p *Prepared) Dense() []float64 { return p.x.Dense }

// matrix and transposed are D and Dᵀ, whose columns are selected.
func (p *Prepared) matrix() columns.Matrix {
	return columns.Matrix{P: p.x.Rows, Q: p.x.Cols, Data: p.x.Dense}
}

func (p *Prepared) transposed() columns.Matrix {
	return columns.Matrix{P: p.x.Cols, Q: p.x.Rows, Data: transposed(p.x.Dense, p.x.Rows, p.x.Cols)}
}

// A Rule chooses rows and columns without the convex problem.
type Rule string

// The rules, by cost.
const (
	Leverage Rule = "leverage" // the largest leverage scores
	QR       Rule = "qr"       // pivoted QR: of which most is left
	Greedy   Rule = "greedy"   // what lowers the error most
)

// By are rows and columns of D by a rule: as many as are asked for, or as are independent where greedy or QR find fewer. Of those
// of the same score, which Tied counts, the one that explains most beyond those before is first. The choice is the same whatever
// the order of the rows of D, but for rows that are equal. It refuses a rule of no name.
func (p *Prepared) By(rule Rule, rows, cols int) (r Ranking, err error) {
	d, turned := p.matrix(), p.transposed()
	switch rule {
	case Leverage:
		rank := min(rows, cols)
		r = Ranking{leverage(turned, rows, rank, p.byNumbers), leverage(d, cols, rank, cmp.Compare)}
	case QR:
		r = Ranking{picked(columns.PivotedQR(turned, rows, p.byNumbers)), picked(columns.PivotedQR(d, cols, cmp.Compare))}
	case Greedy:
		r = Ranking{picked(columns.Greedy(turned, rows, p.byNumbers)), picked(columns.Greedy(d, cols, cmp.Compare))}
	default:
		return r, fmt.Errorf("%s: rows and columns are chosen by %s, %s or %s, not by %q", p.task.Name, Leverage, QR, Greedy, rule)
	}
	return p.named(r), nil
}

// leverage are the k columns of d with the largest leverage scores. Those that are explained by others stay among their equals.
func leverage(d columns.Matrix, k, rank int, before func(a, b int) int) (all []Chosen) {
	scores := columns.Leverage(d, rank)
	least := leastTie * slices.Max(scores) // what is below is rounding
	for j, x := range scores {
		if x < least {
			x = 0
		}
		all = append(all, Chosen{Index: j, Weight: x})
	}
	all = ordered(heaviest(all), d, leastTie, k, before)
	slices.SortStableFunc(all, func(a, b Chosen) int { return cmp.Compare(b.Level, a.Level) })
	for i := range all {
		all[i].Weight = 0
	}
	return all[:min(k, len(all))]
}

// picked are columns with the number of those that were as good.
func picked(cols []columns.Pick) (all []Chosen) {
	for _, c := range cols {
		if c.Tied == 1 {
			c.Tied = 0
		}
		all = append(all, Chosen{Index: c.Column, Tied: c.Tied})
	}
	return all
}

// Others are the errors of as many rows and columns chosen by leverage scores, pivoted QR and greedily, and of the best rank,
// which selects nothing.
func (p *Prepared) Others(rows, cols int) (all []Error, err error) {
	for _, by := range []struct {
		name string
		rule Rule
	}{{"leverage scores", Leverage}, {"pivoted QR", QR}, {"greedy", Greedy}} {
		r, err := p.By(by.rule, rows, cols)
		if err != nil {
			return nil, err
		}
		x, err := p.CUR(Top(r.Rows, rows), Top(r.Columns, cols))
		if err != nil {
			return nil, err
		}
		all = append(all, p.ErrorOf(by.name, x))
	}
	d := p.matrix()
	return append(all, Error{"best rank", columns.Best(d, cols), columns.Best(d, rows), columns.Best(d, min(rows, cols))}), nil
}
