package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"gonum.org/v1/gonum/mat"
)

// A missedSpectrum bounds the eigenvalues λ of A = DᵀD that a block Lanczos run from Y₁ (b columns) may have missed. Let y be a
// unit eigenvector of λ, and 𝒦 the Krylov space of one step less. For every n×b matrix K with columns in 𝒦
//
//	Y₁ᵀy = (Y₁ - (λI-A)K)ᵀy,   so   ‖Y₁ᵀy‖ ≤ ‖Y₁ - (λI-A)K‖₂ = ρ(λ) at the best K,
//
// the residual of block MINRES at the shift λ, which H gives for every λ. But Y₁ is random and y is not. ‖Y₁ᵀy‖² has the
// distribution Beta(b/2, (d-b)/2) in dimension d, and is seldom below the x of likely. Where it is above x, and ρ(λ)² < x, λ is
// no eigenvalue. The event ‖Y₁ᵀy‖² > x is one for all steps and all λ, so that the bound may be read off at any time.
//
// Pairs that have converged drop out of ρ. So the bound is far closer than one that holds for every spectrum
// [Kuczyński-Woźniakowski 1992]: on the residual of MovieLens-1M it is 2 % above σ₁ after 10 steps, and the latter 9 %.
type missedSpectrum struct {
	t    []float64 // the n eigenvalues of H, divided by the largest, descending
	last []float64 // n×b: for each eigenvalue the last block of its eigenvector
	both []float64 // n×2b: for each eigenvalue the first block of its eigenvector, and the last block times 1/(λ-t) for a shift λ
}

// newMissedSpectrum needs at least two steps, and a first block of Starts columns.
func newMissedSpectrum(r ritz) *missedSpectrum {
	n := len(r.values)
	u := &missedSpectrum{make([]float64, n), make([]float64, n*Starts), make([]float64, 2*n*Starts)}
	for i, v := range r.values {
		u.t[i] = (v / r.top()) * (v / r.top())
		for j := range Starts {
			u.both[2*i*Starts+j] = r.ends.At(j, n-1-i)
		}
		for j := range r.from.last {
			u.last[i*Starts+j] = r.last(j, i)
		}
	}
	return u
}

// likely is an x with P(‖Y₁ᵀy‖² ≤ x) ≤ failure in dimension dim: the density of Beta(4, d/2-4) is at most (d/2)⁴ x³/3!.
func likely(dim int, failure float64) float64 { return 2 * math.Pow(24*failure, 0.25) / float64(dim) }

// A shift is the residual R that block MINRES leaves at a λ, and the K that leaves it. Let S = (λ-H)⁻¹, and E the rows of the
// identity that belong to the last block. R is orthogonal to (λ-H)𝒦:
//
//	R = S Eᵀ (E S² Eᵀ)⁻¹ E S Y₁,   K = S (Y₁ - R).
//
// All of it is in the basis of H's eigenvectors, in which S is diagonal.
type shift struct {
	lambda float64   // divided by the largest eigenvalue of H, and above 1
	rho    float64   // ‖R‖₂, and room for rounding
	k      []float64 // K, n×b
}

// at is the shift at lambda; width is the number of columns of the last block. It takes 8·b²·n flops for n eigenvalues. k
// (n×b) is overwritten and kept. Where float64 cannot solve the system, ρ is +Inf.
func (u *missedSpectrum) at(lambda float64, width int, k []float64) shift {
	s := shift{lambda: lambda, rho: math.Inf(1), k: k}
	x, g := u.products(lambda, width)
	z, ok := solved(&g, x, width)
	if !ok {
		return s
	}
	f := mat.NewSymDense(Starts, nil)
	for a := range Starts {
		for b := a; b < Starts; b++ {
			var sum float64
			for c := range width {
				sum += x[c][a] * z[c][b]
			}
			f.SetSym(a, b, sum)
		}
	}
	s.rho = math.Sqrt(math.Max(linalg.TopEigenvalue(f), 0)) + shiftNoise/(lambda-1)
	var by [2 * Starts * Starts]float64 // [I; -Z]
	for a := range Starts {
		by[a*Starts+a] = 1
		for b := range Starts {
			by[(Starts+a)*Starts+b] = -z[a][b]
		}
	}
	clear(k)
	kernel.GemmNN(k, u.both, by[:], len(u.t), Starts, 2*Starts)
	for i, t := range u.t {
		d, row := 1/(lambda-t), k[i*Starts:(i+1)*Starts]
		for j := range row {
			row[j] *= d
		}
	}
	return s
}

// products scales last by 1/(λ-t) within both, and returns E S Y₁ and E S² Eᵀ, of width rows.
func (u *missedSpectrum) products(lambda float64, width int) (x, g [Starts][Starts]float64) {
	for i, t := range u.t {
		d, to := 1/(lambda-t), u.both[(2*i+1)*Starts:(2*i+2)*Starts]
		for j, l := range u.last[i*Starts : (i+1)*Starts] {
			to[j] = d * l
		}
	}
	var gram [4 * Starts * Starts]float64
	kernel.Gram(gram[:], u.both, len(u.t), 2*Starts)
	kernel.Mirror(gram[:], 2*Starts)
	for a := range width {
		row := gram[2*(Starts+a)*Starts:]
		copy(x[a][:], row)
		copy(g[a][:], row[Starts:])
	}
	return x, g
}

// shiftNoise is what rounding and dropped directions may leave in the products of the steps, relative to ‖H‖.
const shiftNoise = 1e-11

// solved is G⁻¹X for a positive definite k×k matrix G and X of k rows. Of G only the lower triangle is read, which its
// Cholesky factor overwrites. It reports false where rounding has left G not positive definite.
func solved(g *[Starts][Starts]float64, x [Starts][Starts]float64, k int) ([Starts][Starts]float64, bool) {
	for i := range k {
		for j := range i + 1 {
			sum := g[i][j]
			for c := range j {
				sum -= g[i][c] * g[j][c]
			}
			if i > j {
				g[i][j] = sum / g[j][j]
			} else if g[i][i] = math.Sqrt(sum); !(sum > 0) {
				return x, false
			}
		}
	}
	for b := range Starts {
		for i := range k {
			for c := range i {
				x[i][b] -= g[i][c] * x[c][b]
			}
			x[i][b] /= g[i][i]
		}
		for i := k - 1; i >= 0; i-- {
			for c := i + 1; c < k; c++ {
				x[i][b] -= g[c][i] * x[c][b]
			}
			x[i][b] /= g[i][i]
		}
	}
	return x, true
}

// apart is ‖K_a - K_b‖_F.
func apart(a, b shift) float64 {
	var sum float64
	for i, x := range a.k {
		x -= b.k[i]
		sum += x * x
	}
	return math.Sqrt(sum)
}

// bound is a value above all singular values of D, divided by the largest Ritz value, if ‖Y₁ᵀy‖² > x. width is the number of
// columns of the last block. All λ above from are excluded at the start, and others are excluded by intervals downwards. Between
// two shifts at a distance of h the interpolated K leaves
//
//	ρ ≤ max(ρ_a, ρ_b) + h/4 ‖K_a - K_b‖,
//
// and where this is below √x the whole interval is excluded. The length of the next interval is predicted from the last one.
func (u *missedSpectrum) bound(from float64, width int, x float64) float64 {
	root := math.Sqrt(x)
	spare := make([]float64, len(u.last))
	a := u.at(from*from, width, make([]float64, len(u.last)))
	for part := 0.5; part > leastPart; {
		h := part * (a.lambda - 1)
		b := u.at(a.lambda-h, width, spare)
		growth, gap := math.Log(b.rho/a.rho), h/4*apart(a, b)
		if math.Max(a.rho, b.rho)+gap < root {
			a, spare = b, a.k
			part = math.Min(h*intervalLength(b.rho, growth, gap, root)/(a.lambda-1), mostPart)
		} else {
			part *= math.Min(intervalLength(a.rho, growth, gap, root), 0.75)
		}
	}
	return math.Sqrt(a.lambda)
}

// mostPart is the longest interval, in units of the way down to the largest eigenvalue of H. One of less than leastPart is not
// worth a shift, and ends the search.
const (
	mostPart  = 0.75
	leastPart = 1.0 / 40
)

// intervalLength is how long the next interval may be, in units of the last one, and a tenth less for safety. Over the last one ρ
// grew by the factor exp(growth), and interpolation added gap = h/4 ‖K_a - K_b‖. It is supposed that ρ goes on to grow at this
// rate, and error with the square of the length. Their sum is to stay below root = √x.
func intervalLength(rho, growth, gap, root float64) float64 {
	if math.IsNaN(growth) || math.IsInf(growth, 0) {
		return 0.5
	}
	t, _ := roots.Bisect(0, 4, 1e-3, func(t float64) bool { return rho*math.Exp(math.Max(growth, 0)*t)+gap*t*t < root })
	return 0.9 * t
}

// chebyshevBound is the value, divided by the largest Ritz value, above which the Chebyshev polynomial of degree l-1, for l
// steps, excludes all singular values of D, if ‖Y₁ᵀy‖² > x.
func chebyshevBound(steps int, x float64) float64 {
	t := math.Cosh(math.Acosh(1/math.Sqrt(x)) / float64(steps-1)) // at which it is 1/√x
	return math.Sqrt((1 + t) / 2)
}
