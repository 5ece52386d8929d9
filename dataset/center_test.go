package dataset

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Ratings that the centre explains leave nothing, in either storage: rounding would be taken for data, with a λ_max of 1e-14.
func TestCentreLeavesNoRounding(t *testing.T) {
	const m, n = 70, 2100
	s := &Sparse{M: m, N: n}
	compact := &Compact{M: m, N: n}
	for i := range m {
		s.Ptr = append(s.Ptr, int64(len(s.Cols)))
		for j := i; j < n; j += m { // each column once, of three values
			s.Cols, s.Values = append(s.Cols, int32(j)), append(s.Values, float64(1+j%3)+0.7)
		}
	}
	s.Ptr = append(s.Ptr, int64(len(s.Cols)))
	equal := &Sparse{M: m, N: n, Ptr: s.Ptr, Cols: s.Cols}
	for range s.Values {
		equal.Values = append(equal.Values, 4.1)
	}
	for kind, s := range map[Centring]*Sparse{ColumnMeans: s, BothMeans: s, GlobalMean: equal, RowMeans: equal} {
		compact.Ptr, compact.Cols, compact.Values = s.Ptr, s.Cols, nil
		for _, x := range s.Values {
			compact.Values = append(compact.Values, float32(x))
		}
		y := s.Subtract(Centre(s, kind))
		compact.SubtractInPlace(Centre(compact, kind))
		for e := range y {
			if y[e] != 0 || compact.Values[e] != 0 {
				t.Fatalf("%s: rating %d is %g less its centre, %g in float32", kind, e, y[e], compact.Values[e])
			}
		}
	}
	if equal := Centre(equal, GlobalMean).Global; equal != 4.1 {
		t.Errorf("the mean of ratings of 4.1 is %v", equal)
	}
	some := Centre(s, GlobalMean)
	if y := s.Subtract(some); y[0] != s.Values[0]-some.Global {
		t.Errorf("a rating of %g is %g less the mean %g", s.Values[0], y[0], some.Global)
	}
}

// The centre of rows and columns is the least-squares one to rounding, on ratings so few that taking means in turn has not
// settled, in parts that no rating connects, and with weights: what it leaves has sums of 0 in every row and column.
func TestCentreIsLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for trial := range 60 {
		m, n, count := 2+rng.IntN(30), 2+rng.IntN(30), 3+rng.IntN(60)
		if trial == 0 {
			m, n, count = 200, 201, 400 // a chain: user i rated items i and i+1
		}
		r := &Ratings{RowIDs: &IDs{}, ColIDs: &IDs{}, Shape: [2]int{m, n}}
		for e := range count {
			i, j := rng.IntN(m), rng.IntN(n)
			if trial == 0 {
				i, j = e/2, e/2+e%2
			}
			r.Rows, r.Cols, r.Values = append(r.Rows, int32(i)), append(r.Cols, int32(j)), append(r.Values, 1+4*rng.Float64())
		}
		s, err := r.Compress(LastDuplicate)
		if err != nil {
			t.Fatal(err)
		}
		if trial%2 == 1 {
			for range s.Values {
				s.Omega = append(s.Omega, math.Floor(4*rng.Float64())*rng.Float64())
			}
		}
		o := Centre(s, BothMeans)
		rows, cols := s.coordinates().sums(o)
		for _, total := range append(rows.total, cols.total...) {
			if math.Abs(total) > 1e-12 {
				t.Fatalf("trial %d, %d×%d with %d ratings: a sum of what the centre leaves is %g", trial, m, n, len(s.Values), total)
			}
		}
	}
}
