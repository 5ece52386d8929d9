package structured_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"gonum.org/v1/gonum/mat"
)

// data is a design of n rows and p features, and targets of a signal that is constant in pieces.
func data(n, p int, seed uint64) (x, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	x, y = make([]float64, n*p), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		for j := range p {
			if j >= p/4 && j < p/2 {
				y[i] += x[i*p+j]
			}
			if j == p-1 {
				y[i] -= 2 * x[i*p+j]
			}
		}
		y[i] += 0.3 * rng.NormFloat64()
	}
	return x, y
}

// penalties of p features, with exact proximity operators and without.
func penalties(p int) []structured.Penalty {
	disjoint, overlapping := &structured.Groups{P: p}, &structured.Groups{P: p}
	for i := 0; i+2 < p; i += 3 {
		disjoint.Member = append(disjoint.Member, []int32{int32(i), int32(i + 1), int32(i + 2)})
		disjoint.Weight = append(disjoint.Weight, 0.8+0.1*float64(i))
	}
	for i := 0; i+3 < p; i += 2 {
		overlapping.Member = append(overlapping.Member, []int32{int32(i), int32(i + 1), int32(i + 2), int32(i + 3)})
		overlapping.Weight = append(overlapping.Weight, 1.5)
	}
	return []structured.Penalty{disjoint, overlapping, &structured.Differences{P: p, Order: 1, Weight: 2},
		&structured.Differences{P: p, Order: 2, Weight: 2}, &structured.Differences{P: p, Order: 3, Weight: 0.5}}
}

// problem is ½‖Xw - y‖² + g(Bw) with a penalty of the ℓ1 norm.
func problem(t *testing.T, x, y []float64, g structured.Penalty, h gcg.Penalty) *gcg.Problem {
	t.Helper()
	n := len(y)
	features, err := operator.DenseFeatures(n, len(x)/n, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(features, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := structured.Problem(op, &loss.Squared{Y: y}, g)
	if err != nil {
		t.Fatal(err)
	}
	p.Gauge, p.Penalty = gauge.L1{}, h
	return p
}

// naive is the optimum by alternating directions with a solve of (XᵀX + ρI + ρBᵀB) w in every step: w in the ball or with the ℓ1
// norm, B w with g, both apart.
func naive(x, y []float64, g structured.Penalty, h gcg.Penalty) float64 {
	n := len(y)
	p, size := g.Size()
	b := mat.NewDense(size, p, nil)
	unit, column := make([]float64, p), make([]float64, size)
	for j := range p {
		clear(unit)
		unit[j] = 1
		g.BTo(column, unit)
		b.SetCol(j, column)
	}
	design := mat.NewDense(n, p, x)
	const rho = 3.0
	var btb, gram mat.Dense
	btb.Mul(b.T(), b)
	gram.Mul(design.T(), design)
	system := mat.NewSymDense(p, nil)
	for i := range p {
		for j := i; j < p; j++ {
			v := gram.At(i, j) + rho*btb.At(i, j)
			if i == j {
				v += rho
			}
			system.SetSym(i, j, v)
		}
	}
	var cholesky mat.Cholesky
	cholesky.Factorize(system)
	var xty mat.VecDense
	xty.MulVec(design.T(), mat.NewVecDense(n, y))
	z1, u1, z2, u2 := make([]float64, p), make([]float64, p), make([]float64, size), make([]float64, size)
	w, bw, back := mat.NewVecDense(p, nil), make([]float64, size), make([]float64, p)
	for range 20000 {
		right := mat.NewVecDense(p, nil)
		for i := range column {
			column[i] = z2[i] - u2[i]
		}
		g.BTTo(back, column)
		for i := range p {
			right.SetVec(i, xty.AtVec(i)+rho*(z1[i]-u1[i]+back[i]))
		}
		cholesky.SolveVecTo(w, right)
		theta := 0.0
		if math.IsInf(h.Max(), 1) {
			theta = h.Deriv(1) / rho
		} else { // the level of the ball by halving
			lo, hi := 0.0, 1e3
			for range 100 {
				theta = (lo + hi) / 2
				sum := 0.0
				for i := range p {
					sum += math.Max(math.Abs(w.AtVec(i)+u1[i])-theta, 0)
				}
				if sum > h.Max() {
					lo = theta
				} else {
					hi = theta
				}
			}
		}
		for i := range p {
			v := w.AtVec(i) + u1[i]
			z1[i] = math.Copysign(math.Max(math.Abs(v)-theta, 0), v)
			u1[i] = v - z1[i]
		}
		g.BTo(bw, w.RawVector().Data)
		for i := range z2 { // prox of g/ρ = what the projection on dom g* leaves
			u2[i] = rho * (bw[i] + u2[i])
		}
		whole := append([]float64(nil), u2...)
		g.ProjectTo(u2)
		for i := range z2 {
			z2[i] = (whole[i] - u2[i]) / rho
			u2[i] /= rho
		}
	}
	f := h.Value(0)
	for i := range n {
		r := -y[i]
		for j := range p {
			r += x[i*p+j] * z1[j]
		}
		f += r * r / 2
	}
	g.BTo(bw, z1)
	f += g.Value(bw)
	var l1 float64
	for _, v := range z1 {
		l1 += math.Abs(v)
	}
	if math.IsInf(h.Max(), 1) {
		f += h.Value(l1)
	}
	return f
}

// The bracket closes on the optimum of the naive twin, for every penalty, with a ball and with λ‖x‖₁.
func TestOptimaOfTheNaiveTwin(t *testing.T) {
	for _, shape := range [][2]int{{30, 12}, {10, 20}} {
		n, p := shape[0], shape[1]
		x, y := data(n, p, 1)
		for _, g := range penalties(p) {
			for _, h := range []gcg.Penalty{gauge.Ball{Zeta: 3}, gauge.Ball{Zeta: 100}, gauge.Linear{Lambda: 1.5}} {
				name := fmt.Sprintf("%d×%d %s %v", n, p, g.Name(), h)
				r, err := solver.Run(context.Background(), problem(t, x, y, g, h), &structured.Method{}, solver.Options{Tol: 1e-7,
					MaxIter: 3000})
				if err != nil {
					t.Fatal(name, err)
				}
				want := naive(x, y, g, h)
				if f := r.State.Cert.Objective; r.Status != solver.Converged || math.Abs(f-want) > 1e-5*math.Abs(want) {
					t.Errorf("%s: %v with %v, gap %.2g, after %d steps; the twin has %v", name, r.Status, f, r.State.Cert.Relative, r.Iter,
						want)
				}
			}
		}
	}
}

// From W = 0 a round knows no gap of which it could leave a part. It ends at its first gap, and not where nothing moves any more:
// a tolerance of a thousandth is met long before rounding.
func TestFirstRoundEndsEarly(t *testing.T) {
	const n, p = 60, 300
	x, y := data(n, p, 3)
	disjoint := &structured.Groups{P: p}
	for i := 0; i < p; i += 5 {
		disjoint.Member = append(disjoint.Member, []int32{int32(i), int32(i + 1), int32(i + 2), int32(i + 3), int32(i + 4)})
		disjoint.Weight = append(disjoint.Weight, 3)
	}
	for _, g := range []structured.Penalty{disjoint, &structured.Differences{P: p, Order: 1, Weight: 3}} {
		r, err := solver.Run(context.Background(), problem(t, x, y, g, gauge.Linear{Lambda: 3}), &structured.Method{},
			solver.Options{Tol: 1e-3})
		if err != nil || r.Status != solver.Converged || r.State.Count.Gradients > 1000 {
			t.Errorf("%T: %v, relative gap %.1e after %d gradients, %v", g, r.Status, r.State.Cert.Relative,
				r.State.Count.Gradients, err)
		}
	}
}

// An intercept takes part in no penalty, and the state is what it says after every step.
func TestInterceptAndState(t *testing.T) {
	x, y := data(40, 15, 2)
	for i := range y {
		y[i] += 100
	}
	for _, g := range penalties(15) {
		p := problem(t, x, y, g, gauge.Ball{Zeta: 3})
		p.Intercept = true
		r, err := solver.Run(context.Background(), p, &structured.Method{}, solver.Options{Tol: 1e-6, MaxIter: 3000,
			Event: func(e solver.Event) {
				for _, check := range conform.State(p, e.State) {
					if !check.OK() {
						t.Errorf("%s, step %d: %v", g.Name(), e.Iter, check)
					}
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if b := r.State.Intercept; r.Status != solver.Converged || len(b) != 1 || math.Abs(b[0]-100) > 5 {
			t.Errorf("%s: %v, intercept %v, gap %v", g.Name(), r.Status, b, r.State.Cert.Relative)
		}
	}
}

// Steps end where an x that fits all targets stays to the last digit, and L is all rounding beside what it is a difference of.
func TestStepsEndAtRounding(t *testing.T) {
	const n, p = 12, 600
	whole := &structured.Groups{P: p, Member: [][]int32{nil}, Weight: []float64{0.01}}
	for i := range int32(p) {
		whole.Member[0] = append(whole.Member[0], i)
	}
	for seed := range uint64(5) {
		x, y := data(n, p, seed)
		q := problem(t, x, y, whole, gauge.Linear{Lambda: 0.001})
		r, err := solver.Run(context.Background(), q, &structured.Method{}, solver.Options{Tol: 1e-6, MaxIter: 50})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("seed %d: %v after %d steps with a gap of %v", seed, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}

// Other losses have brackets too.
func TestLogistic(t *testing.T) {
	x, y := data(60, 12, 3)
	for i := range y {
		y[i] = math.Copysign(1, y[i])
	}
	features, _ := operator.DenseFeatures(60, 12, x)
	op, err := operator.NewDesign(features, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range penalties(12) {
		p, err := structured.Problem(op, &loss.Logistic{Y: y}, g)
		if err != nil {
			t.Fatal(err)
		}
		p.Gauge, p.Penalty = gauge.L1{}, gauge.Linear{Lambda: 1}
		if r, err := solver.Run(context.Background(), p, &structured.Method{}, solver.Options{Tol: 1e-5, MaxIter: 3000}); err != nil ||
			r.Status != solver.Converged {
			t.Errorf("%s: %v, %v", g.Name(), err, r.Status)
		}
	}
}

// B and Bᵀ are transposes, and the operator is what it says.
func TestPenalties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, g := range penalties(11) {
		p, size := g.Size()
		x, u, z, back := make([]float64, p), make([]float64, size), make([]float64, size), make([]float64, p)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range u {
			u[i] = 10 * rng.NormFloat64()
		}
		g.BTo(z, x)
		g.BTTo(back, u)
		var a, b, norm float64
		for i, v := range z {
			a += v * u[i]
			norm += v * v
		}
		for i, v := range back {
			b += v * x[i]
		}
		if math.Abs(a-b) > 1e-10*math.Abs(a) {
			t.Errorf("%s: ⟨Bx, u⟩ is %v, ⟨x, Bᵀu⟩ %v", g.Name(), a, b)
		}
		g.ProjectTo(u)
		var inside float64
		for i, v := range z {
			inside += v * u[i]
		}
		if g.Polar(u) > 1+1e-12 || inside > g.Value(z)*(1+1e-12) {
			t.Errorf("%s: a projected u has the polar %v, and ⟨u, z⟩ is %v of g = %v", g.Name(), g.Polar(u), inside, g.Value(z))
		}
	}
}

func TestRefused(t *testing.T) {
	x, y := data(10, 6, 5)
	features, _ := operator.DenseFeatures(10, 6, x)
	op, _ := operator.NewDesign(features, 1)
	for _, g := range []structured.Penalty{&structured.Differences{P: 7, Order: 1}, &structured.Differences{P: 6, Order: 6},
		&structured.Differences{P: 6, Order: 1, Weight: -1}, &structured.Groups{P: 6, Member: [][]int32{{7}}, Weight: []float64{1}},
		&structured.Groups{P: 6, Member: [][]int32{{1}}}} {
		if _, err := structured.Problem(op, &loss.Squared{Y: y}, g); err == nil {
			t.Errorf("%+v is not refused", g)
		}
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
	if _, err := solver.Run(context.Background(), p, &structured.Method{}, solver.Options{}); err == nil {
		t.Error("a problem without a second penalty is not refused")
	}
}
