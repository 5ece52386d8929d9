package operator

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Sampling reads entries of W: z_e = αᵢ W_ij βⱼ for the observations e = (i, j), in the order of rows. Without scales it is
// the operator of matrix completion [Yu17 §5.1]; with αᵢ = 1/√pᵢ and βⱼ = 1/√qⱼ it is completion in the variable of the
// weighted trace norm, W̃ = diag(p)^½ W diag(q)^½.
type Sampling struct {
	m, n   int
	ptr    []int64   // m+1: row i holds observations ptr[i] … ptr[i+1]-1
	cols   []int32   // N column indices, ascending in each row
	rowMul []float64 // α, or nil for ones
	colMul []float64 // β; nil with rowMul
	ones   []float64 // as many as the longest row has observations
	cuts   []int     // row boundaries of the pieces that passes over the data are cut into
	sums   int       // how many sums passes have that add to the same places; the pieces of a run of them share one
}

// NewSampling takes the observed entries as compressed rows: ptr has m+1 ascending offsets, cols the column of every
// observation, strictly ascending within a row; anything else is an error. The slices are kept, not copied.
func NewSampling(m, n int, ptr []int64, cols []int32) (*Sampling, error) {
	if err := checkRows(m, n, ptr, cols); err != nil {
		return nil, err
	}
	s := &Sampling{m: m, n: n, ptr: ptr, cols: cols}
	s.cut()
	return s, nil
}

// Scaled is the same sampling with z_ij = rowMul_i W_ij colMul_j. The observations are shared, and the scales are kept. It
// refuses other lengths, and scales that are not positive and finite.
func (s *Sampling) Scaled(rowMul, colMul []float64) (*Sampling, error) {
	if err := checkScales(s.m, s.n, rowMul, colMul); err != nil {
		return nil, err
	}
	t := *s
	t.rowMul, t.colMul = rowMul, colMul
	return &t, nil
}

// checkScales refuses other lengths, and scales that are not positive and finite.
func checkScales(m, n int, rowMul, colMul []float64) error {
	if len(rowMul) != m || len(colMul) != n {
		return fmt.Errorf("operator: %d row and %d column scales for a %d×%d sampling", len(rowMul), len(colMul), m, n)
	}
	for side, scales := range [2][]float64{rowMul, colMul} {
		for i, x := range scales {
			if !(x > 0) || math.IsInf(x, 0) {
				return fmt.Errorf("operator: the scale of %s %d is %v; scales are positive and finite", [2]string{"row", "column"}[side],
					i+1, x)
			}
		}
	}
	return nil
}

// cut chooses the pieces, of nearly equal work, and the number of sums. A pass that adds to rows of V needs sums of n×k. Up to
// four are used while clearing and adding one costs at most a tenth of the work of its observations. Up to 16 are used while that
// costs at most a thirtieth. It is a power of two, as two processors take as long for three as for four.
func (s *Sampling) cut() {
	nobs := len(s.cols)
	pieces := max(1, min(64, nobs>>11, s.m))
	sums := max(1, min(16, pieces, max(min(4, nobs/(16*s.n)), nobs/(48*s.n))))
	s.sums = 1 << (bits.Len(uint(sums)) - 1)
	s.cuts = cutEvenly(s.ptr, pieces)
	longest := int64(0)
	for i := range s.m {
		longest = max(longest, s.ptr[i+1]-s.ptr[i])
	}
	s.ones = make([]float64, longest)
	for i := range s.ones {
		s.ones[i] = 1
	}
}

// pieces calls f for the rows of every piece, on all processors.
func (s *Sampling) pieces(f func(lo, hi int)) {
	par.For(len(s.cuts)-1, func(t int) { f(s.cuts[t], s.cuts[t+1]) })
}

// Dims is the size m×n of W and the number of observations.
func (s *Sampling) Dims() (m, n, nobs int) { return s.m, s.n, len(s.cols) }

// offsets are the offsets, counted from lo, of the rows from first on that have observations lo ≤ e < hi; they end with hi -
// lo.
func (s *Sampling) offsets(lo, hi int) (first int, ptr []int64) {
	first = sort.Search(s.m, func(i int) bool { return s.ptr[i+1] > int64(lo) })
	ptr = []int64{0}
	for i := first; i < s.m && s.ptr[i] < int64(hi); i++ {
		ptr = append(ptr, min(s.ptr[i+1], int64(hi))-int64(lo))
	}
	return first, ptr
}

// AtomTo is z = A(a) from observation lo on. The entries of a sparse a are looked up in the pattern.
func (s *Sampling) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		s.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	for t, i := range a.Rows {
		if e, ok := s.find(i, a.Cols[t]); ok && e >= lo && e < lo+len(z) {
			z[e-lo] += a.Vals[t] * s.scale(int(i), int(a.Cols[t]))
		}
	}
}

// find is the observation of entry (i, j), if there is one.
func (s *Sampling) find(i, j int32) (e int, ok bool) {
	at, ok := slices.BinarySearch(s.cols[s.ptr[i]:s.ptr[i+1]], j)
	return int(s.ptr[i]) + at, ok
}

// scale is αᵢβⱼ.
func (s *Sampling) scale(i, j int) float64 {
	if s.rowMul == nil {
		return 1
	}
	return s.rowMul[i] * s.colMul[j]
}

// FactoredTo is z = A(U Vᵀ) from observation lo on. It takes 2k flops and reads 8k+4 bytes for every observation.
func (s *Sampling) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	first, ptr := s.offsets(lo, lo+len(z))
	cols := s.cols[lo : lo+len(z)]
	kernel.DotRows(z, from(u, first), v.Data, v.Stride, ptr, cols)
	if s.rowMul == nil {
		return
	}
	for i, at := range ptr[:len(ptr)-1] {
		for e := at; e < ptr[i+1]; e++ {
			z[e] *= s.rowMul[first+i] * s.colMul[cols[e]]
		}
	}
}

// Adjoint is the sparse matrix with entries αᵢ r_ij βⱼ at the observations. It keeps r.
func (s *Sampling) Adjoint(r []float64) gcg.Map { return &samplingMap{s, r} }

// Cells says that the observations are entries of W, each of one and in the order of rows: those of row i are ptr[i] …
// ptr[i+1]-1, at the given columns. It reports false where they are scaled. The slices are the operator's.
func (s *Sampling) Cells() (ptr []int64, cols []int32, ok bool) {
	return s.ptr, s.cols, s.rowMul == nil
}
