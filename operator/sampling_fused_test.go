package operator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// With more pieces than sums, and rows of many lengths, products equal those entry by entry.
func TestPiecesAndSums(t *testing.T) {
	const m, n, k = 3000, 500, 5
	rng := rand.New(rand.NewPCG(1, 7))
	ptr, cols := []int64{0}, []int32(nil)
	for i := range m {
		for _, j := range rng.Perm(n)[:2+i%40] {
			cols = append(cols, int32(j))
		}
		slices.Sort(cols[ptr[i]:])
		ptr = append(ptr, int64(len(cols)))
	}
	s, err := NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	if pieces := len(s.cuts) - 1; !(1 < s.sums && s.sums < pieces && pieces%s.sums != 0) {
		t.Fatalf("%d pieces, %d sums", pieces, s.sums)
	}
	draw := func(rows int) *gcg.Factor {
		f := gcg.NewFactor(rows, k)
		for i := range rows {
			for c := range k {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
		return f
	}
	r := make([]float64, len(cols))
	for e := range r {
		r[e] = rng.NormFloat64()
	}
	u, v := draw(m), draw(n)
	wantGV, wantGU := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	for i := range m {
		for e := ptr[i]; e < ptr[i+1]; e++ {
			for c := range k {
				wantGV.Row(i)[c] += r[e] * v.Row(int(cols[e]))[c]
				wantGU.Row(int(cols[e]))[c] += r[e] * u.Row(i)[c]
			}
		}
	}
	far := func(name string, got, want *gcg.Factor) {
		t.Helper()
		for i, x := range got.Data {
			if math.Abs(x-want.Data[i]) > 1e-11 {
				t.Fatalf("%s: entry %d is %v, want %v", name, i, x, want.Data[i])
			}
		}
	}
	gv, gu := draw(m), draw(n) // what they hold is overwritten
	g := s.Adjoint(r).(*samplingMap)
	g.BothTo(gv, gu, u, v)
	far("G V", gv, wantGV)
	far("Gᵀ U", gu, wantGU)
	gv, gu = draw(m), draw(n)
	g.MulBlockTo(gv, v)
	g.TMulBlockTo(gu, u)
	far("G V alone", gv, wantGV)
	far("Gᵀ U alone", gu, wantGU)
}
