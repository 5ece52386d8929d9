package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"gonum.org/v1/gonum/mat"
)

// Dense is a copy of the k1×K content of a Small.
func (f *FactorOf[T]) Dense(k1 int) *mat.Dense {
	if k1 == 0 || f.K == 0 {
		return new(mat.Dense)
	}
	data := make([]float64, k1*f.K)
	for i := range k1 {
		to := data[i*f.K : (i+1)*f.K]
		for j, x := range f.Row(i)[:f.K] {
			to[j] = float64(x)
		}
	}
	return mat.NewDense(k1, f.K, data)
}

// SmallOf is the Small with the content of d.
func SmallOf(d mat.Matrix) *Factor {
	r, c := d.Dims()
	s := Small(r, c)
	if d, ok := d.(*mat.Dense); ok {
		for i := range r {
			copy(s.Row(i), d.RawRowView(i))
		}
		return s
	}
	for i := range r {
		for j := range c {
			s.Row(i)[j] = d.At(i, j)
		}
	}
	return s
}

// SpectralNorm is ‖F‖₂ of a tall factor, by the largest eigenvalue of its Gram matrix.
func (f *FactorOf[T]) SpectralNorm() float64 {
	if f.K == 0 {
		return 0
	}
	g, scale := TMul(f, f), 1.0
	if s := g.Trace(); !(s > 1e-30 && s < 1e30) { // squares may have left the range of T
		if scale = linalg.MaxAbs(f.Data); scale == 0 {
			return 0
		}
		unit := f.Clone()
		unit.Scale(T(1 / scale))
		g = TMul(unit, unit)
	}
	defer Repay(g)
	return scale * math.Sqrt(math.Max(g.TopEigenvalue(), 0))
}

// Diagonal is the diagonal of a Small(k, k).
func (s *FactorOf[T]) Diagonal() []float64 {
	d := make([]float64, s.K)
	for i := range d {
		d[i] = float64(s.Row(i)[i])
	}
	return d
}

// Trace is the sum of the diagonal of a Small(k, k).
func (s *FactorOf[T]) Trace() (sum float64) {
	for i := range s.K {
		sum += float64(s.Row(i)[i])
	}
	return sum
}

// SymEigen is the eigendecomposition (S + Sᵀ)/2 = E diag(values) Eᵀ of the symmetric part of a Small(k, k), values ascending.
// E (k×k) is nil where no vectors are asked for. The values of a matrix that is not finite are NaN.
func (s *FactorOf[T]) SymEigen(vectors bool) (values []float64, e *mat.Dense) {
	part := s.symmetricPart()
	defer memory.Repay(part.RawSymmetric().Data)
	return linalg.SymEigen(part, vectors)
}

// EigenRows is the eigendecomposition S = Zᵀ diag(values) Z of a Gram matrix, a symmetric Small(k, k), values ascending. The
// rows of Z are the eigenvectors.
func (s *FactorOf[T]) EigenRows() (values []float64, z *Factor) {
	whole := FactorIn[float64](s).Data[:s.K*s.Stride]
	values, x := linalg.VectorsByRow(whole, s.K)
	return values, &Factor{Rows: s.K, K: s.K, Stride: s.Stride, Data: x}
}

// TopEigenvalue is the largest eigenvalue of the symmetric part of a Small(k, k), NaN where that is not finite.
func (s *FactorOf[T]) TopEigenvalue() float64 {
	part := s.symmetricPart()
	defer memory.Repay(part.RawSymmetric().Data)
	return linalg.TopEigenvalue(part)
}

// symmetricPart is (S + Sᵀ)/2 in borrowed memory, on and above the diagonal.
func (s *FactorOf[T]) symmetricPart() *mat.SymDense {
	upper := memory.Borrow[float64](s.K * s.K) // with anything below the diagonal
	for i := range s.K {
		row := upper[i*s.K : (i+1)*s.K]
		for j := i; j < s.K; j++ {
			row[j] = (float64(s.Row(i)[j]) + float64(s.Row(j)[i])) / 2
		}
	}
	return mat.NewSymDense(s.K, upper)
}

// Definite reports whether all eigenvalues of the symmetric part of a Small(k, k) exceed above times its largest diagonal
// entry.
func (s *FactorOf[T]) Definite(above float64) bool {
	l, top := linalg.NewLower(s.K), 0.0
	for i := range s.K {
		top = math.Max(top, float64(s.Row(i)[i]))
	}
	for i := range s.K {
		for j := range i + 1 {
			l.Row(i, j)[j%linalg.PanelWidth] = (float64(s.Row(i)[j]) + float64(s.Row(j)[i])) / 2
		}
		l.Row(i, i)[i%linalg.PanelWidth] -= above * top
	}
	return l.Cholesky()
}

// Norm is ‖x‖₂, safe from overflow and underflow.
func Norm(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	if linalg.SquareInRange(s) {
		return math.Sqrt(s)
	}
	scale := linalg.MaxAbs(x)
	if scale == 0 || math.IsInf(scale, 0) {
		return scale
	}
	s = 0
	for _, v := range x {
		s += (v / scale) * (v / scale)
	}
	return scale * math.Sqrt(s)
}
