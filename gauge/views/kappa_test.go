package views_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge/views"
)

// The gauges keep their definitions: polars at maps of every scale, atoms of gauge 1, no other atom above the bound.
func TestConform(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 5))
	for _, k := range []gcg.Gauge{views.Views{Sizes: []int{2, 4}}, views.Views{Sizes: []int{1, 5}, Radii: []float64{1, 5}},
		views.Views{Sizes: []int{2, 4}, Radii: []float64{0.1, 5}, Search: views.PowerLike},
		views.Views{Sizes: []int{2, 2}, Labels: 2}, views.Simplex{Sizes: []int{2, 1, 3}, Radii: []float64{1, 2, 0.5}}} {
		for _, n := range []int{1, 4, 9} {
			checks, err := conform.Gauge(context.Background(), k, conform.Matrix{M: 6, N: n, Data: normal(rng, 6, n, 1)}, rng)
			if err != nil {
				t.Fatalf("%s: %v", k.Name(), err)
			}
			for _, c := range checks {
				if !c.OK() {
					t.Errorf("%+v, n = %d: %v", k, n, c)
				}
			}
		}
	}
}

// κ of two views is the maximum of ‖D_ηW‖_* on a fine grid, never below it, and is dual to the polar; Simplex of two views is it.
func TestGaugeClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 6))
	for _, n := range []int{1, 3, 8} {
		for _, radii := range [][]float64{{1, 1}, {1, 5}, {0.02, 3}} {
			k := views.Views{Sizes: []int{2, 3}, Radii: radii}
			w := normal(rng, 5, n, 1)
			got, least := k.Kappa(w, 5, n), 0.0
			for i := range 2001 {
				eta := float64(i) / 2000
				f := gcg.NewFactor(5, n)
				for row := range 5 {
					d := math.Sqrt(eta) / radii[0]
					if row >= 2 {
						d = math.Sqrt(1-eta) / radii[1]
					}
					for j := range n {
						f.Row(row)[j] = d * w[row*n+j]
					}
				}
				_, s, _ := gcg.SVD(f, gcg.Identity(n), 1e-15)
				var sum float64
				for _, x := range s {
					sum += x
				}
				least = math.Max(least, sum)
			}
			if got < least*(1-1e-14) || got > least*(1+1e-4) {
				t.Errorf("n = %d, radii %v: κ = %v, on a grid %v", n, radii, got, least)
			}
			f := gcg.NewFactor(5, n)
			for row := range 5 {
				copy(f.Row(row), w[row*n:(row+1)*n])
			}
			if b := k.Bracket(f, gcg.Identity(n)); b.Upper > b.Lower*(1+1e-10) {
				t.Errorf("n = %d, radii %v: %v ≤ κ ≤ %v", n, radii, b.Lower, b.Upper)
			}
			if other := (views.Simplex{Sizes: k.Sizes, Radii: radii}).Kappa(w, 5, n); math.Abs(other-got) > 1e-7*got {
				t.Errorf("n = %d, radii %v: κ = %v, by the simplex %v", n, radii, got, other)
			}
		}
	}
}

// The polar with labels is the maximum over v of three entries of a fine search; where strong duality fails it still closes.
func TestLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 7))
	check := func(k views.Views, m, n int, g []float64) {
		t.Helper()
		p, err := k.Polar(context.Background(), conform.Matrix{M: m, N: n, Data: g}, gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := naive(g, n, k.Sizes, k.Radii); math.Abs(p.Value-want) > 1e-8*want {
			t.Errorf("%+v: κ° is %.12g, a fine search finds %.12g", k, p.Value, want)
		}
		if p.Kind != gcg.Proven || p.Bound > p.Value*(1+1e-9) {
			t.Errorf("%+v: %v ≤ κ° ≤ %v, %v", k, p.Value, p.Bound, p.Kind)
		}
	}
	c, s := math.Cos(2*math.Pi/3), math.Sin(2*math.Pi/3)
	// the maximum of the squares is 4, and duality says 4.5
	check(views.Views{Sizes: []int{1, 1}, Labels: 1}, 3, 2, []float64{1, 0, c, s, c, -s})
	for range 30 {
		check(views.Views{Sizes: []int{2, 2}, Labels: 1}, 5, 2, normal(rng, 5, 2, 1))
		check(views.Views{Sizes: []int{2, 3}, Radii: []float64{1, 0.3}, Labels: 3}, 8, 3, normal(rng, 8, 3, 1))
		check(views.Views{Sizes: []int{1, 3}, Labels: 5}, 9, 3, normal(rng, 9, 3, 1))
	}
}

// Where more atoms with labels are wanted there are other local maxima, each of which attains what is said of it; and where less
// accuracy is wanted the bound has no more than that.
func TestAtomsWithLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 9))
	const n, tol = 20, 1e-3
	k := views.Views{Sizes: []int{6, 5}, Radii: []float64{1, 2}, Labels: 6}
	g := conform.Matrix{M: 17, N: n, Data: normal(rng, 17, n, 1)}
	p, err := k.Polar(context.Background(), g, gcg.Ask{Count: 8, Tol: tol})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Atoms) < 2 || p.Kind != gcg.Proven || p.Bound > p.Value*(1+tol)*(1+1e-12) {
		t.Fatalf("%d atoms, %v ≤ κ° ≤ %v, %v", len(p.Atoms), p.Value, p.Bound, p.Kind)
	}
	for i := range p.Atoms {
		if got := p.Atoms[i].Dot(g); math.Abs(got-p.Values[i]) > 1e-9*p.Value || i > 0 && p.Values[i] > p.Values[i-1] {
			t.Errorf("atom %d attains %v, said to be %v", i, got, p.Values[i])
		}
		if got := k.Compress(gcg.Join(17, n, []gcg.Term{{Atom: p.Atoms[i], Weight: 1}})); math.Abs(got-1) > 1e-9 {
			t.Errorf("atom %d has the gauge %v", i, got)
		}
	}
	exact, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if exact.Value > p.Bound || exact.Value < p.Value*(1-1e-12) {
		t.Errorf("κ° is %v, not in [%v, %v]", exact.Value, p.Value, p.Bound)
	}
}

// Beyond ExactLabels a gap that is left is said to be one.
func TestManyLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 8))
	k := views.Views{Sizes: []int{2, 2}, Labels: 40}
	p, err := k.Polar(context.Background(), conform.Matrix{M: 44, N: 12, Data: normal(rng, 44, 12, 1)}, gcg.Ask{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	switch p.Kind {
	case gcg.Proven:
		if p.Bound > p.Value*(1+1e-9) {
			t.Errorf("%v ≤ κ° ≤ %v is proven", p.Value, p.Bound)
		}
	case gcg.Approximate:
		if math.Abs(p.Alpha*p.Bound-p.Value) > 1e-9*p.Value {
			t.Errorf("the ratio %v is not %v/%v", p.Alpha, p.Value, p.Bound)
		}
	default:
		t.Errorf("the bound is %v", p.Kind)
	}
}

// Sizes and radii that make no views are refused, and a matrix of other rows.
func TestRefuses(t *testing.T) {
	g := conform.Matrix{M: 3, N: 1, Data: []float64{1, 2, 3}}
	for _, k := range []gcg.Gauge{views.Views{}, views.Views{Sizes: []int{3}}, views.Views{Sizes: []int{2, 2}},
		views.Views{Sizes: []int{0, 3}}, views.Views{Sizes: []int{1, 2}, Radii: []float64{1, 0}},
		views.Views{Sizes: []int{1, 2}, Radii: []float64{1}}, views.Views{Sizes: []int{1, 2}, Labels: -1}, views.Simplex{},
		views.Simplex{Sizes: []int{1, 1, 2}}} {
		if _, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1}); err == nil {
			t.Errorf("%+v is taken", k)
		}
	}
}
