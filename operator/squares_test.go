package operator_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// pair is the same data as a Squares and as a Sampling with its values in row order.
type pair struct {
	q    gcg.Squares
	s    *operator.Sampling
	y, r []float64
	c    float64
}

func newPair[T operator.Storage](t *testing.T, seed uint64, scaled bool) *pair {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	return pairOf[T](t, rng, 1+rng.IntN(300), 1+rng.IntN(300), 0.3, scaled, seed%2 == 1)
}

// pairOf has a share of the entries in every seventh row, and less in others.
func pairOf[T operator.Storage](t *testing.T, rng *rand.Rand, m, n int, share float64, scaled, mean bool) *pair {
	t.Helper()
	p := &pair{c: 1}
	ptr := make([]int64, m+1)
	var cols []int32
	var values []T
	for i := range m {
		for j := range n {
			if rng.Float64() < share/float64(1+i%7) {
				cols, values = append(cols, int32(j)), append(values, T(rng.NormFloat64()))
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	for _, v := range values {
		p.y = append(p.y, float64(v))
	}
	p.r = make([]float64, len(p.y))
	var err error
	if p.s, err = operator.NewSampling(m, n, ptr, append([]int32(nil), cols...)); err != nil {
		t.Fatal(err)
	}
	if mean = mean && len(cols) > 0; mean {
		p.c = 1 / float64(len(cols))
	}
	q, err := operator.NewSquares(m, n, ptr, shuffledRows(rng, ptr, cols, values), values, mean)
	if err != nil {
		t.Fatal(err)
	}
	p.q = q
	if scaled {
		row, col := positive(rng, m), positive(rng, n)
		if p.s, err = p.s.Scaled(row, col); err != nil {
			t.Fatal(err)
		}
		if p.q, err = q.Scaled(row, col); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// shuffledRows puts the entries of each row in another order.
func shuffledRows[T operator.Storage](rng *rand.Rand, ptr []int64, cols []int32, values []T) []int32 {
	for i := range len(ptr) - 1 {
		lo := ptr[i]
		rng.Shuffle(int(ptr[i+1]-lo), func(a, b int) {
			cols[lo+int64(a)], cols[lo+int64(b)] = cols[lo+int64(b)], cols[lo+int64(a)]
			values[lo+int64(a)], values[lo+int64(b)] = values[lo+int64(b)], values[lo+int64(a)]
		})
	}
	return cols
}

func positive(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.5 + rng.Float64()
	}
	return x
}

// Every pass of Squares against what Sampling and the definition say; with float32 the data are the rounded values, and
// only r is rounded once more.
func TestSquares(t *testing.T) {
	for seed := range uint64(12) {
		checkSquares(t, newPair[float64](t, seed, seed%3 == 1), seed, 1e-12)
		checkSquares(t, newPair[float32](t, seed, seed%3 == 1), seed, 3e-7)
	}
}

func checkSquares(t *testing.T, p *pair, seed uint64, tol float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	m, n, _ := p.s.Dims()
	k := 1 + int(seed)*2
	work := 10 * tol // of passes that work in the storage
	u, v, du, dv := factor(rng, m, k), factor(rng, n, k), factor(rng, m, k), factor(rng, n, k)
	wantLoss := p.c / 2 * p.s.ResidualTo(p.r, p.y, u, v)
	if got := p.q.Move(u, v); math.Abs(got-wantLoss) > 1e-12*wantLoss {
		t.Errorf("seed %d: loss %v, want %v: it must not feel the storage", seed, got, wantLoss)
	}
	var rr, ry float64
	for e, r := range p.r {
		rr, ry = rr+p.c*r*r, ry+p.c*r*p.y[e]
	}
	if gr, gy := p.q.Sums(); math.Abs(gr-rr) > tol*rr || math.Abs(gy-ry) > tol*math.Sqrt(rr*(rr+ry*ry)+1) {
		t.Errorf("seed %d: sums %v %v, want %v %v", seed, gr, gy, rr, ry)
	}
	checkResiduals(t, p, seed, tol)
	same := func(what string, tol float64, got, want *gcg.Factor) {
		t.Helper()
		want.Scale(p.c)
		if len(p.y) > 0 && near(got, want) > tol {
			t.Errorf("seed %d, %s: off by %v", seed, what, near(got, want))
		}
	}
	hu, hv, wu, wv := gcg.NewFactor(m, k), gcg.NewFactor(n, k), gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	p.q.AlongTo(hu, hv, u, v, du, dv)
	p.s.CurvatureTo(wu, wv, p.r, u, v, du, dv)
	same("along u", work, hu, wu)
	same("along v", work, hv, wv)
	p.q.NormalTo(hu, du, v)
	p.s.NormalTo(wu, du, v)
	same("normal", work, hu, wu)
	h32 := gcg.NewFactorOf[float32](m, k)
	p.q.Normal32To(h32, gcg.FactorIn[float32](du), gcg.FactorIn[float32](v))
	if hu = gcg.FactorIn[float64](h32); len(p.y) > 0 && near(hu, wu) > 1e-5 {
		t.Errorf("seed %d: normal in float32 is off by %v", seed, near(hu, wu))
	}
	p.q.DiagonalTo(hu, hv, u, v)
	p.s.DiagonalTo(wu, wv, u, v)
	same("diagonal u", work, hu, wu)
	same("diagonal v", work, hv, wv)
	p.q.DiagonalTo(hu, nil, u, v)
	p.s.DiagonalTo(wu, nil, u, v)
	same("diagonal u alone", work, hu, wu)
	checkSquaresMap(t, p, seed, tol, u, v)
	checkCross(t, p, u, v, du, dv)
}

// checkSquaresMap compares A*(c·r) with the adjoint of the Sampling, vector by vector and in blocks.
func checkSquaresMap(t *testing.T, p *pair, seed uint64, tol float64, u, v *gcg.Factor) {
	t.Helper()
	m, n, _ := p.s.Dims()
	got, want := p.q.Adjoint(nil), p.s.Adjoint(p.r)
	gv, gu := gcg.Both(got, u, v)
	wv, wu := gcg.Both(want, u, v)
	bv, bu := gcg.NewFactor(m, v.K), gcg.NewFactor(n, u.K)
	got.(gcg.BlockMap).MulBlockTo(bv, v)
	got.(gcg.BlockMap).TMulBlockTo(bu, u)
	wv.Scale(p.c)
	wu.Scale(p.c)
	for _, g := range [][2]*gcg.Factor{{gv, wv}, {gu, wu}, {bv, wv}, {bu, wu}} {
		if len(p.y) > 0 && near(g[0], g[1]) > tol {
			t.Errorf("seed %d: a block product is off by %v", seed, near(g[0], g[1]))
		}
	}
	x, y, gx, gy := make([]float64, n), make([]float64, m), make([]float64, m), make([]float64, n)
	v.ColumnTo(x, 0)
	u.ColumnTo(y, 0)
	got.MulTo(gx, x)
	got.TMulTo(gy, y)
	dense := make([]float64, m*n)
	got.(gcg.DenseMap).RowsTo(dense, 0)
	for i := range m {
		var s float64
		for j := range n {
			s += dense[i*n+j] * x[j]
		}
		if math.Abs(s-gx[i]) > 1e-11*(1+math.Abs(s)) || math.Abs(gx[i]-wv.Row(i)[0]) > 100*tol {
			t.Errorf("seed %d: row %d of G x is %v, %v from dense rows, want %v", seed, i, gx[i], s, wv.Row(i)[0])
		}
	}
	for j := range n {
		if math.Abs(gy[j]-wu.Row(j)[0]) > 100*tol {
			t.Errorf("seed %d: row %d of Gᵀ y is %v, want %v", seed, j, gy[j], wu.Row(j)[0])
		}
	}
}

// checkResiduals wants every observation at its place, which the order by rows and columns tells.
func checkResiduals(t *testing.T, p *pair, seed uint64, tol float64) {
	t.Helper()
	type entry struct {
		i, j int
		y, r float64
	}
	var all []entry
	p.q.(interface {
		Residuals(f func(i, j int, y, r float64))
	}).Residuals(func(i, j int, y, r float64) { all = append(all, entry{i, j, y, r}) })
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
	if len(all) != len(p.y) {
		t.Fatalf("seed %d: %d residuals of %d observations", seed, len(all), len(p.y))
	}
	for e, x := range all {
		if x.y != p.y[e] || math.Abs(x.r-p.r[e]) > tol*(1+math.Abs(p.r[e])) {
			t.Fatalf("seed %d: %+v, want y %v and r %v", seed, x, p.y[e], p.r[e])
		}
	}
}

func checkCross(t *testing.T, p *pair, u, v, a, b *gcg.Factor) {
	t.Helper()
	z, w := make([]float64, len(p.y)), make([]float64, len(p.y))
	p.s.FactoredTo(z, 0, u, v)
	p.s.FactoredTo(w, 0, a, b)
	var want [3]float64
	for e := range z {
		want[0] += p.c * z[e] * z[e]
		want[1] += p.c * z[e] * w[e]
		want[2] += p.c * w[e] * w[e]
	}
	zz, za, aa := p.q.Cross(u, v, a, b)
	for i, x := range [3]float64{zz, za, aa} {
		if math.Abs(x-want[i]) > 1e-11*(want[0]+want[2]) {
			t.Errorf("cross product %d is %v, want %v", i, x, want[i])
		}
	}
}

func TestSquaresRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		m, n   int
		ptr    []int64
		cols   []int32
		values []float32
	}{
		"no rows":                   {0, 3, []int64{0}, nil, nil},
		"descending":                {2, 3, []int64{0, 2, 1}, []int32{0}, []float32{1}},
		"twice":                     {1, 3, []int64{0, 3}, []int32{1, 0, 1}, []float32{1, 2, 3}},
		"column too large":          {1, 3, []int64{0, 1}, []int32{3}, []float32{1}},
		"negative column":           {1, 3, []int64{0, 1}, []int32{-1}, []float32{1}},
		"too few values":            {1, 3, []int64{0, 1}, []int32{1}, nil},
		"a value that is no number": {1, 3, []int64{0, 1}, []int32{1}, []float32{float32(math.NaN())}},
		"a value that is infinite":  {1, 3, []int64{0, 1}, []int32{1}, []float32{float32(math.Inf(-1))}},
	} {
		if _, err := operator.NewSquares(c.m, c.n, c.ptr, c.cols, c.values, false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := operator.NewSquares(1, 3, []int64{0, 0}, nil, []float64{}, true); err == nil ||
		!strings.Contains(err.Error(), "no observations") {
		t.Errorf("the mean of no observations: %v", err)
	}
	q, err := operator.NewSquares(2, 3, []int64{0, 1, 2}, []int32{0, 1}, []float32{1, 2}, false)
	if err != nil {
		t.Fatal(err)
	}
	refusesScales(t, func(row, col []float64) error { _, err := q.Scaled(row, col); return err })
}

// What is done to scaled data leaves the residual of the data that they were made of.
func TestScaledSquaresHaveTheirOwnResidual(t *testing.T) {
	q, err := operator.NewSquares(2, 2, []int64{0, 2, 3}, []int32{0, 1, 1}, []float64{1, 2, 3}, false)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	u, v := factor(rng, 2, 1), factor(rng, 2, 1)
	loss := q.Move(u, v)
	scaled, err := q.Scaled([]float64{1, 2}, []float64{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	other := scaled.Move(u, v)
	if rr, _ := q.Sums(); math.Abs(rr/2-loss) > 1e-12*loss {
		t.Errorf("the loss was %v, and is %v by the sums", loss, rr/2)
	}
	if rr, _ := scaled.Sums(); math.Abs(rr/2-other) > 1e-12*other || math.Abs(other-loss) < 1e-3 {
		t.Errorf("scaled the loss is %v, %v by the sums", other, rr/2)
	}
}
