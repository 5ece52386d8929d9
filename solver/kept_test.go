package solver

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
)

var _ view.BoundedMap = (*boundedGradient)(nil)

// counted counts the gradients that are formed whole.
type counted struct {
	*operator.Design
	formed int
}

func (c *counted) Adjoint(r []float64) gcg.Map {
	return &countedMap{DenseMap: c.Design.Adjoint(r).(gcg.DenseMap), c: c}
}

func (c *counted) Bounded() gcg.Operator { return c }

type countedMap struct {
	gcg.DenseMap
	c    *counted
	once sync.Once
}

func (g *countedMap) RowsTo(dst []float64, lo int) {
	g.once.Do(func() { g.c.formed++ })
	g.DenseMap.RowsTo(dst, lo)
}

// wide is a lasso of more features than samples, in a field of noise, with classes of two for another loss.
func wide(t *testing.T, n, p int) (op *counted, y, classes []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	x := make([]float64, n*p)
	for e := range x {
		x[e] = rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	y, classes = make([]float64, n), make([]float64, n)
	for i := range y {
		for j := range 8 {
			y[i] += x[i*p+j]
		}
		y[i] += rng.NormFloat64()
		classes[i] = math.Copysign(1, y[i])
	}
	d, err := operator.NewDesign(f, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &counted{Design: d}, y, classes
}

// Along a path few gradients are formed, and certificates are those of a path without bounds.
func TestPathReadsFewGradients(t *testing.T) {
	op, y, classes := wide(t, 100, 3000)
	for _, l := range []gcg.Loss{&loss.Squared{Y: y}, &loss.Logistic{Y: classes}} {
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
		top, err := MaxLambda(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		grid, err := Grid(top, 0.05, 40)
		if err != nil {
			t.Fatal(err)
		}
		op.formed = 0
		got := certificates(t, p, grid)
		formed := op.formed
		whole := *p
		whole.Operator = struct{ view.ColumnOperator }{op}
		op.formed = 0
		for i, want := range certificates(t, &whole, grid) {
			if got[i].LowerBound > want.Objective*(1+1e-13) || want.LowerBound > got[i].Objective*(1+1e-13) {
				t.Errorf("%T, λ = %v: F is within %v and %v, and without bounds %v and %v", l, grid[i], got[i].LowerBound,
					got[i].Objective, want.LowerBound, want.Objective)
			}
		}
		if formed == 0 || 3*formed > 2*op.formed {
			t.Errorf("%T: %d gradients were formed, and %d without bounds", l, formed, op.formed)
		}
	}
}

// certificates are those of a path of coordinate descent, to 1e-9.
func certificates(t *testing.T, p *gcg.Problem, grid []float64) (all []gcg.Certificate) {
	t.Helper()
	var path Schedule
	for _, lambda := range grid {
		path.Stages = append(path.Stages,
			Stage{Penalty: gauge.Linear{Lambda: lambda}, Method: func() Method { return new(coordinate.Descent) }})
	}
	err := path.Run(t.Context(), p, Options{Tol: 1e-9}, func(s Stage, r *Result) bool {
		if r.Status != Converged {
			t.Errorf("%T, %+v: %s, gap %v", p.Loss, s.Penalty, r.Status, r.State.Cert.Relative)
		}
		all = append(all, r.State.Cert)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Bounds hold for any gradients that they are made of, the same ones and zeros among them, and entries are those of the gradient.
func TestBoundedGradient(t *testing.T) {
	op, _, _ := wide(t, 40, 200)
	rng := rand.New(rand.NewPCG(7, 1))
	random := func(like []float64, by float64) gradient {
		r := slices.Clone(like)
		for i := range r {
			r[i] += by * rng.NormFloat64()
		}
		return gradient{op.Design.Adjoint(r), r}
	}
	for try := range 200 {
		first := random(make([]float64, 40), float64(try%5))
		second := random(first.r, []float64{0, 1e-9, 1}[try%3])
		k := &kept{formed: []gradient{first, second}[:try%3]}
		b := &boundedGradient{gradient: random(second.r, []float64{0, 1e-12, 1e-3, 1}[try%4]), op: op, k: k,
			bounds: slices.Clone(k.formed)}
		want := make([]float64, 200)
		gcg.DenseTo(want, b.Map)
		y, d := b.Within()
		var unknown []int
		for e, x := range want {
			if math.Abs(x-y[e]) > d[e] {
				t.Fatalf("try %d: entry %d is %v, and said to be %v ± %v", try, e, x, y[e], d[e])
			}
			if d[e] != 0 && e%29 == 0 {
				unknown = append(unknown, e)
			}
		}
		b.Refine(unknown)
		for _, e := range unknown {
			if d[e] != 0 || math.Abs(y[e]-want[e]) > 1e-12 {
				t.Fatalf("try %d: entry %d is %v, and computed to be %v ± %v", try, e, want[e], y[e], d[e])
			}
		}
	}
}
