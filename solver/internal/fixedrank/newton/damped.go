package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// dampedTrials are damped Newton steps with the whole Hessian T on tangent vectors, the minimisers of
//
//	⟨g, t⟩ + ½⟨t, T t⟩ + μ/2 ⟨t, (K + γN) t⟩
//
// K = L ⊗ I with L = XᵀX of the features measures how far predictions move: where a few would move far, a model of a loss
// whose second derivatives vary does not hold. N measures how far singular values and vectors move, by (M_ij)²(1/sᵢ +
// 1/sⱼ)/2 and A_ic²/s_c, at the rate γ = ‖C‖: where a singular value would come to 0 the trace norm has a kink, and T says
// that F goes on falling. The damping μ follows how good the model was [Levenberg 1944, Marquardt 1963]. A trust region in
// the metric of the second derivatives would not do: where they vanish, as logistic ones do far from 0, the few observations
// there would hold everything up.
type dampedTrials struct {
	n         *Iteration
	c         *compressed
	g         []float64
	metric    *gcg.Factor // [P X]ᵀ L [P X], m×m
	step      []float64
	exhausted bool
}

const (
	firstMu = 1e-3  // μ of the first step at a first point, in the scale of T
	leastMu = 1e-14 // to which μ falls while the model holds: a Newton step but for rounding
	mostMu  = 1e12  // at which there is no step left to try

	firstRefused = 1e-8  // μ after a step that F refused, at least: from leastMu it would take too many
	pivotFloor   = 1e-12 // of the mean diagonal of T and of μK: what rounding may have left of both below 0
)

// newDampedTrials takes the memory of the gradient, and the Hessian h of the loss.
func newDampedTrials(n *Iteration, h *model.Matrix) *dampedTrials {
	c := newCompressed(n, h)
	if n.Damping == 0 {
		n.Damping = firstMu
	}
	n.Damping = math.Min(n.Damping, 1) // what the last point took at worst is not for this one
	return &dampedTrials{n: n, c: c, g: c.vector(n.projected()), metric: gcg.TMul(c.left, gcg.TMul(h.Metric, c.left))}
}

// next solves for a step. Where the matrix is not positive definite it is damped more.
func (w *dampedTrials) next() (promised float64, ok bool) {
	for ; w.n.Damping < mostMu && !w.exhausted; w.refused() {
		if l := w.factor(); l != nil {
			w.step = w.solve(l)
			return -kernel.Dot(w.g, w.step) - w.quadraticForm()/2, true
		}
	}
	return 0, false
}

// move goes to the end of the curve along the step.
func (w *dampedTrials) move() { retract(w.n, w.c.tangent(w.step)) }

// took sets μ by how good the model was, and remembers whether this H may serve again.
func (w *dampedTrials) took(ratio float64) {
	w.n.FormPolicy.Kept = ratio > 0.5 && ratio < hessian.MostKept
	switch {
	case ratio < poorRatio:
		w.n.Damping *= 4
	case ratio > goodRatio:
		w.n.Damping = math.Max(w.n.Damping/10, leastMu)
	}
}

// refused damps more. Where H is that of an earlier point there is nothing to try.
func (w *dampedTrials) refused() {
	w.exhausted = w.n.FormPolicy.Earlier // rather those of this point
	w.n.Damping = math.Max(10*w.n.Damping, firstRefused)
}

// factor is the Cholesky factor of T + μ(K + γN), or nil where that is not positive definite.
func (w *dampedTrials) factor() *linalg.Lower {
	dim := w.c.dim()
	l := linalg.NewLower(dim)
	for i := range dim {
		for j := 0; j <= i; j += linalg.PanelWidth {
			copy(l.Row(i, j), w.c.h[i*dim+j:i*dim+min(i+1, j+linalg.PanelWidth)])
		}
	}
	add := func(i, j int, x float64) { l.Row(i, j)[j%linalg.PanelWidth] += x }
	floor := pivotFloor * (l.Trace()/float64(dim) + w.n.Damping*w.metric.Trace())
	for i := range w.c.m() {
		for j := range w.columns(i) {
			for r := range i + 1 {
				add(w.c.at(i, j), w.c.at(r, j), w.n.Damping*w.metric.Row(i)[r])
			}
			add(w.c.at(i, j), w.c.at(i, j), floor+w.n.Damping*w.turning(i, j))
		}
	}
	if !l.Cholesky() {
		return nil
	}
	return l
}

// turning is the entry of γN at T_ij.
func (w *dampedTrials) turning(i, j int) float64 {
	rate, sigma := w.n.lambda+math.Max(w.n.normExcess, 0), w.n.sigma
	if i < w.c.k && j < w.c.k {
		return rate * (1/sigma[i] + 1/sigma[j]) / 2
	}
	return rate / sigma[min(i, j)]
}

// columns is how many entries row i of T has.
func (w *dampedTrials) columns(i int) int {
	if i < w.c.k {
		return w.c.n()
	}
	return w.c.k
}

// solve is the minimiser, with tr M at most what a ball has room for, or 0 where it is active.
func (w *dampedTrials) solve(l *linalg.Lower) []float64 {
	x := make([]float64, len(w.g))
	kernel.Axpy(-1, w.g, x)
	l.Solve(x)
	room := 0.0
	if !w.n.active {
		if room = w.n.p.Penalty.Max() - w.n.rho(); !(w.trace(x) > room) {
			return x
		}
	}
	one := make([]float64, len(w.g))
	for i := range w.c.k {
		one[w.c.at(i, i)] = 1
	}
	l.Solve(one)
	kernel.Axpy((room-w.trace(x))/w.trace(one), one, x)
	return x
}

// trace is tr M.
func (w *dampedTrials) trace(x []float64) (sum float64) {
	for i := range w.c.k {
		sum += x[w.c.at(i, i)]
	}
	return sum
}

// quadraticForm is ⟨t, T t⟩ for the step t.
func (w *dampedTrials) quadraticForm() (sum float64) {
	dim := len(w.step)
	for i, x := range w.step {
		sum += x * kernel.Dot(w.c.h[i*dim:(i+1)*dim], w.step)
	}
	return sum
}
