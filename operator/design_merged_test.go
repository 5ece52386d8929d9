package operator

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
)

// The merged design of x is the design of what x is made into.
func TestMerged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	const n, p, k = 9, 14, 5
	dense := make([]float64, n*p)
	ptr, index, values := []int64{0}, []int32{}, []float32{}
	for i := range n {
		for j := range p {
			if rng.IntN(3) > 0 {
				v := float32(rng.NormFloat64())
				dense[i*p+j] = float64(v)
				index, values = append(index, int32(j)), append(values, v)
			}
		}
		ptr = append(ptr, int64(len(index)))
	}
	place, scale := make([]int32, p), make([]float64, k)
	for j := range place {
		place[j] = int32(rng.IntN(k+1)) - 1
	}
	for c := range scale {
		scale[c] = rng.NormFloat64()
	}
	whole, err := DenseFeatures(n, p, dense)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := SparseFeatures(n, p, ptr, index, values)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*Features{"dense": whole, "sparse": rows} {
		d, err := NewDesign(x, 2)
		if err != nil {
			t.Fatal(err)
		}
		m := d.Merged(place, scale)
		w, v := gcg.NewFactor(k, 1), gcg.NewFactor(2, 1)
		copy(v.Row(0), []float64{1})
		copy(v.Row(1), []float64{-2})
		for c := range k {
			w.Row(c)[0] = rng.NormFloat64()
		}
		all := gcg.NewFactor(p, 1)
		for j, c := range place {
			if c >= 0 {
				all.Row(j)[0] = scale[c] * w.Row(int(c))[0]
			}
		}
		got, want := make([]float64, 2*n), make([]float64, 2*n)
		m.FactoredTo(got, 0, w, v)
		d.FactoredTo(want, 0, all, v)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s: %v, and with the features as they were %v", name, got, want)
				break
			}
		}
		for _, check := range conform.Operator(m, rng) {
			if !check.OK() {
				t.Errorf("%s: %v", name, check)
			}
		}
	}
}
