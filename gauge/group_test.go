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

// lists are the rows, the columns, or the diagonals i+j = 0, 1, 2, … of a matrix.
func lists(kind string, m, n int) [][]int32 {
	var all [][]int32
	for i := range m {
		for j := range n {
			c := map[string]int{"rows": i, "columns": j, "diagonals": i + j}[kind]
			for len(all) <= c {
				all = append(all, nil)
			}
			all[c] = append(all[c], int32(i*n+j))
		}
	}
	return all
}

func TestGroupConforms(t *testing.T) {
	for _, kind := range []string{"rows", "columns", "diagonals"} {
		for _, inner := range []gauge.Inner{gauge.L2, gauge.LInf} {
			for _, weighted := range []bool{false, true} {
				build := func(m, n int) gcg.Gauge {
					k := gauge.Group{ByColumns: kind == "columns", Inner: inner, BySize: weighted}
					if kind == "diagonals" {
						k.Index = lists(kind, m, n)
					}
					if weighted {
						k.Weights = weightsOf(len(lists(kind, m, n)))
					}
					return k
				}
				naive := func(g conform.Matrix) float64 {
					var top float64
					for c, group := range lists(kind, g.M, g.N) {
						var x []float64
						for _, e := range group {
							x = append(x, g.Data[e])
						}
						w := 1.0
						if weighted {
							w = weightsOf(c + 1)[c] * math.Sqrt(float64(len(x)))
						}
						q := map[gauge.Inner]float64{gauge.L2: 2, gauge.LInf: 1}[inner]
						top = math.Max(top, naiveNorm(x, q)/w)
					}
					return top
				}
				t.Run(build(2, 3).Name(), func(t *testing.T) { conforms(t, sizes, build, naive) })
			}
		}
	}
}

// The next atoms are the next groups, with their keys; each has its entries and no more.
func TestGroupNextAtoms(t *testing.T) {
	g := conform.Matrix{M: 3, N: 2, Data: []float64{3, 4, 0, 1, 6, 8}}
	p, err := gauge.Group{}.Polar(context.Background(), g, gcg.Ask{Count: 3, Above: 2})
	if err != nil || len(p.Atoms) != 2 || p.Atoms[0].Key != 3 || p.Atoms[1].Key != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if p.Value != 10 || p.Values[1] != 5 || p.Bound > 10*(1+1e-13) || len(p.Atoms[1].Vals) != 2 {
		t.Errorf("%+v", p)
	}
}

// Entries outside the groups are out of reach: no atom has them, κ is infinite there, and the proximity operator clears them.
func TestEntriesOutsideTheGroups(t *testing.T) {
	k := gauge.Group{Index: [][]int32{{1}, {2, 3}}}
	g := conform.Matrix{M: 2, N: 2, Data: []float64{100, 1, 3, 4}}
	p, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1})
	if err != nil || p.Value != 5 || p.Atoms[0].Key != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	if !math.IsInf(k.Of(g.Data, 2, 2), 1) {
		t.Error("κ is finite outside the groups")
	}
	x := append([]float64(nil), g.Data...)
	if rho := k.ProxTo(x, x, 2, 2, 0.5); x[0] != 0 || math.Abs(rho-5) > 1e-14 || math.Abs(k.Of(x, 2, 2)-5) > 1e-14 {
		t.Errorf("prox %v with κ = %v", x, rho)
	}
}

func TestBadGroupsAreRefused(t *testing.T) {
	g := conform.Matrix{M: 2, N: 2, Data: []float64{1, 2, 3, 4}}
	for want, k := range map[string]gauge.Group{
		"entry 3 (row 1, column 1) is in group 0 and in group 1": {Index: [][]int32{{3}, {3}}},
		"group 1 is empty":              {Index: [][]int32{{0}, {}}},
		"has entry 4":                   {Index: [][]int32{{4}}},
		"has entry -1":                  {Index: [][]int32{{-1}}},
		"no groups":                     {Index: [][]int32{}},
		"not both":                      {Index: [][]int32{{0}}, ByColumns: true},
		"7 is no norm":                  {Inner: 7},
		"3 weights, and 2 needed":       {Weights: []float64{1, 1, 1}},
		"the weight of group 1 is 0":    {Weights: []float64{1, 0}},
		"the weight of group 0 is +Inf": {Weights: []float64{math.Inf(1), 1}},
	} {
		if _, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Of blocks that say so κ_b is a multiple of the largest entry, with the weights and sizes that BlockProxTo knows.
func TestBlockLargest(t *testing.T) {
	x := []float64{0.5, -3, 2}
	for _, k := range []gauge.Group{{Inner: gauge.LInf}, {Inner: gauge.LInf, Weights: []float64{2, 7}, BySize: true}, {}} {
		for key := int64(1); key <= 2; key++ {
			w, ok := k.BlockLargest(key, len(x))
			if ok != (k.Inner == gauge.LInf) {
				t.Fatalf("%+v: %v", k, ok)
			}
			if value := k.BlockProxTo(make([]float64, len(x)), x, key, 0); ok && math.Abs(value-3*w) > 1e-15*value {
				t.Errorf("%+v, block %d: %v at a largest entry of 3 of weight %v", k, key, value, w)
			}
		}
	}
}
