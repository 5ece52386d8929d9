package operator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
)

// features are n×p values, about half of them 0, in the four storages; the values are exact in float32.
func features(t testing.TB, rng *rand.Rand, n, p int) (x []float64, all map[string]*operator.Features) {
	t.Helper()
	x = make([]float64, n*p)
	narrow := make([]float32, n*p)
	ptr := make([]int64, n+1)
	var index []int32
	var values []float64
	var values32 []float32
	for i := range n {
		for j := range p {
			if rng.Float64() < 0.5 {
				v := float32(rng.NormFloat64())
				x[i*p+j], narrow[i*p+j] = float64(v), v
				index = append(index, int32(j))
				values = append(values, float64(v))
				values32 = append(values32, v)
			}
		}
		ptr[i+1] = int64(len(index))
	}
	all = map[string]*operator.Features{}
	add := func(name string, f *operator.Features, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all[name] = f
	}
	f, err := operator.DenseFeatures(n, p, x)
	add("dense", f, err)
	f, err = operator.DenseFeatures(n, p, narrow)
	add("dense32", f, err)
	f, err = operator.SparseFeatures(n, p, ptr, index, values)
	add("sparse", f, err)
	f, err = operator.SparseFeatures(n, p, ptr, index, values32)
	add("sparse32", f, err)
	return x, all
}

// A naive operator has A(e_jc) as a function.
func checkOperator(t *testing.T, op gcg.Operator, rng *rand.Rand, unit func(obs, j, c int) float64) {
	t.Helper()
	for _, c := range conform.Operator(op, rng) {
		if !c.OK() {
			t.Error(c)
		}
	}
	m, n, nobs := op.Dims()
	k := 3
	u, v := factor(rng, m, k), factor(rng, n, k)
	z, r := make([]float64, nobs), make([]float64, nobs)
	op.FactoredTo(z, 0, u, v)
	var entries gcg.Atom
	for range 5 + rng.IntN(2)*m*n { // some of W, or more entries than it has
		entries.Rows = append(entries.Rows, int32(rng.IntN(m)))
		entries.Cols = append(entries.Cols, int32(rng.IntN(n)))
		entries.Vals = append(entries.Vals, rng.NormFloat64())
	}
	sparse := make([]float64, nobs)
	op.AtomTo(sparse, 0, &entries)
	want := make([]float64, m*n)
	for o := range nobs {
		r[o] = rng.NormFloat64()
		var s, e float64
		for j := range m {
			for c := range n {
				a := unit(o, j, c)
				if a == 0 {
					continue
				}
				want[j*n+c] += a * r[o]
				for q := range k {
					s += a * u.Row(j)[q] * v.Row(c)[q]
				}
			}
		}
		for q, x := range entries.Vals {
			e += unit(o, int(entries.Rows[q]), int(entries.Cols[q])) * x
		}
		if math.Abs(s-z[o]) > 1e-10*(1+math.Abs(s)) {
			t.Fatalf("observation %d of U Vᵀ is %g, want %g", o, z[o], s)
		}
		if math.Abs(e-sparse[o]) > 1e-10*(1+math.Abs(e)) {
			t.Fatalf("observation %d of the entries is %g, want %g", o, sparse[o], e)
		}
	}
	for q, column := range view.OfOperator(op).Columns.Columns(entries.Rows, entries.Cols) {
		got := make([]float64, nobs)
		for e, x := range column.Values {
			i := e
			if column.Index != nil {
				i = int(column.Index[e])
			}
			got[column.Offset+column.Stride*i] = x
		}
		for o, x := range got {
			if x != unit(o, int(entries.Rows[q]), int(entries.Cols[q])) {
				t.Fatalf("observation %d of column %d is %g", o, q, x)
			}
		}
	}
	g := op.Adjoint(r)
	got := make([]float64, m*n)
	g.(gcg.DenseMap).RowsTo(got, 0)
	part := make([]float64, (m-m/2)*n)
	g.(gcg.DenseMap).RowsTo(part, m/2)
	for e, w := range want {
		if math.Abs(got[e]-w) > 1e-10*(1+math.Abs(w)) || e >= m/2*n && math.Abs(part[e-m/2*n]-w) > 1e-10*(1+math.Abs(w)) {
			t.Fatalf("entry %d of the adjoint is %g, want %g", e, got[e], w)
		}
	}
}

func TestDesign(t *testing.T) {
	for _, dims := range [][3]int{{1, 1, 1}, {7, 5, 1}, {300, 9, 3}, {70, 40, 8}, {600, 20, 11}} {
		n, p, outputs := dims[0], dims[1], dims[2]
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		x, all := features(t, rng, n, p)
		for name, f := range all {
			t.Run(fmt.Sprintf("%dx%dx%d/%s", n, p, outputs, name), func(t *testing.T) {
				op, err := operator.NewDesign(f, outputs)
				if err != nil {
					t.Fatal(err)
				}
				checkOperator(t, op, rand.New(rand.NewPCG(2, 2)), func(o, j, c int) float64 {
					if o%outputs != c {
						return 0
					}
					return x[o/outputs*p+j]
				})
			})
		}
	}
}

func TestTasks(t *testing.T) {
	for _, dims := range [][3]int{{1, 1, 1}, {50, 6, 4}, {9000, 5, 3}} {
		n, p, tasks := dims[0], dims[1], dims[2]
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		x, all := features(t, rng, n, p)
		task := make([]int32, n)
		for i := range task {
			task[i] = int32(rng.IntN(tasks))
		}
		for name, f := range all {
			t.Run(fmt.Sprintf("%dx%dx%d/%s", n, p, tasks, name), func(t *testing.T) {
				op, err := operator.NewTasks(f, task, tasks)
				if err != nil {
					t.Fatal(err)
				}
				checkOperator(t, op, rand.New(rand.NewPCG(2, 2)), func(o, j, c int) float64 {
					if int(task[o]) != c {
						return 0
					}
					return x[o*p+j]
				})
			})
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {5, 7}, {40, 11}} {
		op, err := operator.NewIdentity(dims[0], dims[1])
		if err != nil {
			t.Fatal(err)
		}
		checkOperator(t, op, rand.New(rand.NewPCG(2, 2)), func(o, j, c int) float64 {
			if o == j*dims[1]+c {
				return 1
			}
			return 0
		})
	}
}

// A gradient that is too large to form is known through products.
func TestLargeDesign(t *testing.T) {
	const p, outputs = 1 << 20, 65
	ptr, index, values := []int64{0, 2, 3, 3}, []int32{0, p - 1, 7}, []float64{2, -1, 3}
	f, err := operator.SparseFeatures(3, p, ptr, index, values)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	r := make([]float64, 3*outputs)
	for i := range r {
		r[i] = float64(i%7) - 3
	}
	g := op.Adjoint(r)
	x, y := make([]float64, outputs), make([]float64, p)
	x[4], y[0], y[p-1], y[7] = 1, 1, 1, 1
	gx, gy := make([]float64, p), make([]float64, outputs)
	g.MulTo(gx, x)
	g.TMulTo(gy, y)
	if gx[0] != 2*r[4] || gx[p-1] != -r[4] || gx[7] != 3*r[outputs+4] {
		t.Errorf("G e₅ is %g, %g, %g", gx[0], gx[p-1], gx[7])
	}
	for c := range gy {
		if want := 2*r[c] - r[c] + 3*r[outputs+c]; gy[c] != want {
			t.Errorf("Gᵀy at %d is %g, want %g", c, gy[c], want)
		}
	}
	rows := make([]float64, 2*outputs)
	g.(gcg.DenseMap).RowsTo(rows, 6)
	if rows[4] != 0 || rows[outputs+4] != 3*r[outputs+4] {
		t.Errorf("rows 7 and 8 of G have %g and %g", rows[4], rows[outputs+4])
	}
}

func TestFeaturesRefuse(t *testing.T) {
	_, err := operator.DenseFeatures(2, 2, []float64{1, 2, math.NaN(), 4})
	if err == nil || !strings.Contains(err.Error(), "feature 1 of sample 2") {
		t.Errorf("a NaN is not named: %v", err)
	}
	if _, err := operator.DenseFeatures(2, 2, []float64{1, 2, 3}); err == nil {
		t.Error("three values filled a 2×2 matrix")
	}
	const half = 1 << (strconv.IntSize / 2)
	if _, err := operator.DenseFeatures[float64](half, half, nil); err == nil { // half·half is 0 in an int
		t.Error("no values filled a matrix that no int can number")
	}
	if _, err := operator.NewIdentity(half, half); err == nil || !strings.Contains(err.Error(), "than can be numbered") {
		t.Errorf("an identity of more entries than an int: %v", err)
	}
	if _, err := operator.SparseFeatures(1, 2, []int64{0, 2}, []int32{1, 0}, []float64{1, 1}); err == nil {
		t.Error("descending columns were taken")
	}
	if _, err := operator.SparseFeatures(1, 2, []int64{0, 1}, []int32{1}, []float32{float32(math.Inf(1))}); err == nil {
		t.Error("an infinity was taken")
	}
	f, _ := operator.DenseFeatures(2, 1, []float64{1, 2})
	if _, err := operator.NewTasks(f, []int32{0, 3}, 2); err == nil || !strings.Contains(err.Error(), "sample 2") {
		t.Errorf("a task out of range is not named: %v", err)
	}
	if _, err := operator.NewDesign(f, 0); err == nil {
		t.Error("a design without outputs was taken")
	}
	if _, err := operator.NewDesign(f, math.MaxInt); err == nil || !strings.Contains(err.Error(), "than can be numbered") {
		t.Errorf("a design of more observations than an int: %v", err)
	}
}

// No features, or those that no constructor made, are errors that say how to make them.
func TestNoFeatures(t *testing.T) {
	for name, x := range map[string]*operator.Features{"nil": nil, "zero": {}} {
		_, design := operator.NewDesign(x, 2)
		_, tasks := operator.NewTasks(x, nil, 2)
		for of, err := range map[string]error{"design": design, "tasks": tasks} {
			if err == nil || !strings.Contains(err.Error(), "make them with DenseFeatures") {
				t.Errorf("%s of %s features: %v", of, name, err)
			}
		}
	}
}

// Constructors without data, or of no size, are errors and no panics.
func TestNothingIsRefused(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {0, 2}, {2, 0}, {-1, 2}, {2, -1}, {math.MaxInt, 1}} {
		m, n := size[0], size[1]
		_, dense := operator.DenseFeatures[float64](m, n, nil)
		_, sparse := operator.SparseFeatures[float32](m, n, nil, nil, nil)
		_, sampling := operator.NewSampling(m, n, nil, nil)
		_, squares := operator.NewSquares[float32](m, n, nil, nil, nil, false)
		for of, err := range map[string]error{"dense": dense, "sparse": sparse, "sampling": sampling, "squares": squares} {
			if err == nil {
				t.Errorf("%s of %d×%d: no error", of, m, n)
			}
		}
		if _, err := operator.NewIdentity(m, n); err == nil && min(m, n) < 1 {
			t.Errorf("identity of %d×%d: no error", m, n)
		}
	}
}
