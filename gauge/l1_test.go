package gauge_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
)

// weightsOf are positive weights of different sizes.
func weightsOf(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + float64(i*7%5)
	}
	return w
}

func TestL1Conforms(t *testing.T) {
	conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.L1{} }, func(g conform.Matrix) float64 {
		var top float64
		for _, x := range g.Data {
			top = math.Max(top, math.Abs(x))
		}
		return top
	})
	conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.L1{Weights: weightsOf(m * n)} }, func(g conform.Matrix) float64 {
		var top float64
		for e, x := range g.Data {
			top = math.Max(top, math.Abs(x)/weightsOf(g.M * g.N)[e])
		}
		return top
	})
}

func TestPositiveL1AndSimplexConform(t *testing.T) {
	largest := func(g conform.Matrix) float64 {
		top := math.Inf(-1)
		for _, x := range g.Data {
			top = math.Max(top, x)
		}
		return top
	}
	conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.Simplex{} }, largest)
	conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.PositiveL1{} }, func(g conform.Matrix) float64 {
		return math.Max(0, largest(g))
	})
}

// The next atoms are the next entries, none of them at or below what was asked for, ties in the order of the entries.
func TestL1NextAtoms(t *testing.T) {
	g := conform.Matrix{M: 2, N: 3, Data: []float64{1, -5, 3, 5, -2, 3}}
	p, err := gauge.L1{}.Polar(context.Background(), g, gcg.Ask{Count: 9, Above: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		row, col int32
		val      float64
		key      int64
	}{{0, 1, -1, 2}, {1, 0, 1, 4}, {0, 2, 1, 3}, {1, 2, 1, 6}}
	if len(p.Atoms) != len(want) {
		t.Fatalf("%d atoms, want %d", len(p.Atoms), len(want))
	}
	for i, a := range p.Atoms {
		if a.Rows[0] != want[i].row || a.Cols[0] != want[i].col || a.Vals[0] != want[i].val || a.Key != want[i].key {
			t.Errorf("atom %d is %+v, want %+v", i, a, want[i])
		}
	}
	if p, _ := (gauge.L1{}).Polar(context.Background(), g, gcg.Ask{Count: 2}); len(p.Atoms) != 2 {
		t.Errorf("asked for 2 atoms, got %d", len(p.Atoms))
	}
	if p, _ := (gauge.L1{}).Polar(context.Background(), g, gcg.Ask{Count: 4, Above: 100}); len(p.Atoms) != 1 || p.Value != 5 {
		t.Errorf("the best atom is wanted even below %v: %+v", 100, p)
	}
}

// Two atoms of one entry and sign merge in an iterate; the opposite sign stays a term of its own.
func TestL1AtomsMerge(t *testing.T) {
	w := &gcg.Iterate{M: 1, N: 2}
	for _, g := range [][]float64{{1, 0}, {2, 1}, {-1, 0}} {
		p, err := gauge.L1{}.Polar(context.Background(), conform.Matrix{M: 1, N: 2, Data: g}, gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		w.Add(p.Atoms, []float64{1})
	}
	if len(w.Terms) != 2 || w.Terms[0].Weight != 2 || w.Terms[0].Atom.Key != w.Terms[1].Atom.Key {
		t.Errorf("terms %+v", w.Terms)
	}
}

func TestBadWeightsAndEntriesAreRefused(t *testing.T) {
	g := conform.Matrix{M: 1, N: 2, Data: []float64{1, 2}}
	bad := conform.Matrix{M: 2, N: 2, Data: []float64{1, 2, 3, math.NaN()}}
	for _, c := range []struct {
		k    gcg.Gauge
		g    gcg.Map
		want string
	}{
		{gauge.L1{Weights: []float64{1, 0}}, g, "the weight of entry 1 is 0"},
		{gauge.L1{Weights: []float64{-1, 1}}, g, "the weight of entry 0 is -1"},
		{gauge.L1{Weights: []float64{math.NaN(), 1}}, g, "the weight of entry 0 is NaN"},
		{gauge.L1{Weights: []float64{1}}, g, "1 weights, and 2 needed"},
		{gauge.L1{}, bad, "NaN at row 1, column 1"},
		{gauge.Simplex{}, productsOnly{conform.Matrix{M: 1, N: 1, Data: []float64{math.Inf(1)}}}, "+Inf at row 0, column 0"},
	} {
		_, err := c.k.Polar(context.Background(), c.g, gcg.Ask{Count: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.k.Name(), err, c.want)
		}
	}
}

func TestEqual(t *testing.T) {
	h := gauge.Equal{Zeta: 2}
	for _, y := range []float64{-3, 0, 4} {
		if v, at := h.Conj(y, 1); v != 2*y || at != 2 {
			t.Errorf("h*(%g) = %g at %g", y, v, at)
		}
	}
	if h.Value(2) != 0 || !math.IsInf(h.Value(1.9), 1) || !math.IsInf(h.Value(2.1), 1) || h.Max() != 2 {
		t.Error("h is 0 at ζ alone")
	}
	if h.Deriv(1) >= 0 || h.Deriv(2) != 0 || h.Deriv(3) <= 0 {
		t.Error("the derivative points to ζ")
	}
}
