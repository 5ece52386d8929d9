package recovery_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
	"gonum.org/v1/gonum/mat"
)

// paper is the data of [Argyriou14 §6.1]: U Vᵀ of N×5 factors, a tenth of whose entries are uniform and the others 0, with noise
// of variance 1e-4, of which a fraction is known.
func paper(n int, fraction float64, seed uint64) *dataset.Ratings {
	rng := rand.New(rand.NewPCG(seed, 41))
	factor := func() []float64 {
		x := make([]float64, n*5)
		for i := range x {
			if rng.Float64() < 0.1 {
				x[i] = rng.Float64()
			}
		}
		return x
	}
	u, v := factor(), factor()
	r := &dataset.Ratings{Name: "paper", Shape: [2]int{n, n}}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint(i + 1)
	}
	r.RowIDs, r.ColIDs = dataset.NewIDs(texts), dataset.NewIDs(texts)
	for i := range n {
		for j := range n {
			y := 0.01 * rng.NormFloat64()
			for c := range 5 {
				y += u[i*5+c] * v[j*5+c]
			}
			if rng.Float64() < fraction {
				r.Rows, r.Cols, r.Values = append(r.Rows, int32(i)), append(r.Cols, int32(j)), append(r.Values, y)
			}
		}
	}
	return r
}

// A slow solver of ½Σ w(x-y)² + λ₁‖X‖₁ + g(X) on the whole n×n matrix: the primal-dual method of Chambolle and Pock, with gonum's
// decompositions. g is λ‖X‖_* or the ball of radius ζ, on a cone.
type slow struct {
	n            int
	w, y         []float64 // w = 0 where nothing is known
	l1           float64
	lambda, zeta float64
	cone         recovery.Cone
}

// shrunk is argmin over Z of g(Z) + ‖Z-V‖²/(2t), and g(Z) where that is finite.
func (s *slow) shrunk(v []float64, t float64) (z []float64, g float64) {
	n := s.n
	var left, right mat.Dense
	var values []float64
	if s.cone == recovery.General {
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(n, n, append([]float64(nil), v...)), mat.SVDFull) {
			panic("no decomposition")
		}
		svd.UTo(&left)
		svd.VTo(&right)
		values = svd.Values(nil)
	} else {
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sym.SetSym(i, j, (v[i*n+j]+v[j*n+i])/2)
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(sym, true) {
			panic("no decomposition")
		}
		eig.VectorsTo(&left)
		right.CloneFrom(&left)
		values = eig.Values(nil)
		if s.cone == recovery.Symmetric {
			for c, x := range values {
				if x < 0 {
					values[c] = -x
					for i := range n {
						right.Set(i, c, -right.At(i, c))
					}
				}
			}
		}
	}
	theta := t * s.lambda
	if s.zeta > 0 {
		lo, hi := 0.0, 1e6
		for range 200 {
			theta = (lo + hi) / 2
			var sum float64
			for _, x := range values {
				sum += math.Max(x-theta, 0)
			}
			if sum > s.zeta {
				lo = theta
			} else {
				hi = theta
			}
		}
	}
	z = make([]float64, n*n)
	for c, x := range values {
		if x = math.Max(x-theta, 0); x == 0 {
			continue
		}
		g += s.lambda * x
		for i := range n {
			for j := range n {
				z[i*n+j] += x * left.At(i, c) * right.At(j, c)
			}
		}
	}
	return z, g
}

// optimum is the least objective that is found.
func (s *slow) optimum(rounds int) float64 {
	n2 := s.n * s.n
	var top float64
	for _, w := range s.w {
		top = math.Max(top, w)
	}
	tau := 1 / top
	sigma := 1 / tau
	x, b, bar := make([]float64, n2), make([]float64, n2), make([]float64, n2)
	best := math.Inf(1)
	for range rounds {
		v := make([]float64, n2)
		for i := range v {
			v[i] = b[i]/sigma + bar[i]
		}
		z, g := s.shrunk(v, 1/sigma)
		f := g
		for i, zi := range z {
			b[i] = sigma * (v[i] - zi)
			f += s.w[i]*(zi-s.y[i])*(zi-s.y[i])/2 + s.l1*math.Abs(zi)
			at := (s.w[i]*s.y[i] + (x[i]-tau*b[i])/tau)
			at = math.Copysign(math.Max(math.Abs(at)-s.l1, 0), at) / (s.w[i] + 1/tau)
			bar[i] = 2*at - x[i]
			x[i] = at
		}
		best = math.Min(best, f)
	}
	return best
}

// Optima of [Argyriou14]'s problem, weak and strong, penalised and constrained, with λ above λ₁ and below, on each cone: the
// bracket holds what the slow solver finds, and closes to 1e-5.
func TestOptima(t *testing.T) {
	n, rounds := 20, 4000
	type problem struct {
		name         string
		known        float64
		l1           float64 // times 1/N²
		lambda, zeta float64 // λ times 1/N²
		cone         recovery.Cone
	}
	for k, c := range []problem{
		{"the paper's", 0.4, 1, 1e-3, 0, recovery.General},
		{"λ below λ₁", 0.4, 0.3, 0.25, 0, recovery.General},
		{"λ above λ₁", 0.4, 0.1, 0.5, 0, recovery.General},
		{"all entries", 1, 0.1, 0.5, 0, recovery.General},
		{"strong", 0.4, 0.02, 3, 0, recovery.General},
		{"a bound", 0.4, 0.2, 0, 0.8, recovery.General},
		{"a bound, weak", 1, 0.05, 0, 2, recovery.General},
		{"a bound that holds nothing", 0.4, 0.5, 0, 50, recovery.General},
		{"symmetric", 0.6, 0.1, 0.4, 0, recovery.Symmetric},
		{"semidefinite", 0.6, 0.1, 0.4, 0, recovery.Semidefinite},
		{"semidefinite, a bound", 1, 0.1, 0, 1, recovery.Semidefinite},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := paper(n, c.known, uint64(k))
			scale := 1 / float64(n*n)
			s := &slow{n: n, w: make([]float64, n*n), y: make([]float64, n*n), l1: c.l1 * scale, lambda: c.lambda * scale,
				zeta: c.zeta,
				cone: c.cone}
			for e, i := range r.Rows {
				at := int(i)*n + int(r.Cols[e])
				s.w[at], s.y[at] = 1/float64(r.Len()), r.Values[e]
			}
			optimum := s.optimum(rounds)
			tk := &recovery.Task{Train: r, L1: s.l1, Cone: c.cone, Shape: [2]int{n, n}}
			res, err := tk.Fit(context.Background(), task.Options{Lambda: s.lambda, Zeta: c.zeta,
				Run: solver.Options{Tol: 1e-5, MaxIter: 5000, Plateau: 5000}})
			if err != nil {
				t.Fatal(err)
			}
			cert := res.Result.State.Cert
			if res.Result.Status != solver.Converged || cert.LowerBound > optimum*(1+1e-9) || cert.Objective < optimum*(1-1e-6) {
				t.Errorf("%s after %d: [%.10g, %.10g], and %.10g", res.Result.Status, res.Result.Iter, cert.LowerBound,
					cert.Objective,
					optimum)
			}
			if math.Abs(cert.Objective-optimum) > 2e-5*optimum {
				t.Errorf("objective %.10g, and %.10g", cert.Objective, optimum)
			}
			check(t, s, res.Result.State.W.Dense(), cert.Objective)
		})
	}
}

// check evaluates the objective of X anew.
func check(t *testing.T, s *slow, x []float64, objective float64) {
	t.Helper()
	var f float64
	for i, v := range x {
		f += s.w[i]*(v-s.y[i])*(v-s.y[i])/2 + s.l1*math.Abs(v)
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(s.n, s.n, append([]float64(nil), x...)), mat.SVDNone) {
		t.Fatal("no decomposition")
	}
	var norm float64
	for _, v := range svd.Values(nil) {
		norm += v
	}
	if s.zeta > 0 && norm > s.zeta*(1+1e-9) {
		t.Errorf("‖X‖_* = %v is above %v", norm, s.zeta)
	}
	if f += s.lambda * norm; math.Abs(f-objective) > 1e-8*objective {
		t.Errorf("the objective of X is %.12g, and not %.12g", f, objective)
	}
}

// Other losses, whose proximity operators are found by roots of derivatives: the bracket of the smoothed problem by the hybrid
// method holds that of splitting.
func TestOtherLosses(t *testing.T) {
	const n = 15
	r := paper(n, 0.7, 3)
	for _, l := range []task.Loss{{Kind: task.Huber, Mu: 0.1}, {Kind: task.Logistic}, {Kind: task.SmoothedHinge, Mu: 0.5},
		{Kind: task.SquaredHinge}, {Kind: task.Absolute, Mu: 0.05}} {
		data := *r
		if l.Signs() {
			data.Values = make([]float64, r.Len())
			for e, y := range r.Values {
				data.Values[e] = math.Copysign(1, y)
			}
		}
		var got [2]solver.Result
		for i, smoothed := range []bool{false, true} {
			tk := &recovery.Task{Train: &data, L1: 0.002, Loss: l, Smoothed: smoothed, Shape: [2]int{n, n}}
			opt := task.Options{Lambda: 0.01, Run: solver.Options{Tol: 1e-4, MaxIter: 3000, Plateau: 3000}}
			if smoothed {
				opt.Run.Tol = 0.05
				opt.Method = func(p *gcgProblem) (solver.Method, solver.Improver) { return &hybrid.HCGS{Norm: 1}, nil }
			}
			res, err := tk.Fit(context.Background(), opt)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = *res.Result
		}
		a, b := got[0].State.Cert, got[1].State.Cert
		if got[0].Status != solver.Converged {
			t.Errorf("%v: %s after %d: [%.8g, %.8g]", l, got[0].Status, got[0].Iter, a.LowerBound, a.Objective)
		}
		if a.LowerBound > b.Objective*(1+1e-9) || b.LowerBound > a.Objective*(1+1e-9) || b.Relative > 0.3 {
			t.Errorf("%v: [%.8g, %.8g] and [%.8g, %.8g] do not meet", l, a.LowerBound, a.Objective, b.LowerBound, b.Objective)
		}
	}
}
