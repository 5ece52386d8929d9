package operator

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// Columns are the same however often they are asked for, and so are predictions of an atom, on any block of observations: the
// first are picked from the rows, the others are kept.
func TestColumnsKept(t *testing.T) {
	const n, p, outputs = 23, 9, 2
	rng := rand.New(rand.NewPCG(1, 2))
	ptr, index, values := []int64{0}, []int32{}, []float64{}
	for range n {
		for j := range int32(p) {
			if v := rng.IntN(5); v < 3 && j != 4 { // zeros are stored, too, and a feature has none at all
				index, values = append(index, j), append(values, float64(v)*rng.NormFloat64())
			}
		}
		ptr = append(ptr, int64(len(index)))
	}
	x, err := SparseFeatures(n, p, ptr, index, values)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDesign(x, outputs)
	if err != nil {
		t.Fatal(err)
	}
	rows, cols := []int32{7, 0, 4, 2, 2}, []int32{1, 0, 1, 1, 0}
	a := &gcg.Atom{Rows: rows, Cols: cols, Vals: []float64{0.3, -1, 2, 0.7, 1.1}}
	predictions := func() (all []float64) {
		for _, block := range [][2]int{{0, n * outputs}, {3, 30}, {45, 46}} {
			z := make([]float64, block[1]-block[0])
			d.AtomTo(z, block[0], a)
			all = append(all, z...)
		}
		return all
	}
	first, z := d.Columns(rows, cols), predictions()
	for range pickedSingly + 1 {
		for e, c := range d.Columns(rows, cols) {
			w := first[e]
			if !slices.Equal(c.Index, w.Index) || !slices.Equal(c.Values, w.Values) || c.Offset != w.Offset || c.Stride != w.Stride {
				t.Fatalf("entry %d has the column %v, and had %v", e, c, w)
			}
		}
		if again := predictions(); !slices.Equal(again, z) {
			t.Fatalf("the atom predicts %v, and predicted %v", again, z)
		}
	}
	if x.turned.Load() == nil {
		t.Error("columns are not kept")
	}
}
