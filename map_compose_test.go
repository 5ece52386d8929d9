package gcg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/operator"
)

// blocksOnly has block products and nothing more, rowsOnly rows and nothing more.
type blocksOnly struct{ gcg.BlockMap }
type rowsOnly struct{ gcg.DenseMap }

// randomMatrix is m×n, of normal entries.
func randomMatrix(rng *rand.Rand, m, n int) conform.Matrix {
	a := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
	for e := range a.Data {
		a.Data[e] = rng.NormFloat64()
	}
	return a
}

// randomFactor is rows×k, of normal entries.
func randomFactor(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// forms are one matrix as maps of every set of capabilities, by name.
func forms(t *testing.T, rng *rand.Rand, a conform.Matrix) map[string]gcg.Map {
	whole, err := operator.NewIdentity(a.M, a.N)
	if err != nil {
		t.Fatal(err)
	}
	ptr, cols := make([]int64, a.M+1), make([]int32, 0, a.M*a.N)
	for i := range a.M {
		for j := range a.N {
			cols = append(cols, int32(j))
		}
		ptr[i+1] = int64(len(cols))
	}
	sampled, err := operator.NewSampling(a.M, a.N, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]gcg.Map{
		"products":          struct{ gcg.Map }{a},
		"rows":              a,
		"blocks":            blocksOnly{whole.Adjoint(a.Data).(gcg.BlockMap)},
		"blocks and rows":   whole.Adjoint(a.Data),
		"sampled":           sampled.Adjoint(a.Data),
		"rows, as a sum":    gcg.Sum(rowsOnly{a}, gcg.Scaled(a, -0.5), gcg.Scaled(rowsOnly{a}, 0.5)),
		"transposed twice":  gcg.Transposed(gcg.Transposed(a)),
		"transposed blocks": gcg.Transposed(gcg.Transposed(whole.Adjoint(a.Data))),
	}
}

// capabilities are which optional products a map has.
func capabilities(g gcg.Map) (c [2]bool) {
	_, c[0] = g.(gcg.BlockMap)
	_, c[1] = g.(gcg.DenseMap)
	return c
}

// checkMap compares every product of g with those of its dense twin.
func checkMap(t *testing.T, rng *rand.Rand, name string, g gcg.Map, want conform.Matrix) {
	t.Helper()
	m, n := g.Dims()
	if m != want.M || n != want.N {
		t.Fatalf("%s: %d×%d, not %d×%d", name, m, n, want.M, want.N)
	}
	for _, k := range []int{1, 3} {
		u, v := randomFactor(rng, m, k), randomFactor(rng, n, k)
		gv, gu := gcg.Both(g, u, v)
		mv, mu := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
		gcg.MulBlock(g, mv, v)
		gcg.TMulBlock(g, mu, u)
		wv, wu := gcg.Both(want, u, v)
		for what, pair := range map[string][2]*gcg.Factor{"G V": {gv, wv}, "Gᵀ U": {gu, wu}, "G V alone": {mv, wv},
			"Gᵀ U alone": {mu, wu}} {
			pair[0].AddScaled(-1, pair[1])
			if off := gcg.Norm(pair[0].Data); off > 1e-12*gcg.Norm(pair[1].Data) {
				t.Errorf("%s: %s of %d columns is off by %.1e", name, what, k, off)
			}
		}
	}
	x, y := make([]float64, n), make([]float64, m)
	x[n-1], y[0] = 1, 1
	col, row := make([]float64, m), make([]float64, n)
	g.MulTo(col, x)
	g.TMulTo(row, y)
	all := make([]float64, m*n)
	gcg.DenseTo(all, g)
	for i := range m {
		for j := range n {
			e := want.Data[i*n+j]
			if math.Abs(all[i*n+j]-e) > 1e-12 || j == n-1 && math.Abs(col[i]-e) > 1e-12 || i == 0 && math.Abs(row[j]-e) > 1e-12 {
				t.Fatalf("%s: entry (%d, %d) is %v written out, %v and %v by products, not %v", name, i, j, all[i*n+j],
					col[i], row[j], e)
			}
		}
	}
	if d, ok := g.(gcg.DenseMap); ok { // some rows in the middle
		part := make([]float64, 2*n)
		d.RowsTo(part, m-3)
		for e, x := range part {
			if math.Abs(x-want.Data[(m-3)*n+e]) > 1e-12 {
				t.Errorf("%s: other rows from %d on", name, m-3)
			}
		}
	}
	if got, square := gcg.SquaredNorm(g), gcg.Norm(want.Data)*gcg.Norm(want.Data); math.Abs(got-square) > 1e-11*square {
		t.Errorf("%s: ‖G‖² is %v, not %v", name, got, square)
	}
}

// Compositions of maps of every set of capabilities are those of dense matrices, and keep these capabilities.
func TestComposedMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 1))
	const m, n = 9, 5
	a := randomMatrix(rng, m, n)
	rows, cols := randomMatrix(rng, 1, m).Data, randomMatrix(rng, 1, n).Data
	dense := func(rows, cols int, at func(i, j int) float64) conform.Matrix {
		w := conform.Matrix{M: rows, N: cols, Data: make([]float64, rows*cols)}
		for e := range w.Data {
			w.Data[e] = at(e/cols, e%cols)
		}
		return w
	}
	at := func(i, j int) float64 { return a.Data[i*n+j] }
	for name, g := range forms(t, rng, a) {
		checkMap(t, rng, name, g, a)
		for what, c := range map[string]struct {
			got  gcg.Map
			want conform.Matrix
		}{
			"scaled":      {gcg.Scaled(g, -3), dense(m, n, func(i, j int) float64 { return -3 * at(i, j) })},
			"scaled by 1": {gcg.Scaled(g, 1), a},
			"rows scaled": {gcg.RowScaled(g, rows, nil), dense(m, n, func(i, j int) float64 { return rows[i] * at(i, j) })},
			"both scaled": {gcg.RowScaled(g, rows, cols), dense(m, n, func(i, j int) float64 {
				return rows[i] * at(i, j) * cols[j]
			})},
			"sum": {gcg.Sum(g, gcg.Scaled(g, 2), g), dense(m, n, func(i, j int) float64 { return 4 * at(i, j) })},
		} {
			checkMap(t, rng, name+", "+what, c.got, c.want)
			if got, want := capabilities(c.got), capabilities(g); got != want {
				t.Errorf("%s, %s: blocks, rows %v, of a map with %v", name, what, got, want)
			}
		}
		checkMap(t, rng, name+", transposed", gcg.Transposed(g), dense(n, m, func(i, j int) float64 { return at(j, i) }))
	}
}

// A sum has the capabilities that all of its terms have, and no others.
func TestSumKeepsWhatAllHave(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 2))
	a := randomMatrix(rng, 6, 4)
	f := forms(t, rng, a)
	for _, c := range []struct {
		parts [2]string
		want  [2]bool
	}{
		{[2]string{"products", "sampled"}, [2]bool{}},
		{[2]string{"rows", "sampled"}, [2]bool{false, true}},
		{[2]string{"blocks", "sampled"}, [2]bool{true, false}},
		{[2]string{"blocks and rows", "sampled"}, [2]bool{true, true}},
	} {
		if got := capabilities(gcg.Sum(f[c.parts[0]], f[c.parts[1]])); got != c.want {
			t.Errorf("%v: blocks, rows %v, not %v", c.parts, got, c.want)
		}
	}
}

// U Vᵀ is that matrix, and product products with it take products only.
func TestLowRankMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 3))
	const m, n, k = 8, 6, 2
	u, v, b := randomFactor(rng, m, k), randomFactor(rng, n, k), randomMatrix(rng, m, n)
	want := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
	var product float64
	for i := range m {
		for j := range n {
			want.Data[i*n+j] = u.Row(i)[0]*v.Row(j)[0] + u.Row(i)[1]*v.Row(j)[1]
			product += want.Data[i*n+j] * (2*b.Data[i*n+j] - want.Data[i*n+j])
		}
	}
	g := gcg.LowRank(u, v)
	checkMap(t, rng, "low rank", g, want)
	if c := capabilities(g); c != [2]bool{true, true} {
		t.Errorf("blocks, rows %v", c)
	}
	products := struct{ gcg.Map }{b} // whose rows would take m products
	h := gcg.Sum(gcg.Scaled(products, 2), gcg.Scaled(g, -1))
	for _, pair := range [][2]gcg.Map{{g, h}, {h, g}} {
		if got := gcg.InnerProduct(pair[0], pair[1]); math.Abs(got-product) > 1e-12*math.Abs(product) {
			t.Errorf("⟨G, H⟩ = %v, not %v", got, product)
		}
	}
}
