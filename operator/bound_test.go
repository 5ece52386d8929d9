package operator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// Bounds of a gradient hold to the last bit where r is a column of X, for which Cauchy and Schwarz have equality, and for values
// whose squares underflow.
func TestAdjointBound(t *testing.T) {
	for _, scale := range []float64{1, 1e-170, 1e140} {
		for _, outputs := range []int{1, 3} {
			for _, sparse := range []bool{false, true} {
				t.Run(fmt.Sprint(scale, outputs, sparse), func(t *testing.T) { adjointBound(t, scale, outputs, sparse) })
			}
		}
	}
}

func adjointBound(t *testing.T, scale float64, outputs int, sparse bool) {
	const n, p = 37, 11
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n*p)
	for e := range values {
		values[e] = scale * rng.NormFloat64()
	}
	x, err := DenseFeatures(n, p, values)
	if sparse {
		ptr, index := make([]int64, n+1), make([]int32, n*p)
		for e := range index {
			index[e] = int32(e % p)
			ptr[e/p+1] = int64(e + 1)
		}
		x, err = SparseFeatures(n, p, ptr, index, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDesign(x, outputs)
	if err != nil {
		t.Fatal(err)
	}
	r, g, most := make([]float64, n*outputs), make([]float64, p*outputs), make([]float64, p*outputs)
	for j := range p {
		clear(r)
		for i := range n {
			r[i*outputs] = values[i*p+j]
		}
		gcg.DenseTo(g, d.Adjoint(r))
		d.AdjointBoundTo(most, r)
		for e, v := range g {
			if !(math.Abs(v) <= most[e]) {
				t.Errorf("r = feature %d: G is %v at %d, and its bound %v", j, v, e, most[e])
			}
		}
		if at := j * outputs; scale == 1 && most[at] > g[at]*(1+1e-13) {
			t.Errorf("r = feature %d: ‖x‖² is %v, and its bound %v", j, g[at], most[at])
		}
	}
}

// Dense columns that are picked again are those that were picked before, and no more than an eighth of them are kept.
func TestDenseColumnsKept(t *testing.T) {
	const n, p = 5, 16
	values := make([]float64, n*p)
	for e := range values {
		values[e] = float64(e)
	}
	x, err := DenseFeatures(n, p, values)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := NewDesign(x, 1)
	for _, c := range []struct {
		rows   []int32
		shared bool
	}{{[]int32{3}, true}, {[]int32{7, 3}, true}, {[]int32{9}, false}, {[]int32{3, 7, 7, 3}, true}} {
		first, again := d.Columns(c.rows, make([]int32, len(c.rows))), d.Columns(c.rows, make([]int32, len(c.rows)))
		for s, j := range c.rows {
			if shared := &first[s].Values[0] == &again[s].Values[0]; shared != c.shared {
				t.Errorf("features %v: column %d is shared: %v", c.rows, j, shared)
			}
			for i, v := range first[s].Values {
				if v != values[i*p+int(j)] {
					t.Errorf("features %v: X_%d,%d is %v", c.rows, i, j, v)
				}
			}
		}
	}
}
