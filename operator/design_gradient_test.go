package operator_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// A pass at a whole W equals its parts: predictions, what replaces whole rows of them, and the adjoint; with centres those of
// features less them and of a constant.
func TestWholeGradientEqualsItsParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, size := range [][3]int{{1, 1, 1}, {7, 3, 2}, {300, 11, 5}, {700, 20, 8}} {
		n, p, c := size[0], size[1], size[2]
		x, all := features(t, rng, n, p)
		centres := factor(rng, p, c)
		for name, f := range all {
			op, err := operator.NewDesign(f, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*gcg.Factor{nil, centres} {
				pass := op.Gradients(m)
				for range 2 { // the second begins with the memory of the first
					w := factor(rng, p, c)
					if m != nil {
						w = factor(rng, p+1, c)
					}
					g := gcg.NewFactorOf[float32](w.Rows, c)
					var mu sync.Mutex
					seen := make([]bool, n)
					value := pass(g, gcg.FactorIn[float32](w), func(z []float32, lo int) float64 {
						mu.Lock()
						defer mu.Unlock()
						for i := 0; i < len(z); i += c {
							if at := (lo + i) / c; seen[at] || (lo+i)%c != 0 {
								t.Fatalf("%s: row %d comes twice or cut", name, at)
							}
							seen[(lo+i)/c] = true
						}
						return response(z, c)
					})
					want, wantValue := naiveGradient(x, n, p, c, w, m)
					if d := near(want, gcg.FactorIn[float64](g)); d > 1e-5 || math.Abs(value-wantValue) > 1e-5*(1+math.Abs(wantValue)) {
						t.Errorf("%s %v, centred %v: off by %.1e, the value is %v and not %v", name, size, m != nil, d, value, wantValue)
					}
				}
			}
		}
	}
}

// response couples the outputs of a row, and returns the sum of its size.
func response[T gcg.Real](z []T, c int) (sum float64) {
	for i := 0; i < len(z); i += c {
		row := z[i : i+c]
		var mean T
		for _, v := range row {
			mean += v / T(c)
		}
		for j, v := range row {
			row[j] = T(math.Tanh(float64(v+mean))) + T(j)
			sum += float64(row[j])
		}
	}
	return sum
}

func naiveGradient(x []float64, n, p, c int, w, centres *gcg.Factor) (g *gcg.Factor, value float64) {
	g = gcg.NewFactor(w.Rows, c)
	at := func(i, j, k int) float64 {
		switch {
		case j == p:
			return 1
		case centres == nil:
			return x[i*p+j]
		}
		return x[i*p+j] - centres.Row(j)[k]
	}
	z := make([]float64, c)
	for i := range n {
		for k := range z {
			z[k] = 0
			for j := range w.Rows {
				z[k] += at(i, j, k) * w.Row(j)[k]
			}
		}
		value += response(z, c)
		for k, r := range z {
			for j := range w.Rows {
				g.Row(j)[k] += at(i, j, k) * r
			}
		}
	}
	return g, value
}

// Of many values in float64 none are copied: each panel is converted, to what it is where all of them are in float32.
func TestManyValuesAreConvertedByPanels(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	defer operator.SetCopied(100)()
	n, p, c, k := 6000, 1000, 3, 2
	_, all := features(t, rng, n, p)
	w, wider, centres := gcg.FactorIn[float32](factor(rng, p, c)), gcg.FactorIn[float32](factor(rng, p+1, c)), factor(rng, p, c)
	u, v, du, dv := factor(rng, p, k), factor(rng, c, k),
		gcg.FactorIn[float32](factor(rng, p, k)), gcg.FactorIn[float32](factor(rng, c, k))
	results := map[string][]*gcg.Factor32{}
	for name, f := range all {
		op, err := operator.NewDesign(f, c)
		if err != nil {
			t.Fatal(err)
		}
		residual := func(z []float32, _ int) float64 { return response(z, c) }
		hess := func(z []float32, _ int) { response(z, c) }
		g, centred := gcg.NewFactorOf[float32](p, c), gcg.NewFactorOf[float32](p+1, c)
		gu, gv, fu, fv := gcg.NewFactorOf[float32](p, k), gcg.NewFactorOf[float32](c, k),
			gcg.NewFactorOf[float32](p, k), gcg.NewFactorOf[float32](c, k)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		op.Gradients(nil)(g, w, residual)
		op.Gradients(centres)(centred, wider, residual)
		op.HessianAt(u, v)(gu, gv, du, dv, hess, nil)
		op.HessianAt(u, v)(fu, fv, du, dv, hess, func([]float32) {})
		runtime.ReadMemStats(&after)
		if took, four := after.TotalAlloc-before.TotalAlloc, uint64(4*4*n*p); took > four/2 {
			t.Errorf("%s: four models took %d bytes, where four copies in float32 take %d", name, took, four)
		}
		results[name] = []*gcg.Factor32{g, centred, gu, gv, fu, fv}
	}
	for name, want := range map[string]string{"dense": "dense32", "sparse": "sparse32"} {
		for i, f := range results[name] {
			if g := results[want][i]; !slices.Equal(f.Data, g.Data) {
				t.Errorf("result %d with %s is not that with %s", i, name, want)
			}
		}
	}
}
