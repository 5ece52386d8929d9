package recovery_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver"
	sparselowrank "github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
	"gonum.org/v1/gonum/mat"
)

// proven is the dual objective of a point r, computed anew: that of the entries less ζ times the norm of r, or with a norm of at
// most λ, for the best multiple of r. The norm is σ₁ of r, or of its symmetric part, or the largest eigenvalue of that.
func (s *slow) proven(r []float64) float64 {
	n := s.n
	var norm float64
	if s.cone == recovery.General {
		var svd mat.SVD
		svd.Factorize(mat.NewDense(n, n, r), mat.SVDNone)
		norm = svd.Values(nil)[0]
	} else {
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sym.SetSym(i, j, (r[i*n+j]+r[j*n+i])/2)
			}
		}
		var eig mat.EigenSym
		eig.Factorize(sym, false)
		values := eig.Values(nil)
		norm = math.Max(values[n-1], 0)
		if s.cone == recovery.Symmetric {
			norm = math.Max(norm, -values[0])
		}
	}
	lo, hi := 0.0, 1.5
	if s.zeta == 0 {
		hi = s.lambda / norm
	}
	for range 100 { // concave in the scale
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if s.entries(r, a)-a*s.zeta*norm < s.entries(r, b)-b*s.zeta*norm {
			lo = a
		} else {
			hi = b
		}
	}
	return s.entries(r, lo) - lo*s.zeta*norm
}

// entries is Σ inf over x of ½w(x-y)² + λ₁|x| + scale·rx.
func (s *slow) entries(r []float64, scale float64) (d float64) {
	for i, p := range r {
		p *= scale
		if w := s.w[i]; w > 0 {
			over := math.Max(math.Abs(w*s.y[i]-p)-s.l1, 0)
			d += (w*w*s.y[i]*s.y[i] - over*over) / (2 * w)
		} else if math.Abs(p) > s.l1*(1+1e-9) {
			return math.Inf(-1)
		}
	}
	return d
}

// A recorder keeps the dual point of the best bound, which need not be that of the last step.
type recorder struct {
	sparselowrank.Auto
	best float64
	r    []float64
}

func (m *recorder) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	did, err := m.Auto.Step(ctx, p, s)
	if err == nil && did.Polar.Kind == gcg.Proven {
		if bound := p.Bound(s, did.Polar); bound > m.best {
			m.best, m.r = bound, append(m.r[:0], s.R...)
		}
	}
	return did, err
}

// Optima at N = 50 and 100 by proofs that share no code with the library: of X the objective, and of B the dual
// objective, both with gonum's decompositions, are 1e-5 apart. Penalties are weak and strong, λ is below λ₁ and above, and the
// same with bounds and on the cones.
func TestProven(t *testing.T) {
	type problem struct {
		known        float64
		l1           float64 // times 1/N²
		lambda, zeta float64 // λ times λ₁
		cone         recovery.Cone
	}
	all := []problem{{known: 0.4, l1: 0.1, lambda: 0.5, cone: recovery.Symmetric},
		{known: 1, l1: 0.1, lambda: 3, cone: recovery.Symmetric},
		{known: 0.4, l1: 0.1, zeta: 1, cone: recovery.Symmetric}, {known: 0.4, l1: 0.1, lambda: 0.001, cone: recovery.Semidefinite},
		{known: 0.4, l1: 0.1, lambda: 3, cone: recovery.Semidefinite}, {known: 1, l1: 0.01, lambda: 0.5, cone: recovery.Semidefinite},
		{known: 0.4, l1: 0.1, zeta: 2, cone: recovery.Semidefinite}, {known: 1, l1: 0.1, zeta: 20, cone: recovery.Semidefinite}}
	for _, known := range []float64{0.05, 0.4, 1} {
		for _, c := range [][3]float64{{1, 1e-3, 0}, {1, 30, 0}, {0.1, 0.5, 0}, {0.1, 3, 0}, {0.1, 30, 0}, {0.01, 3, 0},
			{0.01, 30, 0}, {1, 0, 1}, {0.1, 0, 0.3}, {0.01, 0, 2}, {0.0001, 0, 0.5}} {
			all = append(all, problem{known, c[0], c[1], c[2], recovery.General})
		}
	}
	all = append(all, problem{known: 0.4, l1: 1e-4, lambda: 3}, problem{known: 0.4, l1: 1e-4, lambda: 30}, // very weak ones
		problem{known: 0.4, l1: 1e-4, lambda: 3, cone: recovery.Symmetric},
		problem{known: 0.4, l1: 1e-4, lambda: 3, cone: recovery.Semidefinite})
	sides := []int{50, 100}
	if testing.Short() {
		sides = sides[:1]
	}
	for _, n := range sides {
		for k, c := range all {
			t.Run(fmt.Sprintf("N=%d %v", n, c), func(t *testing.T) {
				prove(t, n, uint64(k), c.known, &slow{l1: c.l1, lambda: c.lambda, zeta: c.zeta, cone: c.cone})
			})
		}
	}
}

// prove solves a problem of the paper, λ₁ in units of 1/N² and λ of λ₁, and proves the bracket.
func prove(t *testing.T, n int, seed uint64, known float64, s *slow) {
	r := paper(n, known, seed)
	s.n, s.w, s.y = n, make([]float64, n*n), make([]float64, n*n)
	s.l1 /= float64(n * n)
	s.lambda *= s.l1
	for e, i := range r.Rows {
		at := int(i)*n + int(r.Cols[e])
		s.w[at], s.y[at] = 1/float64(r.Len()), r.Values[e]
	}
	tk := &recovery.Task{Train: r, L1: s.l1, Cone: s.cone, Shape: [2]int{n, n}}
	dual := &recorder{best: math.Inf(-1)}
	res, err := tk.Fit(context.Background(), task.Options{Lambda: s.lambda, Zeta: s.zeta,
		Method: func(*gcg.Problem) (solver.Method, solver.Improver) { return dual, nil },
		Run:    solver.Options{Tol: 1e-5, MaxIter: 2000, Plateau: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	st := res.Result.State
	if res.Result.Status != solver.Converged {
		t.Fatalf("%s after %d steps, with a gap of %v", res.Result.Status, res.Result.Iter, st.Cert.Relative)
	}
	check(t, s, st.W.Dense(), st.Cert.Objective)
	whole := res.Fitting
	if dual.r == nil { // it began at the solution
		dual.r = st.R
	}
	b := make([]float64, n*n)
	cells, ok := view.CellsOf(whole.Problem.Operator)
	if !ok {
		t.Fatal("the operator is not one of entries")
	}
	ptr, cols, _ := cells.Cells()
	for i := range n {
		if ptr == nil {
			copy(b, dual.r)
			break
		}
		for e := ptr[i]; e < ptr[i+1]; e++ {
			b[i*n+int(cols[e])] = dual.r[e]
		}
	}
	constant := 0.0
	if s.cone != recovery.General {
		constant = s.symmetrise()
	}
	if gap := st.Cert.Objective - s.proven(b) - constant; gap > 2e-5*st.Cert.Objective || gap < -1e-12*st.Cert.Objective {
		t.Errorf("F = %.10g after %d steps, and the dual point proves %.10g", st.Cert.Objective, res.Result.Iter, st.Cert.Objective-gap)
	}
}

// symmetrise makes the losses of x_ij and of x_ji the half of both, and returns what their sum has beside: of two squares of one
// x about y and z it is half of the product of the weights over their sum, times (y - z)².
func (s *slow) symmetrise() (constant float64) {
	for i := range s.n {
		for j := range i {
			a, b := i*s.n+j, j*s.n+i
			sum := s.w[a] + s.w[b]
			if sum == 0 {
				continue
			}
			off := s.y[a] - s.y[b]
			constant += s.w[a] * s.w[b] / sum * off * off / 2
			mean := (s.w[a]*s.y[a] + s.w[b]*s.y[b]) / sum
			s.w[a], s.w[b], s.y[a], s.y[b] = sum/2, sum/2, mean, mean
		}
	}
	return constant
}
