package operator

import (
	"fmt"
	"math"
)

// Features is a matrix X of n samples by p features, dense or sparse, in float64 or float32 storage. The arithmetic is
// float64, except in products within iterations, which take half of the time in float32. It keeps the slices that it is
// given. For the products in float32 up to 16 million values that are float64 are copied; otherwise nothing is.
type Features struct {
	n, p int
	rows rows
}

// Dims is the number of samples and of features.
func (x *Features) Dims() (n, p int) { return x.n, x.p }

// empty reports whether no constructor made x.
func (x *Features) empty() bool { return x == nil || x.rows == nil }

// rows is the storage of a Features. xᵢ is row i. In mul and tmul b and dst are row-major with k columns, where k is 1 or a
// multiple of 8 for sparse rows, and any number for dense ones.
type rows interface {
	// mul writes dst[(hi-lo)×k] = X[lo:hi] B[p×k].
	mul(dst, b []float64, lo, hi, k int)
	// tmul adds X[lo:hi]ᵀ B[(hi-lo)×k] to dst[p×k].
	tmul(dst, b []float64, lo, hi, k int)
	// single is X in float32.
	single() rows32
	// centred is X less the given mean (p) of its rows in float32. For sparse rows it is X itself, and ok is false.
	centred(mean []float64) (x rows32, ok bool)
	// add adds a·xᵢ to dst[p].
	add(dst []float64, i int, a float64)
	// addSquares adds a·xᵢ∘xᵢ to dst[p].
	addSquares(dst []float64, i int, a float64)
	// entries writes dst[t] = X[i, index[t]]; index ascends.
	entries(dst []float64, i int, index []int32)
	// merged is X with sums of features in place of features, see Design.Merged.
	merged(place []int32, scale []float64) rows
	// sparse reports whether X is stored by its entries.
	sparse() bool
	// count is the number of values that are stored.
	count() int
}

// DenseFeatures is an n×p matrix, row-major in x (len np), which is kept, not copied. It refuses another length, no samples
// or features, and values that are not finite.
func DenseFeatures[T Storage](n, p int, x []T) (*Features, error) {
	if n < 1 || p < 1 || len(x)%p != 0 || len(x)/p != n { // n·p may be more than an int holds
		return nil, fmt.Errorf("operator: %d values do not fill a matrix of %d samples × %d features", len(x), n, p)
	}
	for e, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("operator: feature %d of sample %d is %v", e%p+1, e/p+1, v)
		}
	}
	return &Features{n, p, denseRows[T]{x, p}}, nil
}

// SparseFeatures is an n×p matrix by compressed rows: row i has values[ptr[i]:ptr[i+1]] in the columns
// index[ptr[i]:ptr[i+1]], which ascend strictly. The slices are kept, not copied. It refuses offsets or columns out of order
// or range, other lengths, and values that are not finite.
func SparseFeatures[T Storage](n, p int, ptr []int64, index []int32, values []T) (*Features, error) {
	if err := checkRows(n, p, ptr, index); err != nil {
		return nil, err
	}
	if len(values) != len(index) {
		return nil, fmt.Errorf("operator: %d values for %d places", len(values), len(index))
	}
	for e, v := range values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("operator: value %d, of feature %d, is %v", e+1, index[e]+1, v)
		}
	}
	return &Features{n, p, sparseRows[T]{ptr, index, values}}, nil
}
