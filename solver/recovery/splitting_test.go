package recovery_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
)

// must is x, of a constructor that is given what it takes.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// diagonal is ½‖X-Y‖² + λ₁‖X‖₁ + h(‖X‖_*) of a diagonal Y, whose solution is diagonal: x = (y - λ₁ - μ)₊, of rank and support
// alike.
func diagonal(h gcg.Penalty, l1, mu float64) (p *gcg.Problem, optimum float64) {
	d := []float64{4, 3, 2.5, 2, 1, 0.5, 0.2, 0.1}
	n := len(d)
	y := make([]float64, n*n)
	for i, x := range d {
		y[i*n+i] = x
		z := math.Max(x-l1-mu, 0)
		optimum += (x-z)*(x-z)/2 + l1*z
		if math.IsInf(h.Max(), 1) {
			optimum += mu * z
		}
	}
	return &gcg.Problem{Operator: must(operator.NewIdentity(n, n)), Gauge: gauge.Trace{}, Penalty: h,
		Loss: &loss.WithL1{Loss: &loss.Squared{Y: y}, Lambda: l1}}, optimum
}

// Every method closes on optima that are known in closed form, below λ₁ and above, and on a ball of the radius that either has.
func TestKnownOptima(t *testing.T) {
	for name, c := range map[string]struct {
		h      gcg.Penalty
		l1, mu float64
	}{
		"λ < λ₁":          {gauge.Linear{Lambda: 0.2}, 0.5, 0.2},
		"λ > λ₁":          {gauge.Linear{Lambda: 0.7}, 0.1, 0.7},
		"a ball, μ < λ₁":  {gauge.Ball{Zeta: 3.3 + 2.3 + 1.8 + 1.3 + 0.3}, 0.5, 0.2},
		"a ball, μ > λ₁":  {gauge.Ball{Zeta: 3.2 + 2.2 + 1.7 + 1.2 + 0.2}, 0.1, 0.7},
		"a ball, no more": {gauge.Ball{Zeta: 100}, 0.3, 0},
	} {
		p, optimum := diagonal(c.h, c.l1, c.mu)
		methods := []solver.Method{&recovery.Splitting{}, &recovery.Splitting{Rho: 0.3, Fixed: true}, &recovery.Auto{}}
		if c.mu <= c.l1 {
			methods = append(methods, &recovery.Dual{})
		}
		if math.IsInf(c.h.Max(), 1) {
			methods = append(methods, &lowranksparse.GFB{})
		}
		for _, m := range methods {
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-6, MaxIter: 2000, Plateau: 2000})
			if err != nil {
				t.Fatal(err)
			}
			cert := r.State.Cert
			if r.Status != solver.Converged || cert.LowerBound > optimum*(1+1e-10) || cert.Objective < optimum*(1-1e-10) {
				t.Errorf("%s, %s: %s after %d: [%.9g, %.9g] for %.9g", name, m.Name(), r.Status, r.Iter, cert.LowerBound, cert.Objective,
					optimum)
			}
		}
	}
}

// Incremental proximal descent with a constant step stops short of the optimum, and its certificate says so.
func TestIncrementalDescentIsBiased(t *testing.T) {
	p, optimum := diagonal(gauge.Linear{Lambda: 0.7}, 0.3, 0.7)
	r, err := solver.Run(context.Background(), p, &lowranksparse.IPD{Stride: 0.5},
		solver.Options{Tol: 1e-9, MaxIter: 500, Plateau: 500})
	if err != nil {
		t.Fatal(err)
	}
	c := r.State.Cert
	if c.LowerBound > optimum*(1+1e-10) || c.Objective < optimum*(1-1e-10) || c.Objective > 1.2*optimum {
		t.Errorf("[%.9g, %.9g] for %.9g", c.LowerBound, c.Objective, optimum)
	}
}

// A shrinker finds what a whole decomposition does, for matrices of falling and of rising rank, each near the last.
func TestShrinker(t *testing.T) {
	const m, n = 90, 130
	rng := rand.New(rand.NewPCG(41, 9))
	k := recovery.NewShrinker(m, n, 1)
	base := make([]float64, m*n)
	for i := range base {
		base[i] = rng.NormFloat64() / 10
	}
	for _, rank := range []int{3, 3, 40, 5} {
		x := append([]float64(nil), base...)
		for c := range rank {
			for i := range m {
				for j := range n {
					x[i*n+j] += math.Sin(float64((c+1)*i)) * math.Cos(float64((c+2)*j)) / 4
				}
			}
		}
		theta := 2.5
		z := make([]float64, m*n)
		w, norm := k.To(z, x, theta)
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(m, n, append([]float64(nil), x...)), mat.SVDThin) {
			t.Fatal("no decomposition")
		}
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		var want float64
		exact := make([]float64, m*n)
		for c, s := range svd.Values(nil) {
			if s = math.Max(s-theta, 0); s > 0 {
				want += s
				for i := range m {
					for j := range n {
						exact[i*n+j] += s * u.At(i, c) * v.At(j, c)
					}
				}
			}
		}
		var off, size float64
		dense := w.Dense()
		for i := range z {
			off, size = off+(z[i]-exact[i])*(z[i]-exact[i]), size+exact[i]*exact[i]
			if math.Abs(z[i]-dense[i]) > 1e-9 {
				t.Fatalf("the matrix and its factors differ by %v", z[i]-dense[i])
			}
		}
		if off > 1e-3*size || math.Abs(norm-want) > 1e-2*want { // three products: later steps go on
			t.Errorf("rank %d: off by %v, norm %v for %v", rank, math.Sqrt(off/size), norm, want)
		}
	}
}

// What the methods do not take is refused with the name of what lacks it.
func TestRefused(t *testing.T) {
	id := must(operator.NewIdentity(3, 3))
	y := make([]float64, 9)
	squared := &loss.WithL1{Loss: &loss.Squared{Y: y}, Lambda: 1}
	rect := must(operator.NewIdentity(1, 9))
	scaled := must(must(operator.NewSampling(3, 3, []int64{0, 1, 1, 1}, []int32{0})).Scaled([]float64{1, 2, 1}, []float64{1, 1, 1}))
	for want, p := range map[string]*gcg.Problem{
		"gauge l1":     {Operator: id, Loss: squared, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}},
		"gauge.Square": {Operator: id, Loss: squared, Gauge: gauge.Trace{}, Penalty: gauge.Square{Lambda: 1}},
		"loss.Softmax": {Operator: id, Loss: &loss.Softmax{Labels: make([]int32, 3), Classes: 3}, Gauge: gauge.Trace{},
			Penalty: gauge.Linear{Lambda: 1}},
		"loss.Logistic": {Operator: id, Loss: &loss.Logistic{Y: []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}}, Gauge: gauge.Trace{},
			Penalty: gauge.Linear{Lambda: 1}},
		"square": {Operator: rect, Loss: squared, Gauge: gauge.PSDTrace{}, Penalty: gauge.Linear{Lambda: 1}},
		"scales them": {Operator: scaled, Loss: &loss.WithL1{Loss: &loss.Squared{Y: y[:1]}}, Gauge: gauge.Trace{},
			Penalty: gauge.Linear{Lambda: 1}},
	} {
		if _, err := solver.Run(context.Background(), p, &recovery.Splitting{}, solver.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	uneven := &loss.WithL1{Loss: &loss.Squared{Y: y, Omega: []float64{1, 2, 1, 1, 1, 1, 1, 1, 1}}, Lambda: 1}
	p := &gcg.Problem{Operator: id, Loss: uneven, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
	if _, err := solver.Run(context.Background(), p, &recovery.Dual{}, solver.Options{}); err == nil {
		t.Error("the dual method takes weights that differ")
	}
}

// The bound that ends a run closes its gap, and is no nearer to the spectral norm of the dual point than that takes: nearer ones
// cost factorizations.
func TestProofIsOfTheGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	const m, n, tol = 90, 70, 1e-2
	y := make([]float64, m*n)
	for i := range y {
		y[i] = float64(i%n-i/n) / n
		if rng.Float64() < 0.05 {
			y[i] += 5
		}
	}
	for _, p := range []*gcg.Problem{
		{Loss: &loss.Deviation{Y: y, Lambda: 0.11}, Penalty: gauge.Linear{Lambda: 1}},
		{Loss: &loss.Squared{Y: y}, Penalty: gauge.Ball{Zeta: 20}},
	} {
		p.Operator, p.Gauge = must(operator.NewIdentity(m, n)), gauge.Trace{}
		r, err := solver.Run(context.Background(), p, &recovery.Splitting{}, solver.Options{Tol: tol, MaxIter: 200})
		if err != nil {
			t.Fatal(err)
		}
		norm := spectral.DenseNorm(context.Background(), r.State.R, m, n, 0, 1e-6)
		nearest := p.Bound(r.State, &gcg.Polar{Bound: norm, Kind: gcg.Proven})
		c := r.State.Cert
		if c.Relative > tol || nearest-c.LowerBound < 0.02*tol*c.Objective {
			t.Errorf("%T: a gap of %v, and a bound %v of the objective below the nearest", p.Loss, c.Relative,
				(nearest-c.LowerBound)/c.Objective)
		}
	}
}

// Near the end the dual point is that of the parts: ±λ₁ on the sparse one, and λUVᵀ between the singular vectors of the other.
func TestDualPointIsAligned(t *testing.T) {
	const n, rank = 60, 2
	rng := rand.New(rand.NewPCG(5, 1))
	u, v := gcg.NewFactor(n, rank), gcg.NewFactor(n, rank)
	for i := range n * u.Stride {
		if i%u.Stride < rank {
			u.Data[i], v.Data[i] = rng.NormFloat64(), rng.NormFloat64()
		}
	}
	y := (&gcg.Iterate{M: n, N: n, U: u, V: v}).Dense()
	var sparse []int
	for i := range y {
		if rng.Float64() < 0.05 {
			y[i] += 10*rng.Float64() - 5
			sparse = append(sparse, i)
		}
	}
	l := &loss.Deviation{Y: y, Lambda: 1 / math.Sqrt(n)}
	p := &gcg.Problem{Operator: must(operator.NewIdentity(n, n)), Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}, Loss: l}
	r := must(solver.Run(context.Background(), p, &recovery.Splitting{}, solver.Options{Tol: 5e-4}))
	inside := 0
	for _, i := range sparse {
		if math.Abs(y[i]-r.State.Z[i]) > 0.1 && math.Abs(r.State.R[i]) < l.Lambda {
			inside++
		}
	}
	left, _, right := gcg.SVD(r.State.W.U, r.State.W.V, 0)
	var apart float64
	for a := range rank {
		for b := range rank {
			var between float64
			for i := range n {
				for j := range n {
					between += left.Row(i)[a] * r.State.R[i*n+j] * right.Row(j)[b]
				}
			}
			if a == b {
				between--
			}
			apart = math.Max(apart, math.Abs(between))
		}
	}
	if r.Status != solver.Converged || inside > 0 || apart > 1e-3 || r.State.W.Rank() != rank {
		t.Errorf("%s at rank %d: %d of %d entries are within λ₁, and UᵀRV is %v from λI", r.Status, r.State.W.Rank(), inside,
			len(sparse), apart)
	}
}

// A run that resumes with its polar keeps its multiplier: it takes fewer steps than one from the same W, and knows at once how
// far it is from the optimum.
func TestSplittingResumes(t *testing.T) {
	n, rng := 40, rand.New(rand.NewPCG(3, 1))
	y, u, v := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range n {
		u[i], v[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for i := range y {
		if y[i] = u[i/n] * v[i%n]; rng.Float64() < 0.05 {
			y[i] += 5
		}
	}
	p := &gcg.Problem{Operator: must(operator.NewIdentity(n, n)), Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1},
		Loss: &loss.Deviation{Y: y, Lambda: 1 / math.Sqrt(float64(n))}}
	run := func(opt solver.Options) *solver.Result {
		return must(solver.Run(context.Background(), p, &recovery.Splitting{}, opt))
	}
	loose := run(solver.Options{Tol: 1e-2})
	warm := run(solver.Options{Tol: 1e-6, Start: loose.State.W})
	took, cert := loose.Iter, loose.State.Cert
	loose.State.Polar = loose.Polar
	first := math.NaN()
	on := run(solver.Options{Tol: 1e-6, Resume: loose.State, Event: func(e solver.Event) {
		if e.Iter == took {
			first = e.Solution().Excess
		}
	}})
	if on.Status != solver.Converged || on.Iter-took >= warm.Iter || first != loose.Solution.Excess {
		t.Errorf("%s after %d steps from %+v, %d from W alone; excess %v of %v", on.Status, on.Iter-took, cert, warm.Iter, first,
			loose.Solution.Excess)
	}
}
