package hessian

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// hessianTwin is H of the columns entry by entry.
func hessianTwin(p *gcg.Problem, s *gcg.State, columns []gcg.Column) [][]float64 {
	h := make([][]float64, len(columns))
	for i := range columns {
		z := make([]float64, len(s.Z))
		AddColumn(z, 1, &columns[i])
		p.Loss.(gcg.CurvedLoss).HessTo(z, 0, s.Z, z)
		for j := range columns {
			h[i] = append(h[i], DotColumn(z, &columns[j]))
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
		dense, sparse := support.classesProblem(t, n, features, classes, false), support.classesProblem(t, n, features, classes, true)
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
	first := NewParts(view.Of(p), s, columns[:known])
	first.From(view.Of(p), s, columns[:known]).Complete(0)
	grown := NewParts(view.Of(p), s, columns)
	grown.Keep(first, known)
	grown.From(view.Of(p), s, columns).Complete(known)
	once := NewParts(view.Of(p), s, columns)
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
	p := support.classesProblem(t, 700, 6, 4, false)
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := p.Operator.(view.ColumnOperator).Columns([]int32{5, 0, 1, 2, 3, 0, 2, 5}, []int32{1, 3, 1, 1, 1, 0, 3, 3})
	feature := NewGroups(len(columns), func(i int) int { return []int{5, 0, 1, 2, 3, 0, 2, 5}[i] })
	class := NewGroups(len(columns), func(i int) int { return columns[i].Offset })
	want := hessianTwin(p, s, columns)
	byClass, byFeature := PartsOf(OneGroup(len(columns))), PartsOf(OneGroup(len(columns)))
	byClass.From(view.Of(p), s, columns).classProducts(class)
	byFeature.From(view.Of(p), s, columns).featureProducts(feature, class)
	for i := range columns {
		for j := range columns {
			if a, b := byClass.Entry(i, j), byFeature.Entry(i, j); math.Abs(a-want[i][j]) > 1e-13 || math.Abs(b-want[i][j]) > 1e-13 {
				t.Errorf("entry %d, %d is %g by class and %g by feature, not %g", i, j, a, b, want[i][j])
			}
		}
	}
}

// A scaledClasses is a design of one's own: the features of class j are j+1 times those of the design, and sparse ones are given backwards.
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
		p := support.classesProblem(t, 40, 6, 3, sparse)
		op := scaledClasses{p.Operator.(*operator.Design)}
		p.Operator = op
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		u := (&support.Corrective{}).supportFor(view.Of(p))
		for j := range int64(6) {
			u.grow([]int64{j + 1}, 6, 3)
			u.extract()
		}
		for i, want := range op.Columns(u.rows, u.cols) {
			z, twin := make([]float64, len(s.Z)), make([]float64, len(s.Z))
			AddColumn(z, 1, &u.columns[i])
			AddColumn(twin, 1, &want)
			if !slices.Equal(z, twin) || !slices.IsSorted(u.columns[i].Index) {
				t.Fatalf("sparse %v: column %d is not the operator's, or not in order", sparse, i)
			}
		}
		checkHessian(t, p, s, u.columns)
	}
}

// Sweeps over groups whose entries take turns among the parts of H lower the model.
func TestSweepOfInterleavedParts(t *testing.T) {
	const n, features, outputs = 40, 12, 2
	rng := rand.New(rand.NewPCG(13, 14))
	x, y := make([]float64, n*features), make([]float64, n*outputs)
	for i := range n {
		common := 3 * rng.NormFloat64()
		for j := range features {
			x[i*features+j] = rng.NormFloat64() + common
		}
	}
	for i := range y {
		y[i] = 10 * rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	index := make([][]int32, 2) // row-major: an entry of one output after one of the other
	for e := range features * outputs {
		index[2*e/(features*outputs)] = append(index[2*e/(features*outputs)], int32(e))
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: outputs}, Gauge: gauge.Group{Index: index, Inner: gauge.LInf}, Penalty: gauge.Linear{Lambda: 1}}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := (&support.Corrective{}).supportFor(view.Of(p))
	u.grow([]int64{1, 2}, features, outputs)
	m := u.model(view.Of(p), s)
	v := slices.Clone(u.x)
	g := m.gradientAt(v)
	before := m.Value(v, g, 1)
	for range 5 {
		m.sweep(v, g, 1)
		after := m.Value(v, g, 1)
		if !(after <= before) {
			t.Fatalf("a sweep takes the model from %g to %g", before, after)
		}
		before = after
		for i, want := range m.gradientAt(v) {
			if math.Abs(g[i]-want) > 1e-9*math.Abs(want)+1e-9 {
				t.Fatalf("the gradient that a sweep kept is %g at %d, not %g", g[i], i, want)
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
	p := support.classesProblem(t, 50, 41, 5, false)
	s, u := support.wideSupport(t, p)
	m := u.model(view.Of(p), s)
	if m.products == nil {
		t.Fatal("the matrix is formed from the start")
	}
	m.products.taken = m.products.price
	x := slices.Clone(u.x)
	m.descend(t.Context(), x, 1e-4, 1e-9)
	if m.products != nil || u.byProducts(view.Of(p)) {
		t.Fatal("the matrix was not formed")
	}
	formed := u.model(view.Of(p), s)
	y := slices.Clone(u.x)
	formed.descend(t.Context(), y, 1e-4, 1e-9)
	for i := range x {
		if math.Abs(x[i]-y[i]) > 1e-6 {
			t.Errorf("entry %d of the minimiser is %g, and %g with the matrix from the start", i, x[i], y[i])
		}
	}
}
