package allcells_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/allcells"
)

// naive is the loss over all cells by its definition, with dense matrices.
type naive struct {
	m, n    int
	p, c    []float64
	own, at []float64 // scales of rows and columns
}

// newCells draws clicks, counts and scales; the twin knows all cells.
func newCells(t *testing.T, seed uint64, scaled bool) (*allcells.Cells, *naive, *rand.Rand) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	m, n, w0 := 1+rng.IntN(150), 1+rng.IntN(200), 0.2+rng.Float64()
	d := &naive{m: m, n: n, p: make([]float64, m*n), c: make([]float64, m*n)}
	ptr := make([]int64, m+1)
	var cols []int32
	var a []float64
	for i := range m {
		for j := range n {
			d.c[i*n+j] = w0
			if rng.Float64() < 0.3/float64(1+i%5) {
				x := 0.5 + 5*rng.Float64()
				cols, a = append(cols, int32(j)), append(a, x)
				d.p[i*n+j], d.c[i*n+j] = 1, w0+x
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	cells, err := allcells.New(m, n, ptr, cols, a, w0)
	if err != nil {
		t.Fatal(err)
	}
	d.own, d.at = ones(m), ones(n)
	if scaled {
		for _, x := range [][]float64{d.own, d.at} {
			for i := range x {
				x[i] = 0.5 + rng.Float64()
			}
		}
		if cells, err = cells.Scaled(d.own, d.at); err != nil {
			t.Fatal(err)
		}
	}
	return cells, d, rng
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func drawn(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = 0.3 * rng.NormFloat64()
		}
	}
	return f
}

// product is X = diag(own) U Vᵀ diag(at).
func (d *naive) product(u, v *gcg.Factor) []float64 {
	x := make([]float64, d.m*d.n)
	for i := range d.m {
		for j := range d.n {
			for c := range u.K {
				x[i*d.n+j] += d.own[i] * d.at[j] * u.Row(i)[c] * v.Row(j)[c]
			}
		}
	}
	return x
}

// loss is L, r = -∇L with respect to X, and the sums.
func (d *naive) loss(x []float64) (l, rr, ry float64, r []float64) {
	r = make([]float64, len(x))
	for e := range x {
		off := d.p[e] - x[e]
		r[e] = d.c[e] * off
		rr += d.c[e] * off * off
		ry += d.c[e] * off * d.p[e]
	}
	return rr / 2, rr, ry, r
}

// times is diag(own) R diag(at) V, or the transpose times V.
func (d *naive) times(r []float64, v *gcg.Factor, transposed bool) *gcg.Factor {
	rows := d.m
	if transposed {
		rows = d.n
	}
	g := gcg.NewFactor(rows, v.K)
	for i := range d.m {
		for j := range d.n {
			to, from := i, j
			if transposed {
				to, from = j, i
			}
			for c := range v.K {
				g.Row(to)[c] += d.own[i] * d.at[j] * r[i*d.n+j] * v.Row(from)[c]
			}
		}
	}
	return g
}

// weighted is c∘X.
func (d *naive) weighted(x []float64) []float64 {
	y := make([]float64, len(x))
	for e := range x {
		y[e] = d.c[e] * x[e]
	}
	return y
}

func dot(x, y []float64) (sum float64) {
	for e := range x {
		sum += x[e] * y[e]
	}
	return sum
}

// near is ‖got - want‖/‖want‖.
func near(got, want *gcg.Factor) float64 {
	diff := got.Clone()
	diff.AddScaled(-1, want)
	return math.Sqrt(diff.Dot(diff) / math.Max(want.Dot(want), 1e-300))
}

const (
	rounding   = 1e-11
	rounding32 = 2e-5
)

// Every pass against the definition over all cells.
func TestCellsAreTheDefinition(t *testing.T) {
	for seed := range uint64(10) {
		c, d, rng := newCells(t, seed, seed%2 == 1)
		k := 1 + int(seed)
		u, v, du, dv := drawn(rng, d.m, k), drawn(rng, d.n, k), drawn(rng, d.m, k), drawn(rng, d.n, k)
		zero, _, _, _ := d.loss(make([]float64, d.m*d.n))
		if got := c.Move(nil, nil); math.Abs(got-zero) > rounding*zero {
			t.Errorf("seed %d: L(0) is %v, want %v", seed, got, zero)
		}
		x := d.product(u, v)
		l, rr, ry, r := d.loss(x)
		if got := c.Move(u, v); math.Abs(got-l) > rounding*l {
			t.Errorf("seed %d: L is %v, want %v", seed, got, l)
		}
		if gr, gy := c.Sums(); math.Abs(gr-rr) > rounding*rr || math.Abs(gy-ry) > rounding*rr {
			t.Errorf("seed %d: sums are %v and %v, want %v and %v", seed, gr, gy, rr, ry)
		}
		y := d.product(du, dv)
		xx, xy, yy := c.Cross(u, v, du, dv)
		for i, pair := range [][2]float64{{xx, dot(x, d.weighted(x))}, {xy, dot(x, d.weighted(y))}, {yy, dot(y, d.weighted(y))}} {
			if math.Abs(pair[0]-pair[1]) > rounding*(xx+yy) {
				t.Errorf("seed %d: product %d is %v, want %v", seed, i, pair[0], pair[1])
			}
		}
		checkGradient(t, c, d, r, du, dv)
		checkCurvature(t, c, d, r, u, v, du, dv)
	}
}

func same(t *testing.T, what string, tol float64, got, want *gcg.Factor) {
	t.Helper()
	if off := near(got, want); off > tol {
		t.Errorf("%s is off by %v", what, off)
	}
}

func checkGradient(t *testing.T, c *allcells.Cells, d *naive, r []float64, u, v *gcg.Factor) {
	t.Helper()
	g := c.Adjoint(nil)
	wv, wu := d.times(r, v, false), d.times(r, u, true)
	gv, gu := gcg.Both(g, u, v)
	same(t, "G v", rounding, gv, wv)
	same(t, "Gᵀ u", rounding, gu, wu)
	x, y, gx, gy := make([]float64, d.n), make([]float64, d.m), make([]float64, d.m), make([]float64, d.n)
	v.ColumnTo(x, 0)
	u.ColumnTo(y, 0)
	g.MulTo(gx, x)
	g.TMulTo(gy, y)
	dense := make([]float64, d.m*d.n)
	g.(gcg.DenseMap).RowsTo(dense, 0)
	for i := range gx {
		if math.Abs(gx[i]-wv.Row(i)[0]) > 1e3*rounding || math.Abs(dot(dense[i*d.n:(i+1)*d.n], x)-gx[i]) > 1e3*rounding {
			t.Fatalf("row %d of G x is %v, want %v", i, gx[i], wv.Row(i)[0])
		}
	}
	for j := range gy {
		if math.Abs(gy[j]-wu.Row(j)[0]) > 1e3*rounding {
			t.Fatalf("row %d of Gᵀ y is %v, want %v", j, gy[j], wu.Row(j)[0])
		}
	}
}

func checkCurvature(t *testing.T, c *allcells.Cells, d *naive, r []float64, u, v, du, dv *gcg.Factor) {
	t.Helper()
	change := d.product(du, v)
	for e, x := range d.product(u, dv) {
		change[e] += x
	}
	e := d.weighted(change)
	wu, wv := d.times(e, v, false), d.times(e, u, true)
	wu.AddScaled(-1, d.times(r, dv, false))
	wv.AddScaled(-1, d.times(r, du, true))
	gu, gv := gcg.NewFactor(d.m, u.K), gcg.NewFactor(d.n, u.K)
	c.AlongTo(gu, gv, u, v, du, dv)
	same(t, "along u", rounding, gu, wu)
	same(t, "along v", rounding, gv, wv)
	in32 := gcg.FactorIn[float32, float64]
	su, sv := in32(gu), in32(gv)
	c.Along32To(su, sv, in32(u), in32(v), in32(du), in32(dv))
	same(t, "along u in float32", rounding32, gcg.FactorIn[float64](su), wu)
	same(t, "along v in float32", rounding32, gcg.FactorIn[float64](sv), wv)
	wu = d.times(d.weighted(d.product(du, v)), v, false)
	c.NormalTo(gu, du, v)
	same(t, "normal", rounding, gu, wu)
	c.Normal32To(su, in32(du), in32(v))
	same(t, "normal in float32", rounding32, gcg.FactorIn[float64](su), wu)
	u2, v2 := squared(u), squared(v)
	scaled := &naive{m: d.m, n: d.n, own: squaresOf(d.own), at: squaresOf(d.at)}
	c.DiagonalTo(gu, gv, u2, v2)
	same(t, "diagonal u", rounding, gu, scaled.times(d.c, v2, false))
	same(t, "diagonal v", rounding, gv, scaled.times(d.c, u2, true))
}

func squared(f *gcg.Factor) *gcg.Factor {
	g := f.Clone()
	for i, x := range g.Data {
		g.Data[i] = x * x
	}
	return g
}

func squaresOf(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i] * x[i]
	}
	return y
}

// Regressions report what they gain, many steps solve them, and steps far beyond that change nothing.
func TestRidgeSolvesTheRegressions(t *testing.T) {
	for _, steps := range []int{12, 60, 300} {
		testRidgeSolves(t, steps)
	}
}

func testRidgeSolves(t *testing.T, steps int) {
	const ridge = 3.0
	for seed := range uint64(6) {
		c, d, rng := newCells(t, seed, seed%2 == 1)
		u, v := drawn(rng, d.m, 5), drawn(rng, d.n, 5)
		f := func(u, v, own *gcg.Factor) (square, f float64) {
			l, rr, _, _ := d.loss(d.product(u, v))
			return rr, l + ridge/2*own.Dot(own)
		}
		square, before := f(u, v, u)
		x := gcg.FactorIn[float32](u)
		was, gain := c.RidgeRows(x, gcg.FactorIn[float32](v), ridge, steps)
		u = gcg.FactorIn[float64](x)
		_, after := f(u, v, u)
		if math.Abs(was-square) > rounding32*square || math.Abs(before-after-gain) > rounding32*before {
			t.Errorf("seed %d: rows gain %v from %v, want %v from %v", seed, gain, was, before-after, square)
		}
		l, rr, _, r := d.loss(d.product(u, v))
		g := d.times(r, v, false)
		g.AddScaled(-ridge, u)
		if size := math.Sqrt(g.Dot(g)); size > 1e-3*math.Sqrt(l) {
			t.Errorf("seed %d: rows are not solved: gradient %v", seed, size)
		}
		y := gcg.FactorIn[float32](v)
		_, before = f(u, v, v)
		was, gain = c.RidgeColumns(y, gcg.FactorIn[float32](u), ridge, 2)
		v = gcg.FactorIn[float64](y)
		_, after = f(u, v, v)
		if math.Abs(was-rr) > rounding32*rr || math.Abs(before-after-gain) > rounding32*before || gain < 0 {
			t.Errorf("seed %d: columns gain %v from %v, want %v from %v", seed, gain, was, before-after, rr)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		m, n int
		ptr  []int64
		cols []int32
		a    []float64
		w0   float64
	}{
		"no background":        {1, 2, []int64{0, 1}, []int32{0}, []float64{1}, 0},
		"negative background":  {1, 2, []int64{0, 1}, []int32{0}, []float64{1}, -1},
		"infinite background":  {1, 2, []int64{0, 1}, []int32{0}, []float64{1}, math.Inf(1)},
		"no rows":              {0, 2, []int64{0}, nil, nil, 1},
		"a weight of 0":        {1, 2, []int64{0, 1}, []int32{0}, []float64{0}, 1},
		"a weight that is NaN": {1, 2, []int64{0, 1}, []int32{0}, []float64{math.NaN()}, 1},
		"descending":           {2, 2, []int64{0, 1, 0}, []int32{}, []float64{}, 1},
		"twice":                {1, 2, []int64{0, 2}, []int32{1, 1}, []float64{1, 1}, 1},
		"beyond":               {1, 2, []int64{0, 1}, []int32{2}, []float64{1}, 1},
		"too few weights":      {1, 2, []int64{0, 1}, []int32{0}, nil, 1},
	} {
		if _, err := allcells.New(c.m, c.n, c.ptr, c.cols, c.a, c.w0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c, err := allcells.New(1, 2, []int64{0, 1}, []int32{0}, []float64{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, scales := range [][2][]float64{{{1}, {1}}, {{1, 2}, {1, 2}}, {{0}, {1, 2}}, {{1}, {1, math.Inf(1)}}} {
		if _, err := c.Scaled(scales[0], scales[1]); err == nil {
			t.Errorf("scales %v: no error", scales)
		}
	}
}
