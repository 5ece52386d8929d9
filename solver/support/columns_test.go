package support

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A scaledClasses is a design of one's own: the features of class j are j+1 times those of the design, and sparse ones are
// given backwards.
type scaledClasses struct{ *operator.Design }

func (o scaledClasses) Columns(rows, cols []int32) []gcg.Column {
	columns := o.Design.Columns(rows, cols)
	for i := range columns {
		c := &columns[i]
		c.Index, c.Values = slices.Clone(c.Index), slices.Clone(c.Values)
		kernel.Scale(float64(cols[i]+1), c.Values)
		slices.Reverse(c.Index)
		if c.Index != nil {
			slices.Reverse(c.Values)
		}
	}
	return columns
}

// A support takes the columns of an operator as they are, in the order of their observations.
func TestColumnsOfOnesOwn(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		p := testproblem.Classes(t, 40, 6, 3, sparse)
		op := scaledClasses{p.Operator.(*operator.Design)}
		p.Operator = op
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		u := grown(p, 6, 3, upTo(6)...)
		for i, want := range op.Columns(u.rows, u.cols) {
			z, twin := make([]float64, len(s.Z)), make([]float64, len(s.Z))
			hessian.AddColumn(z, 1, &u.columns[i])
			hessian.AddColumn(twin, 1, &want)
			if !slices.Equal(z, twin) || !slices.IsSorted(u.columns[i].Index) {
				t.Fatalf("sparse %v: column %d is not the operator's, or not in order", sparse, i)
			}
		}
		h := hessian.NewParts(view.Of(p), s, u.columns)
		h.From(view.Of(p), s, u.columns).Complete(0)
		for i := range u.columns {
			he := make([]float64, len(s.Z))
			hessian.AddColumn(he, 1, &u.columns[i])
			p.Loss.(gcg.CurvedLoss).HessTo(he, 0, s.Z, he)
			for j := range u.columns {
				if want := hessian.DotColumn(he, &u.columns[j]); math.Abs(h.Entry(i, j)-want) > 1e-13 {
					t.Errorf("sparse %v: entry %d, %d is %g, not %g", sparse, i, j, h.Entry(i, j), want)
				}
			}
		}
	}
}
