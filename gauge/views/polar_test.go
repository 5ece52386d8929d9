package views_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge/views"
)

// A trap is a two-view polar that is hard in some way.
type trap struct {
	name  string
	sizes []int
	radii []float64
	n     int
	g     []float64
}

// normal is a rows×n Gaussian matrix times scale.
func normal(rng *rand.Rand, rows, n int, scale float64) []float64 {
	w := make([]float64, rows*n)
	for i := range w {
		w[i] = scale * rng.NormFloat64()
	}
	return w
}

// rankOne is a rows×n matrix of rank one.
func rankOne(rng *rand.Rand, rows, n int) []float64 {
	u, v := normal(rng, rows, 1, 1), normal(rng, 1, n, 1)
	w := make([]float64, 0, rows*n)
	for _, x := range u {
		for _, y := range v {
			w = append(w, x*y)
		}
	}
	return w
}

// diagonal is a matrix of the given diagonal in n columns.
func diagonal(n int, d ...float64) []float64 {
	w := make([]float64, len(d)*n)
	for i, x := range d {
		w[i*n+i] = x
	}
	return w
}

// traps are views that are zero, of rank one, of one row, of other scales, and spectra with ties.
func traps() (all []trap) {
	rng := rand.New(rand.NewPCG(40, 1))
	join := func(a, b []float64) []float64 { return append(append([]float64(nil), a...), b...) }
	add := func(name string, sizes []int, n int, a, b []float64) {
		for _, radii := range [][]float64{nil, {1, 5}, {0.01, 3}} {
			all = append(all, trap{fmt.Sprintf("%s, radii %v", name, radii), sizes, radii, n, join(a, b)})
		}
	}
	add("plain", []int{4, 5}, 3, normal(rng, 4, 3, 1), normal(rng, 5, 3, 1))
	add("first zero", []int{4, 5}, 3, make([]float64, 12), normal(rng, 5, 3, 1))
	add("second zero", []int{4, 5}, 3, normal(rng, 4, 3, 1), make([]float64, 15))
	add("both of rank one", []int{4, 5}, 3, rankOne(rng, 4, 3), rankOne(rng, 5, 3))
	add("one of rank one", []int{4, 5}, 3, rankOne(rng, 4, 3), normal(rng, 5, 3, 1))
	add("univariate", []int{1, 1}, 3, normal(rng, 1, 3, 1), normal(rng, 1, 3, 1))
	add("one univariate", []int{1, 6}, 3, normal(rng, 1, 3, 1), normal(rng, 6, 3, 1))
	add("scales of 1e6", []int{4, 5}, 3, normal(rng, 4, 3, 1e6), normal(rng, 5, 3, 1))
	add("scales of 1e-9", []int{4, 5}, 3, normal(rng, 4, 3, 1e-9), normal(rng, 5, 3, 1))
	add("both identities", []int{3, 3}, 3, diagonal(3, 1, 1, 1), diagonal(3, 1, 1, 1))
	add("orthogonal rows", []int{2, 2}, 3, diagonal(3, 1, 1), []float64{0, 0, 1, 0, 1, 0})
	add("crossed diagonals", []int{2, 2}, 2, diagonal(2, 2, 1), diagonal(2, 1, 2))
	add("crossed with ties", []int{3, 3}, 3, diagonal(3, 2, 2, 1), diagonal(3, 1, 2, 2))
	add("crossed units", []int{1, 1}, 2, []float64{1, 0}, []float64{0, 1})
	add("one column", []int{3, 2}, 1, normal(rng, 3, 1, 1), normal(rng, 2, 1, 1))
	add("two columns", []int{3, 2}, 2, normal(rng, 3, 2, 1), normal(rng, 2, 2, 1))
	return all
}

// naive is the maximum of Σ r_i‖G_iv‖ over unit v of up to three entries: a grid of angles, refined about its best point.
func naive(g []float64, n int, sizes []int, radii []float64) float64 {
	value := func(a, b float64) float64 {
		v := []float64{math.Cos(a) * math.Cos(b), math.Sin(a) * math.Cos(b), math.Sin(b)}[:max(n, 1)]
		if n == 1 {
			v[0] = 1
		}
		if n == 2 {
			v = []float64{math.Cos(a), math.Sin(a)}
		}
		row, sum := 0, 0.0
		for i, rows := range sizes {
			var s float64
			for range rows {
				var x float64
				for j := range n {
					x += g[row*n+j] * v[j]
				}
				s += x * x
				row++
			}
			r := 1.0
			if radii != nil {
				r = radii[i]
			}
			sum += r * math.Sqrt(s)
		}
		for ; row*n < len(g); row++ { // labels
			var x float64
			for j := range n {
				x += g[row*n+j] * v[j]
			}
			sum += math.Abs(x)
		}
		return sum
	}
	best := 0.0
	const cells = 60
	type cell struct{ a, b, v float64 }
	var tops []cell
	for i := range 2 * cells {
		for j := range cells {
			a, b := math.Pi*float64(i)/cells, math.Pi*(float64(j)/cells-0.5)
			tops = append(tops, cell{a, b, value(a, b)})
		}
	}
	for range 12 { // from the best cells
		at := 0
		for i, c := range tops {
			if c.v > tops[at].v {
				at = i
			}
		}
		c := tops[at]
		tops[at].v = -1
		for width := 2 * math.Pi / cells; width > 1e-13; width /= 2 {
			for moved := true; moved; {
				moved = false
				for _, d := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
					a, b := c.a+d[0]*width, c.b+d[1]*width
					if v := value(a, b); v > c.v {
						c, moved = cell{a, b, v}, true
					}
				}
			}
		}
		best = math.Max(best, c.v)
	}
	return best
}

// Value and bound of the two-view polar agree with a fine search, with each other, and with the atom, on every trap and by both
// ways to look for it.
func TestTraps(t *testing.T) {
	for _, x := range traps() {
		want := naive(x.g, x.n, x.sizes, x.radii)
		for _, search := range []views.Search{views.Exact, views.PowerLike} {
			k := views.Views{Sizes: x.sizes, Radii: x.radii, Search: search}
			m := x.sizes[0] + x.sizes[1]
			p, err := k.Polar(context.Background(), conform.Matrix{M: m, N: x.n, Data: x.g}, gcg.Ask{Count: 2})
			if err != nil {
				t.Fatal(err)
			}
			if p.Kind != gcg.Proven || p.Bound < p.Value || p.Bound > p.Value*(1+1e-9) {
				t.Errorf("%s: %v ≤ κ° ≤ %v, %v", x.name, p.Value, p.Bound, p.Kind)
			}
			if math.Abs(p.Value-want) > 1e-8*want {
				t.Errorf("%s: κ° is %.12g, a fine search finds %.12g", x.name, p.Value, want)
			}
			if got := p.Atoms[0].Dot(conform.Matrix{M: m, N: x.n, Data: x.g}); math.Abs(got-p.Value) > 1e-9*want {
				t.Errorf("%s: the atom attains %v, not %v", x.name, got, p.Value)
			}
		}
	}
}

// Where the eigenvalue at the best τ is multiple, in as many dimensions as one likes, value and bound meet too.
func TestMultipleEigenvalues(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 2))
	for _, n := range []int{6, 40, 130} {
		first, second := make([]float64, n), make([]float64, n)
		for i := range n { // eigenvalues that cross in the middle, many times
			first[i], second[i] = float64(1+i%3), float64(3-i%3)
		}
		q := orthogonal(rng, n)
		g := append(product(diagonal(n, first...), q, n), product(diagonal(n, second...), q, n)...)
		p, err := views.Views{Sizes: []int{n, n}, Radii: []float64{1, 1.5}}.Polar(context.Background(),
			conform.Matrix{M: 2 * n, N: n, Data: g}, gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		var want float64 // over v in three eigenspaces with the weights w: √Σw s² + 1.5√Σw(4-s)²
		for i := range 401 {
			for j := range 401 - i {
				a, b := float64(i)/400, float64(j)/400
				c := 1 - a - b
				want = math.Max(want, math.Sqrt(a+4*b+9*c)+1.5*math.Sqrt(9*a+4*b+c))
			}
		}
		if math.Abs(p.Value-want) > 1e-5*want || p.Bound > p.Value*(1+1e-9) {
			t.Errorf("n = %d: %v ≤ κ° ≤ %v, not about %v", n, p.Value, p.Bound, want)
		}
	}
}

// orthogonal is a random orthogonal n×n matrix.
func orthogonal(rng *rand.Rand, n int) []float64 {
	f := gcg.NewFactor(n, n)
	for i := range n {
		copy(f.Row(i), normal(rng, 1, n, 1))
	}
	q, _ := gcg.Orthonormal(f, 1e-12)
	w := make([]float64, 0, n*n)
	for i := range n {
		w = append(w, q.Row(i)[:n]...)
	}
	return w
}

// product is a b for a matrix a of rows of n entries and an n×n matrix b.
func product(a, b []float64, n int) []float64 {
	c := make([]float64, len(a))
	for i := range len(a) / n {
		for k := range n {
			for j := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

// A map that is known by products gives a probable bound, and a proven one where that is asked for; both hold what the dense way
// finds.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 3))
	const m1, m2, n = 1100, 60, 1050 // more than is written out
	u, v := normal(rng, m1+m2, 3, 1), normal(rng, 3, n, 1)
	w := &gcg.Iterate{M: m1 + m2, N: n, U: gcg.NewFactor(m1+m2, 3), V: gcg.NewFactor(n, 3)}
	for i := range m1 + m2 {
		copy(w.U.Row(i), u[i*3:(i+1)*3])
	}
	for c := range 3 {
		w.V.SetColumn(c, v[c*n:(c+1)*n], 1)
	}
	k := views.Views{Sizes: []int{m1, m2}, Radii: []float64{1, 2}}
	p, err := k.Polar(context.Background(), gcg.LowRank(w.U, w.V), gcg.Ask{Count: 1, Tol: 1e-6, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if p.Kind != gcg.Probable || !(p.Failure > 0 && p.Failure <= 1e-9) || p.Bound > p.Value*(1+1e-5) {
		t.Errorf("%v ≤ κ° ≤ %v, %v but for %v", p.Value, p.Bound, p.Kind, p.Failure)
	}
	// the same in the basis of the rows of W
	basis, c := gcg.Orthonormal(w.V, 1e-12)
	small := make([]float64, 0, (m1+m2)*3)
	for i := range m1 + m2 {
		for a := range basis.K {
			var x float64
			for j := range 3 {
				x += w.U.Row(i)[j] * c.Row(a)[j]
			}
			small = append(small, x)
		}
	}
	q, err := k.Polar(context.Background(), conform.Matrix{M: m1 + m2, N: 3, Data: small}, gcg.Ask{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.Value-q.Value) > 1e-6*q.Value || p.Bound < q.Value*(1-1e-12) {
		t.Errorf("%v ≤ κ° ≤ %v by products, and %v in three dimensions", p.Value, p.Bound, q.Value)
	}
}

// BenchmarkPowerLike is how often the iteration of the papers ends without a certificate, from random starts.
func BenchmarkPowerLike(b *testing.B) {
	for _, sizes := range [][3]int{{1, 1, 5}, {2, 2, 5}, {3, 3, 5}, {15, 20, 12}} {
		b.Run(fmt.Sprint(sizes), func(b *testing.B) {
			rng, failed, tried := rand.New(rand.NewPCG(40, 4)), 0, 0
			m, n := sizes[0]+sizes[1], sizes[2]
			for b.Loop() {
				for range 200 {
					g := conform.Matrix{M: m, N: n, Data: normal(rng, m, n, 1)}
					if !views.PowerCertified(sizes[:2], g, rng.Uint64()) {
						failed++
					}
					tried++
				}
			}
			b.ReportMetric(float64(failed)/float64(tried), "failed")
		})
	}
}

// As many atoms are found as are asked for, while they attain enough: each is of gauge 1, and its value is what it attains.
func TestManyAtomsOfTwoViews(t *testing.T) {
	const n, wanted = 40, 16
	rng := rand.New(rand.NewPCG(2, 9))
	g := make([]float64, 70*n)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	m := conform.Matrix{M: 70, N: n, Data: g}
	k := views.Views{Sizes: []int{30, 40}, Radii: []float64{1, 2}}
	p, err := k.Polar(context.Background(), m, gcg.Ask{Count: wanted, Above: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Atoms) != wanted {
		t.Errorf("%d atoms, %d were asked for", len(p.Atoms), wanted)
	}
	for i, v := range p.Values {
		if !(v > 1) || v > p.Value || i > 1 && v > p.Values[i-1] {
			t.Errorf("atom %d attains %v of %v", i, v, p.Values)
		}
	}
}
