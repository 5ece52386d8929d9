package dataset

import (
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
