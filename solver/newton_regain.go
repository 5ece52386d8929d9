package solver

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// A Newton step drops directions by a model that holds only nearby, and drops now and then one too many: then the polar would
// bring it back, for the price of a certificate that cannot close. Here it comes back for a few products with a few vectors.

const (
	regainBelow = 0.02 // inner gap below which the gradient says what is missing
	powerSteps  = 4    // from the directions that were lost to the one that is missing
	clearly     = 8    // times what the last half of a step added to a value it must be away from what is worthwhile
	clearBelow  = 0.95 // part of λ below which nothing comes back once the gap is below regainBelow
	maxLost     = 8    // directions that are remembered, as many as the kernels handle in one stride
)

// lose remembers right vectors (n×d) that a step dropped, the newest first. They are near singular vectors of D with values
// close to λ, which of all that lies outside the spaces of W the preconditioner must know.
func (n *newton) lose(v *gcg.Factor) {
	if v.K == 0 {
		return
	}
	n.lost, n.near, n.missing = newest(v, n.lost, maxLost), newest(v, n.near, maxNear+maxLost), true
}

// newest is [V old], up to a number of columns.
func newest(v, old *gcg.Factor, limit int) *gcg.Factor {
	if old != nil {
		v = gcg.Beside(v, old)
		defer gcg.Repay(v)
	}
	return v.Widen(min(v.K, limit))
}

// regain takes in what the gradient wants of the pairs that were below λ, and of the directions that steps have dropped; it
// reports whether there are any.
func (n *newton) regain() bool {
	return n.crossed() || n.recovered()
}

// crossed looks at the known pairs that were below λ before, if they were above it when they were last fitted.
func (n *newton) crossed() bool {
	if n.fitted == nil || len(n.fitted.values) == 0 || n.fitted.values[0] <= n.worthwhile() || n.inner > regainBelow && n.inner > n.goal {
		return false
	}
	n.fit()
	n.measure()
	return n.takeInWanted(n.fitted)
}

// recovered looks near the directions that were lost: once after a loss, and once more at the goal if it saw something near
// λ.
func (n *newton) recovered() bool {
	if n.lost == nil || n.inner > regainBelow && n.inner > n.goal || !n.missing && (n.inner > n.goal || n.clear) {
		return false
	}
	n.missing = false
	all := n.near.K == n.lost.K
	p := n.leadingOutside(n.lost.Clone(), powerSteps)
	if n.lost = p.y; all { // that are known
		n.near, n.fitted, p.far = p.y, p, n.far
	}
	n.clear = len(p.values) == 0 || p.values[0] < clearBelow*n.slope
	n.measure()
	return n.takeInWanted(p)
}

// takeInWanted takes in the pairs that are worthwhile, as far as MaxRank leaves room, and reports whether there are any.
func (n *newton) takeInWanted(p *pairs) bool {
	count, most := 0, len(p.values)
	if n.maxRank > 0 {
		most = min(most, max(0, n.maxRank-n.k()))
	}
	for count < most && p.values[count] > n.worthwhile() {
		count++
	}
	return count > 0 && n.takeIn(p.x.Widen(count), p.values[:count], p.y.Widen(count))
}

// worthwhile is what a singular value outside the spaces of W must exceed to be taken in.
func (n *newton) worthwhile() float64 { return n.slope * (1 + math.Max(n.goal, 1e-6)) }

// leadingOutside are the leading singular pairs of D, descending, by power steps from v (n×d), which is taken over. They are
// so many steps, or fewer where the largest value is clearly worthwhile or clearly not, beside what the last half of a step
// added to it.
func (n *newton) leadingOutside(v *gcg.Factor, steps int) *pairs {
	g := n.model.gradient()
	var x, y *gcg.Factor
	var a, b *mat.Dense
	var s []float64
	defer func() { gcg.Repay(v) }()
	v.Project(n.right)
	for range steps {
		gcg.Repay(x, y)
		if y, _ = gcg.Orthonormal(v, 1e-3); y.K == 0 { // W has them all
			return &pairs{x: gcg.NewFactor(n.left.Rows, 0), y: y}
		}
		gy := gcg.NewFactor(n.left.Rows, y.K)
		gcg.MulBlock(g, gy, y)
		gy.Project(n.left)
		x, _ = gcg.Orthonormal(gy, 1e-3)
		gcg.Repay(gy, v)
		if x.K == 0 {
			return &pairs{x: x, y: y}
		}
		v = gcg.NewFactor(n.right.Rows, x.K)
		gcg.TMulBlock(g, v, x)
		v.Project(n.right)
		a, s, b = linalg.ThinSVD(gcg.TMul(v, y).Dense(x.K))
		if value := v.SpectralNorm(); math.Abs(n.worthwhile()-value) > clearly*(value-s[0]) {
			break
		}
	}
	if n.beyond = s[0]; n.unasked {
		n.rest = math.Max(n.rest, s[0])
	}
	defer gcg.Repay(x, y)
	return &pairs{x: gcg.Mul(x, gcg.SmallOf(a)), values: s, y: gcg.Mul(y, gcg.SmallOf(b))}
}

// takeIn adds the pairs x yᵀ to the point, with the weights (τ-λ)/H at which F is least along each by itself, H being the
// curvature there, or small ones where that is not known; and with smaller ones while F does not fall.
func (n *newton) takeIn(x *gcg.Factor, values []float64, y *gcg.Factor) bool {
	old := *n
	weights, curve := make([]float64, len(values)), n.model.curvatures(x, y)
	for i, value := range values {
		weights[i] = math.Min((value-n.slope)/curve(i), old.sigma[0])
		if !(weights[i] > 0) {
			weights[i] = old.sigma[n.k()-1]
		}
	}
	for range 8 {
		n.left, n.right = gcg.Beside(old.left, x), gcg.Beside(old.right, y)
		n.sigma = append(slices.Clone(old.sigma), weights...)
		if n.evaluate(); n.f < old.f {
			n.leave(&old)
			return true
		}
		kernel.Scale(0.25, weights)
	}
	n.back(&old)
	return false
}
