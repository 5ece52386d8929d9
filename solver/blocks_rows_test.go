package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// hessianTwin is H of the columns entry by entry.
func hessianTwin(p *gcg.Problem, s *gcg.State, columns []gcg.Column) [][]float64 {
	h := make([][]float64, len(columns))
	for i := range columns {
		z := make([]float64, len(s.Z))
		addColumn(z, 1, &columns[i])
		p.Loss.(gcg.CurvedLoss).HessTo(z, 0, s.Z, z)
		for j := range columns {
			h[i] = append(h[i], dotColumn(z, &columns[j]))
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

// However H is formed, it is that of its definition: of dense and sparse features and of columns at any observations, of losses that couple
// classes, all observations or none, in one panel of rows and in many.
func TestSecondDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{7, 60, 5000} {
		const features, classes = 6, 4
		dense, sparse := classesProblem(t, n, features, classes, false), classesProblem(t, n, features, classes, true)
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
			return p.Operator.(gcg.ColumnOperator).Columns(rows, cols)
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
			problems["all observations, more entries"], columns["all observations, more entries"] = &whole, scattered(rng, n*classes+3, n*classes)
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
	first := newParts(p, s, columns[:known])
	first.complete(p, s, columns[:known], 0)
	grown := newParts(p, s, columns)
	grown.keep(first, known)
	grown.complete(p, s, columns, known)
	once := newParts(p, s, columns)
	once.complete(p, s, columns, 0)
	want := hessianTwin(p, s, columns)
	for i := range columns {
		size := 1e-13 * math.Abs(want[i][i])
		for j := range columns {
			close := math.Max(size, 1e-13*math.Abs(want[j][j]))
			if x := once.entry(i, j); math.Abs(x-want[i][j]) > close {
				t.Fatalf("entry %d, %d is %g, not %g", i, j, x, want[i][j])
			}
			if x := grown.entry(i, j); math.Abs(x-want[i][j]) > close {
				t.Fatalf("entry %d, %d is %g, not %g, where %d entries were known", i, j, x, want[i][j], known)
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

// Where products have cost as much as H would, it is formed, and the model is minimised with it; a support of about the same size has it formed
// at once from then on.
func TestProductsGiveWay(t *testing.T) {
	p := classesProblem(t, 50, 41, 5, false)
	s, u := wideSupport(t, p)
	m := u.model(p, s)
	if m.products == nil {
		t.Fatal("the matrix is formed from the start")
	}
	m.products.taken = m.products.price
	x := slices.Clone(u.x)
	m.descend(t.Context(), x, 1e-4, 1e-9)
	if m.products != nil || u.byProducts(p) {
		t.Fatal("the matrix was not formed")
	}
	formed := u.model(p, s)
	y := slices.Clone(u.x)
	formed.descend(t.Context(), y, 1e-4, 1e-9)
	for i := range x {
		if math.Abs(x[i]-y[i]) > 1e-6 {
			t.Errorf("entry %d of the minimiser is %g, and %g with the matrix from the start", i, x[i], y[i])
		}
	}
}
