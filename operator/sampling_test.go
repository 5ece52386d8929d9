package operator_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/operator"
)

// random samples about a fraction of the entries; some rows and columns stay empty.
func random(t testing.TB, rng *rand.Rand, m, n int, fraction float64, scaled bool) *operator.Sampling {
	t.Helper()
	ptr := make([]int64, m+1)
	var cols []int32
	for i := range m {
		for j := range n {
			if i%5 != 3 && j%7 != 2 && rng.Float64() < fraction {
				cols = append(cols, int32(j))
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	if !scaled {
		return op
	}
	row, col := make([]float64, m), make([]float64, n)
	for i := range row {
		row[i] = 0.5 + rng.Float64()
	}
	for j := range col {
		col[j] = 0.5 + rng.Float64()
	}
	op, err = op.Scaled(row, col)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func factor(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

func TestSamplingConforms(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for _, c := range conform.Operator(random(t, rng, 40, 60, 0.4, seed%2 == 1), rng) {
			if !c.OK() {
				t.Errorf("seed %d: %v", seed, c)
			}
		}
	}
}

func near(a, b *gcg.Factor) float64 {
	var d, s float64
	for i := range a.Data {
		d = math.Max(d, math.Abs(a.Data[i]-b.Data[i]))
		s = math.Max(s, math.Abs(a.Data[i]))
	}
	return d / math.Max(s, 1e-300)
}

// The fused passes against what they are made of.
func TestFusedEqualsItsParts(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 2))
		checkFused(t, random(t, rng, 50, 45, 0.5, seed%2 == 1), rng, 1+int(seed)*3)
	}
}

// onePass has the passes of an operator for the squared loss.
type onePass interface {
	gcg.Operator
	ResidualTo(r, y []float64, u, v *gcg.Factor) float64
	CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor)
	NormalTo(gu, x, v *gcg.Factor)
	Normal32To(gu, x, v *gcg.Factor32)
	DiagonalTo(du, dv, u2, v2 *gcg.Factor)
}

// columned is an operator that gives its columns.
type columned interface {
	Columns(rows, cols []int32) []gcg.Column
}

// checkFused compares the passes of an operator, at factors of k columns, with what they are made of.
func checkFused(t *testing.T, op onePass, rng *rand.Rand, k int) {
	t.Helper()
	m, n, nobs := op.Dims()
	u, v, du, dv := factor(rng, m, k), factor(rng, n, k), factor(rng, m, k), factor(rng, n, k)
	y, r, z := make([]float64, nobs), make([]float64, nobs), make([]float64, nobs)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	op.FactoredTo(z, 0, u, v)
	sum := op.ResidualTo(r, y, u, v)
	var want float64
	for i := range r {
		if math.Abs(r[i]-(y[i]-z[i])) > 1e-12 {
			t.Fatalf("residual %d is %g, want %g", i, r[i], y[i]-z[i])
		}
		want += r[i] * r[i]
	}
	if math.Abs(sum-want) > 1e-11*want {
		t.Errorf("Σr² = %g, want %g", sum, want)
	}
	gu, gv := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	op.CurvatureTo(gu, gv, r, u, v, du, dv)
	e, e2 := make([]float64, nobs), make([]float64, nobs)
	op.FactoredTo(e, 0, du, v)
	op.FactoredTo(e2, 0, u, dv)
	for i := range e {
		e[i] += e2[i]
	}
	eu, ev := gcg.Both(op.Adjoint(e), u, v)
	ru, rv := gcg.Both(op.Adjoint(r), du, dv)
	eu.AddScaled(-1, ru)
	ev.AddScaled(-1, rv)
	if d := math.Max(near(gu, eu), near(gv, ev)); d > 1e-11 {
		t.Errorf("k=%d: the curvature pass is off by %g", k, d)
	}
	d, alone := gcg.NewFactor(m, k), gcg.NewFactor(m, k)
	op.DiagonalTo(d, gcg.NewFactor(n, k), u, v)
	op.DiagonalTo(alone, nil, u, v)
	if near(alone, d) > 1e-14 {
		t.Errorf("k=%d: the diagonal for u alone is off by %g", k, near(alone, d))
	}
	gx, gx32 := gcg.NewFactor(m, k), gcg.NewFactorOf[float32](m, k)
	op.NormalTo(gx, du, v)
	op.Normal32To(gx32, gcg.FactorIn[float32](du), gcg.FactorIn[float32](v))
	op.FactoredTo(e, 0, du, v)
	eu, _ = gcg.Both(op.Adjoint(e), u, v)
	if d, d32 := near(gx, eu), near(gcg.FactorIn[float64](gx32), eu); d > 1e-11 || d32 > 1e-5 {
		t.Errorf("k=%d: the normal pass is off by %g, in float32 by %g", k, d, d32)
	}
}

func TestSamplingRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		m, n int
		ptr  []int64
		cols []int32
	}{
		"no rows":           {0, 3, []int64{0}, nil},
		"offsets too short": {2, 3, []int64{0, 1}, []int32{0}},
		"descending":        {2, 3, []int64{0, 2, 1}, []int32{0}},
		"unsorted":          {1, 3, []int64{0, 2}, []int32{2, 1}},
		"twice":             {1, 3, []int64{0, 2}, []int32{1, 1}},
		"column too large":  {1, 3, []int64{0, 1}, []int32{3}},
	} {
		if _, err := operator.NewSampling(c.m, c.n, c.ptr, c.cols); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	op := random(t, rand.New(rand.NewPCG(1, 1)), 2, 3, 1, false)
	refusesScales(t, func(row, col []float64) error { _, err := op.Scaled(row, col); return err })
}

// refusesScales tries scales of 2 rows and 3 columns.
func refusesScales(t *testing.T, scaled func(row, col []float64) error) {
	t.Helper()
	if err := scaled([]float64{1, 2}, []float64{1, 2, 3}); err != nil {
		t.Error(err)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if scaled([]float64{1, bad}, []float64{1, 2, 3}) == nil || scaled([]float64{1, 2}, []float64{bad, 2, 3}) == nil {
			t.Errorf("a scale of %v: no error", bad)
		}
	}
	if scaled([]float64{1}, []float64{1, 2, 3}) == nil || scaled([]float64{1, 2}, []float64{1, 2}) == nil {
		t.Error("too few scales: no error")
	}
}

// Entries of an atom at the same place add up.
func TestEntriesAddUp(t *testing.T) {
	op, err := operator.NewSampling(2, 3, []int64{0, 2, 3}, []int32{0, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, 3)
	op.AtomTo(z, 0, &gcg.Atom{Rows: []int32{0, 1, 0, 0}, Cols: []int32{2, 1, 2, 0}, Vals: []float64{3, 5, 4, 1}})
	if want := []float64{1, 7, 5}; !slices.Equal(z, want) {
		t.Errorf("z = %v, want %v", z, want)
	}
}
