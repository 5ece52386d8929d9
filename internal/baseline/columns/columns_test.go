package columns_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/baseline/columns"
	"gonum.org/v1/gonum/mat"
)

// projected is ‖D - C C⁺D‖/‖D‖ by least squares.
func projected(d columns.Matrix, cols []int) float64 {
	all := mat.NewDense(d.P, d.Q, slices.Clone(d.Data))
	c := mat.NewDense(d.P, len(cols), nil)
	for t, j := range cols {
		for i := range d.P {
			c.Set(i, t, d.Data[i*d.Q+j])
		}
	}
	var x, rest mat.Dense
	if err := x.Solve(c, all); err != nil {
		return math.NaN()
	}
	rest.Mul(c, &x)
	rest.Sub(all, &rest)
	return mat.Norm(&rest, 2) / mat.Norm(all, 2)
}

func random(rng *rand.Rand, p, q int) columns.Matrix {
	d := columns.Matrix{P: p, Q: q, Data: make([]float64, p*q)}
	for e := range d.Data {
		d.Data[e] = rng.NormFloat64() * math.Exp(math.Sin(float64(3*(e%q))))
	}
	return d
}

// Each selection has so many different columns, an error that least squares has too, and none below the best rank. Greedy takes
// the best first column of all, and pivoted QR the longest.
func TestSelections(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, size := range [][3]int{{5, 12, 3}, {12, 5, 4}, {8, 8, 8}, {6, 30, 1}} {
		d, k := random(rng, size[0], size[1]), size[2]
		best, length := 0, 0
		norm := func(j int) (s float64) {
			for i := range d.P {
				s += d.Data[i*d.Q+j] * d.Data[i*d.Q+j]
			}
			return s
		}
		for j := range d.Q {
			if projected(d, []int{j}) < projected(d, []int{best}) {
				best = j
			}
			if norm(j) > norm(length) {
				length = j
			}
		}
		for name, picks := range map[string][]columns.Pick{"qr": columns.PivotedQR(d, k, cmp.Compare[int]),
			"greedy": columns.Greedy(d, k, cmp.Compare[int])} {
			var cols []int
			for _, c := range picks {
				cols = append(cols, c.Column)
				if c.Tied != 1 {
					t.Errorf("%s: %d columns are as good as %d", name, c.Tied, c.Column)
				}
			}
			sorted := slices.Compact(slices.Sorted(slices.Values(cols)))
			if len(cols) != k || len(sorted) != k {
				t.Errorf("%s: %v are not %d columns", name, cols, k)
			}
			got, want := columns.Error(d, cols), projected(d, cols)
			if math.Abs(got-want) > 1e-8 || got < columns.Best(d, k)-1e-8 {
				t.Errorf("%s: error %v, by least squares %v, of the best rank %v", name, got, want, columns.Best(d, k))
			}
			if name == "greedy" && cols[0] != best || name == "qr" && cols[0] != length {
				t.Errorf("%s begins with %d, the best is %d and the longest %d", name, cols[0], best, length)
			}
		}
	}
}

// The leverage of all directions of a matrix of orthogonal rows is the squared length of its columns.
func TestLeverageOfOrthogonalRows(t *testing.T) {
	d := columns.Matrix{P: 2, Q: 4, Data: []float64{1, 0, 2, 2, 0, 3, 0, 0}}
	for j, want := range []float64{1.0 / 9, 1, 4.0 / 9, 4.0 / 9} {
		for _, rank := range []int{1, 2} { // both singular values are 3, so that one is not known without the other
			if got := columns.Leverage(d, rank); math.Abs(got[j]-want) > 1e-12 {
				t.Errorf("rank %d: %v", rank, got)
			}
		}
	}
}

// Each column of a level lowers the error most of those left in it, and the next level goes on from there. What is explained
// wholly comes last.
func TestRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, size := range [][2]int{{6, 12}, {12, 6}} {
		d := random(rng, size[0], size[1])
		for i := range d.P { // column 5 is twice column 1
			d.Data[i*d.Q+5] = 2 * d.Data[i*d.Q+1]
		}
		levels := [][]int{{4, 1, 3}, {0}, {2, 5}}
		order, spare := columns.Ranked(d, levels, cmp.Compare[int])
		if spare != 5 || order[5] != 5 {
			t.Fatalf("%v, of which %d are not explained by others", order, spare)
		}
		var taken []int
		for _, level := range levels {
			open := slices.DeleteFunc(slices.Clone(level), func(j int) bool { return j == 5 })
			for len(open) > 0 {
				best := slices.MinFunc(open, func(a, b int) int {
					return cmp.Compare(projected(d, append(slices.Clone(taken), a)), projected(d, append(slices.Clone(taken), b)))
				})
				taken = append(taken, best)
				open = slices.DeleteFunc(open, func(j int) bool { return j == best })
			}
		}
		if !slices.Equal(taken, order[:5]) {
			t.Errorf("%v, and by least squares %v", order, taken)
		}
	}
}
