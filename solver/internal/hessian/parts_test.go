package hessian_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// Tasks are the parts, and their second derivatives are those of all columns together.
func TestParts(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p, s, _ := testproblem.Tasks(t, 60, 5, 4, intercept)
		columns := everyColumn(p)
		some := hessian.NewParts(view.Of(p), s, columns)
		if len(some.Members) != 4 {
			t.Errorf("%d parts of 4 tasks", len(some.Members))
		}
		whole := hessian.PartsOf(hessian.OneGroup(len(columns)))
		for _, c := range []*hessian.Parts{some, whole} {
			c.From(view.Of(p), s, columns).Complete(0)
			if intercept {
				c.From(view.Of(p), s, columns).Profile()
			}
		}
		grown := hessian.NewParts(view.Of(p), s, columns)
		if !intercept {
			first := hessian.NewParts(view.Of(p), s, columns[:8])
			first.From(view.Of(p), s, columns[:8]).Complete(0)
			grown.Keep(first, 8)
			grown.From(view.Of(p), s, columns).Complete(8)
		}
		for i := range columns {
			for j := range columns {
				if math.Abs(some.Entry(i, j)-whole.Entry(i, j)) > 1e-14 {
					t.Errorf("entry %d, %d is %g by parts and %g as a whole", i, j, some.Entry(i, j), whole.Entry(i, j))
				}
				if !intercept && grown.Entry(i, j) != some.Entry(i, j) {
					t.Errorf("entry %d, %d is %g when grown and %g at once", i, j, grown.Entry(i, j), some.Entry(i, j))
				}
			}
		}
	}
}

// everyColumn are the columns of all entries of W, row by row.
func everyColumn(p *gcg.Problem) []gcg.Column {
	m, n, _ := p.Operator.Dims()
	var rows, cols []int32
	for e := range m * n {
		rows, cols = append(rows, int32(e/n)), append(cols, int32(e%n))
	}
	return p.Operator.(view.ColumnOperator).Columns(rows, cols)
}
