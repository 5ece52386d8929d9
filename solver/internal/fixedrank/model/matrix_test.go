package model_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// spent is more than what any second derivatives cost.
const spent = 1e12

// remembered says whether a policy holds what is spent on products, which is that on the data at hand.
func remembered(f *model.FormPolicy) bool { return f.Spent == spent }

// What is known of second derivatives serves the problems of a path, and no problem with other data or an intercept of its
// own.
func TestFormPolicyIsOfItsData(t *testing.T) {
	p := testproblem.Classification(t, 60, 3, 4, 0, false)
	other := testproblem.Classification(t, 60, 3, 5, 0, false)
	f := &model.FormPolicy{}
	f.Of(view.Of(p))
	if f.Left(1, 0) == math.MaxInt {
		t.Fatal("never formed")
	}
	for _, c := range []struct {
		name   string
		change func(q *gcg.Problem)
		kept   bool
	}{
		{"another λ", func(q *gcg.Problem) { q.Penalty = gauge.Linear{Lambda: 2} }, true},
		{"an intercept", func(q *gcg.Problem) { q.Intercept = true }, false},
		{"other data", func(q *gcg.Problem) { q.Operator, q.Loss = other.Operator, other.Loss }, false},
	} {
		f.Of(view.Of(p))
		formAt(t, p, f)
		q := *p
		c.change(&q)
		f.Of(view.Of(&q))
		if remembered(f) != c.kept || f.KeepsColumns() != c.kept {
			t.Errorf("%s: columns are kept: %v", c.name, f.KeepsColumns())
		}
		if want := productsOf(&q); f.Product(1) != want {
			t.Errorf("%s: a product costs %v, not %v", c.name, f.Product(1), want)
		}
		p.Intercept = c.name == "an intercept" // in place, too
		if f.Of(view.Of(p)); p.Intercept && (remembered(f) || f.KeepsColumns()) {
			t.Errorf("%s: columns without it are kept", c.name)
		}
		p.Intercept = false
	}
}

// formAt forms second derivatives at a point of p.
func formAt(t *testing.T, p *gcg.Problem, f *model.FormPolicy) {
	t.Helper()
	s := testproblem.FirstStep(t, p)
	g := model.New(view.Of(p), s)
	g.Value(s.W.U, s.W.V)
	f.Spent = spent
	if g.Formed(f, model.Effort{Rank: 1}) == nil || !f.KeepsColumns() {
		t.Fatal("not formed")
	}
}

// productsOf is the cost of a product at rank 1, in flops for a row.
func productsOf(p *gcg.Problem) float64 {
	m, n, _ := p.Operator.Dims()
	return float64(2 * (2*m + 4*n))
}

// Nor does what is kept of one target serve another, in a problem whose loss is replaced.
func TestKeptDataAreThoseOfTheProblem(t *testing.T) {
	p, _ := testproblem.Completion(t, 1)
	d, f := view.KeyOf(p), &model.FormPolicy{}
	f.Of(view.Of(p))
	f.Spent = 1
	other := *p
	if f.Of(view.Of(&other)); !d.Of(&other) || f.Spent != 1 {
		t.Error("what is kept does not serve the same data")
	}
	f.Of(view.Of(p))
	p.Loss = &loss.Squared{Y: make([]float64, p.Loss.Len())}
	if f.Of(view.Of(p)); d.Of(p) || f.Spent != 0 {
		t.Error("what is kept of one loss serves another")
	}
}
