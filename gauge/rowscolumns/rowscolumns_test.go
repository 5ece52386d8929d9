package rowscolumns_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
)

// enumerated is the polar by trying every set of columns with the rows that suit it best, for up to 20 columns.
func enumerated(g conform.Matrix) (best float64) {
	for set := 1; set < 1<<g.N; set++ {
		cols := 0
		sums := make([]float64, g.M)
		for j := range g.N {
			if set>>j&1 == 1 {
				cols++
				for i := range sums {
					sums[i] += math.Abs(g.Data[i*g.N+j])
				}
			}
		}
		for range g.M { // the best rows are the largest
			var total float64
			rows := 0
			for _, x := range sums {
				if x > best {
					total += x
					rows++
				}
			}
			if rows == 0 || !(total/float64(rows+cols) > best) {
				break
			}
			best = total / float64(rows+cols)
		}
	}
	return best
}

// enumeratedGroups is the polar by trying every set of groups with the entries that lie in no other group.
func enumeratedGroups(g conform.Matrix, index [][]int32, weights []float64) (best float64) {
	for set := 1; set < 1<<len(index); set++ {
		var weight float64
		outside := map[int32]bool{}
		for c, entries := range index {
			if set>>c&1 == 1 {
				weight += weights[c]
				continue
			}
			for _, e := range entries {
				outside[e] = true
			}
		}
		var total float64
		for e, x := range g.Data {
			if !outside[int32(e)] {
				total += math.Abs(x)
			}
		}
		best = math.Max(best, total/weight)
	}
	return best
}

// matrices are full and sparse ones, with ties, of one row, and of extreme scales.
func matrices(rng *rand.Rand) (all []conform.Matrix) {
	for _, d := range [][2]int{{1, 1}, {1, 9}, {7, 1}, {4, 6}, {9, 5}, {40, 8}, {8, 40}} {
		for kind := range 6 {
			g := conform.Matrix{M: d[0], N: d[1], Data: make([]float64, d[0]*d[1])}
			for e := range g.Data {
				switch x := rng.NormFloat64(); kind {
				case 0:
					g.Data[e] = x
				case 1:
					g.Data[e] = math.Trunc(x) // many 0 and ties
				case 2:
					g.Data[e] = 1e-120 * x
				case 3:
					g.Data[e] = 1e120 * x
				case 4:
					g.Data[e] = x * x * x * math.Exp(3*math.Sin(float64(e%d[1])))
				default:
					g.Data[e] = x * math.Exp(2*rng.NormFloat64()) * float64(min(1, rng.IntN(3)))
				}
			}
			all = append(all, g)
		}
	}
	return all
}

// conforms runs the checks of conform.Gauge, and compares value and bound with a naive twin.
func conforms(t *testing.T, k gcg.Gauge, g conform.Matrix, want float64, rng *rand.Rand) {
	t.Helper()
	checks, err := conform.Gauge(context.Background(), k, g, rng)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if !c.OK() {
			t.Errorf("%s at %d×%d: %v", k.Name(), g.M, g.N, c)
		}
	}
	p, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.Value-want) > 1e-12*want || p.Bound < p.Value || p.Bound-p.Value > 1e-9*want || p.Kind != gcg.Proven {
		t.Errorf("%s at %d×%d: [%v, %v] (%s), enumerated %v", k.Name(), g.M, g.N, p.Value, p.Bound, p.Kind, want)
	}
}

func transposed(g conform.Matrix) conform.Matrix {
	x := conform.Matrix{M: g.N, N: g.M, Data: make([]float64, len(g.Data))}
	for e, v := range g.Data {
		x.Data[e%g.N*g.M+e/g.N] = v
	}
	return x
}

func TestRowsColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 42))
	for _, g := range matrices(rng) {
		want := g
		if g.N > 10 {
			want = transposed(g)
		}
		conforms(t, rowscolumns.Gauge{}, g, enumerated(want), rng)
	}
}

// treeAndGrid are nested groups, and windows of 2×2 that overlap.
func treeAndGrid(m, n int) map[string][][]int32 {
	all := map[string][][]int32{}
	for size := m * n; size > 0; size /= 3 {
		for lo := 0; lo+size <= m*n; lo += size {
			var g []int32
			for e := lo; e < lo+size; e++ {
				g = append(g, int32(e))
			}
			all["tree"] = append(all["tree"], g)
		}
	}
	for i := range max(1, m-1) {
		for j := range max(1, n-1) {
			var g []int32
			for a := i; a <= min(i+1, m-1); a++ {
				for b := j; b <= min(j+1, n-1); b++ {
					g = append(g, int32(a*n+b))
				}
			}
			all["grid"] = append(all["grid"], g)
		}
	}
	return all
}

func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 42))
	for _, g := range matrices(rng) {
		if g.M*g.N > 30 || g.M*g.N == 9 || g.M*g.N == 7 {
			continue
		}
		for kind, index := range treeAndGrid(g.M, g.N) {
			if len(index) > 16 {
				index = index[:16]
				all := []int32(nil)
				for e := range g.Data {
					all = append(all, int32(e))
				}
				index = append(index, all)
			}
			weights := make([]float64, len(index))
			for c := range weights {
				weights[c] = 0.5 + rng.Float64()
			}
			k, err := rowscolumns.NewGroups(g.M, g.N, index, weights)
			if err != nil {
				t.Fatal(kind, err)
			}
			conforms(t, k, g, enumeratedGroups(g, index, weights), rng)
		}
	}
}

// Rows and columns given as groups are rows and columns.
func TestGroupsOfRowsAndColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 42))
	for _, g := range matrices(rng) {
		index := make([][]int32, g.M+g.N)
		for e := range g.Data {
			i, j := e/g.N, e%g.N
			index[i], index[g.M+j] = append(index[i], int32(e)), append(index[g.M+j], int32(e))
		}
		k, err := rowscolumns.NewGroups(g.M, g.N, index, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := rowscolumns.Gauge{}.Polar(context.Background(), g, gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.Value-b.Value) > 1e-12*b.Value || a.Bound > b.Bound*(1+1e-9) || b.Bound > a.Bound*(1+1e-9) {
			t.Errorf("%d×%d: [%v, %v] and [%v, %v]", g.M, g.N, a.Value, a.Bound, b.Value, b.Bound)
		}
		x, y := make([]float64, len(g.Data)), make([]float64, len(g.Data))
		p, q := k.ProxTo(x, g.Data, g.M, g.N, b.Value/3), rowscolumns.Gauge{}.ProxTo(y, g.Data, g.M, g.N, b.Value/3)
		if math.Abs(p-q) > 1e-9*q || k.Of(y, g.M, g.N) != (rowscolumns.Gauge{}).Of(y, g.M, g.N) {
			t.Errorf("%d×%d: the proximity operators have κ = %v and %v", g.M, g.N, p, q)
		}
	}
}

// A step of a matrix that has small densities everywhere needs several flows: an identity with a few heavy rows.
func TestPolarWherePeelingIsNotEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 42))
	for trial := range 300 {
		m, n := 3+rng.IntN(12), 2+rng.IntN(7)
		g := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
		for e := range g.Data {
			g.Data[e] = math.Pow(rng.Float64(), 4)
			if rng.IntN(4) == 0 {
				g.Data[e] = 0
			}
		}
		want := enumerated(g)
		p, err := rowscolumns.Gauge{}.Polar(context.Background(), g, gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(p.Value-want) > 1e-12*want || p.Bound > want*(1+1e-9) {
			t.Fatalf("trial %d, %d×%d: [%v, %v], enumerated %v", trial, m, n, p.Value, p.Bound, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		index   [][]int32
		weights []float64
		want    string
	}{
		{[][]int32{{0, 1}, {1, 2}}, nil, "no group has the entry at row 2, column 2"},
		{[][]int32{{0, 1, 2, 3}, {}}, nil, "group 2 is empty"},
		{[][]int32{{0, 1, 2, 4}}, nil, "group 1 has entry 4"},
		{[][]int32{{0, 1, 2, 3, 0}}, nil, ""},
		{[][]int32{{0, 1, 1, 2, 3}}, nil, "row 1, column 2 twice"},
		{[][]int32{{0, 1, 2, 3}}, []float64{0}, "the weight of group 1 is 0"},
		{[][]int32{{0, 1, 2, 3}}, []float64{1, 2}, "2 weights for 1 groups"},
	} {
		_, err := rowscolumns.NewGroups(2, 2, c.index, c.weights)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, not %q", c.index, err, c.want)
		}
	}
	k := rowscolumns.Gauge{}
	bad := conform.Matrix{M: 1, N: 2, Data: []float64{1, math.NaN()}}
	if _, err := k.Polar(context.Background(), bad, gcg.Ask{Count: 1}); err == nil {
		t.Error("a NaN was taken")
	}
}
