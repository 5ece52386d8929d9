package hessian_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// hessianTwin is H of the columns entry by entry.
func hessianTwin(p *gcg.Problem, s *gcg.State, columns []gcg.Column) [][]float64 {
	h := make([][]float64, len(columns))
	for i := range columns {
		z := make([]float64, len(s.Z))
		hessian.AddColumn(z, 1, &columns[i])
		p.Loss.(gcg.CurvedLoss).HessTo(z, 0, s.Z, z)
		for j := range columns {
			h[i] = append(h[i], hessian.DotColumn(z, &columns[j]))
		}
	}
	return h
}

// scattered are columns at any observations of n, several of a row too.
func scattered(rng *rand.Rand, count, n int) []gcg.Column {
	columns := make([]gcg.Column, count)
	for i := range columns {
		c := &columns[i]
		c.Index, c.Stride = []int32{}, 1
		for at := range n {
			if rng.IntN(4) == 0 {
				c.Index, c.Values = append(c.Index, int32(at)), append(c.Values, rng.NormFloat64())
			}
		}
	}
	return columns
}

// However H is formed, it is that of its definition: of dense and sparse features and of columns at any observations, of losses
// that couple classes, all observations or none, in one panel of rows and in many.
func TestSecondDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{7, 60, 5000} {
		const features, classes = 6, 4
		dense, sparse := testproblem.Classes(t, n, features, classes, false), testproblem.Classes(t, n, features, classes, true)
		some := func(p *gcg.Problem) []gcg.Column {
			var rows, cols []int32
			for e := range features * classes {
				if e%5 != 0 {
					rows, cols = append(rows, int32(e/classes)), append(cols, int32(e%classes))
				}
			}
			order := rng.Perm(len(rows))
			for i, j := range order {
				rows[i], rows[j], cols[i], cols[j] = rows[j], rows[i], cols[j], cols[i]
			}
			return p.Operator.(view.ColumnOperator).Columns(rows, cols)
		}
		logistic := *sparse
		y := make([]float64, n*classes)
		for i := range y {
			y[i] = float64(2*rng.IntN(2) - 1)
		}
		logistic.Loss = &loss.Logistic{Y: y, Group: classes}
		problems := map[string]*gcg.Problem{"dense classes": dense, "sparse classes": sparse, "sparse outputs": &logistic}
		columns := map[string][]gcg.Column{"dense classes": some(dense), "sparse classes": some(sparse), "sparse outputs": some(sparse)}
		problems["anywhere"], columns["anywhere"] = sparse, scattered(rng, 9, n*classes)
		problems["mixed"], columns["mixed"] = dense, append(some(dense), scattered(rng, 3, n*classes)...)
		problems["nowhere"], columns["nowhere"] = sparse, slices.Repeat([]gcg.Column{{Index: []int32{}, Stride: classes}}, 7)
		if n < 100 {
			whole := *sparse
			whole.Loss = quadraticLoss(rng, n*classes)
			problems["all observations"], columns["all observations"] = &whole, some(sparse)
			problems["all observations, more entries"], columns["all observations, more entries"] = &whole,
				scattered(rng, n*classes+3, n*classes)
		}
		for name, p := range problems {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				s, err := gcg.NewState(p, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := range s.Z {
					s.Z[i] = rng.NormFloat64()
				}
				s.Evaluate(p)
				checkHessian(t, p, s, columns[name])
			})
		}
	}
}

func checkHessian(t *testing.T, p *gcg.Problem, s *gcg.State, columns []gcg.Column) {
	t.Helper()
	const known = 5
	first := hessian.NewParts(view.Of(p), s, columns[:known])
	first.From(view.Of(p), s, columns[:known]).Complete(0)
	grown := hessian.NewParts(view.Of(p), s, columns)
	grown.Keep(first, known)
	grown.From(view.Of(p), s, columns).Complete(known)
	once := hessian.NewParts(view.Of(p), s, columns)
	once.From(view.Of(p), s, columns).Complete(0)
	want := hessianTwin(p, s, columns)
	for i := range columns {
		size := 1e-13 * math.Abs(want[i][i])
		for j := range columns {
			close := math.Max(size, 1e-13*math.Abs(want[j][j]))
			if x := once.Entry(i, j); math.Abs(x-want[i][j]) > close {
				t.Fatalf("entry %d, %d is %g, not %g", i, j, x, want[i][j])
			}
			if x := grown.Entry(i, j); math.Abs(x-want[i][j]) > close {
				t.Fatalf("entry %d, %d is %g, not %g, where %d entries were known", i, j, x, want[i][j], known)
			}
		}
	}
}

// Both ways to form H of dense classes give it, of classes with many entries and with few.
func TestSecondDerivativesOfClasses(t *testing.T) {
	p := testproblem.Classes(t, 700, 6, 4, false)
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := p.Operator.(view.ColumnOperator).Columns([]int32{5, 0, 1, 2, 3, 0, 2, 5}, []int32{1, 3, 1, 1, 1, 0, 3, 3})
	feature := hessian.NewGroups(len(columns), func(i int) int { return []int{5, 0, 1, 2, 3, 0, 2, 5}[i] })
	class := hessian.NewGroups(len(columns), func(i int) int { return columns[i].Offset })
	want := hessianTwin(p, s, columns)
	byClass, byFeature := hessian.PartsOf(hessian.OneGroup(len(columns))), hessian.PartsOf(hessian.OneGroup(len(columns)))
	byClass.From(view.Of(p), s, columns).ByClass(class)
	byFeature.From(view.Of(p), s, columns).ByFeature(feature, class)
	for i := range columns {
		for j := range columns {
			if a, b := byClass.Entry(i, j), byFeature.Entry(i, j); math.Abs(a-want[i][j]) > 1e-13 || math.Abs(b-want[i][j]) > 1e-13 {
				t.Errorf("entry %d, %d is %g by class and %g by feature, not %g", i, j, a, b, want[i][j])
			}
		}
	}
}

// quadraticLoss couples all of n observations.
func quadraticLoss(rng *rand.Rand, n int) *loss.Quadratic {
	l := &loss.Quadratic{Q: make([]float64, n*n), C: make([]float64, n)}
	for range n {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		for i, a := range v {
			for j, b := range v {
				l.Q[i*n+j] += a * b / float64(n)
			}
		}
	}
	return l
}
