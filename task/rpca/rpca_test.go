package rpca_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

// corrupted is an m×n matrix of low rank, with a part of its entries off by ±1, and noise.
func corrupted(m, n, rank int, part, noise float64) (d, l []float64) {
	rng := rand.New(rand.NewPCG(41, 5))
	u, v := make([]float64, m*rank), make([]float64, n*rank)
	for i := range u {
		u[i] = rng.NormFloat64() / math.Sqrt(float64(m))
	}
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	d, l = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			for c := range rank {
				l[i*n+j] += u[i*rank+c] * v[j*rank+c]
			}
			d[i*n+j] = l[i*n+j] + noise*rng.NormFloat64()
			if rng.Float64() < part {
				d[i*n+j] += float64(2*rng.IntN(2) - 1)
			}
		}
	}
	return d, l
}

// whole is the problem of all entries.
func whole(t *testing.T, tk *rpca.Task) *selection.Fitting {
	t.Helper()
	p, err := tk.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Whole()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// slowly is the least of ½‖D-L-S‖² + λ‖L‖_* + λ₁‖S‖₁ over L and S by turns, with gonum's decompositions; entries that are not
// known follow L.
func slowly(d []float64, known []bool, m, n int, lambda, l1 float64, rounds int) (f float64) {
	l := make([]float64, m*n)
	for range rounds {
		x := make([]float64, m*n)
		for i := range x {
			x[i] = l[i]
			if known[i] {
				r := d[i] - l[i]
				x[i] = d[i] - math.Copysign(math.Max(math.Abs(r)-l1, 0), r)
			}
		}
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(m, n, x), mat.SVDThin) {
			panic("no decomposition")
		}
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		clear(l)
		f = 0
		for c, s := range svd.Values(nil) {
			s = math.Max(s-lambda, 0)
			f += lambda * s
			for i := range m {
				for j := range n {
					l[i*n+j] += s * u.At(i, c) * v.At(j, c)
				}
			}
		}
		for i := range d {
			if known[i] {
				r := math.Abs(d[i] - l[i])
				s := math.Max(r-l1, 0)
				f += (r-s)*(r-s)/2 + l1*s
			}
		}
	}
	return f
}

// sampled is the task of the entries that are known.
func sampled(d []float64, known []bool, m, n int) *rpca.Task {
	t := &rpca.Task{Name: "sampled", Rows: m, Cols: n, Ptr: make([]int64, m+1)}
	for i := range m {
		for j := range n {
			if known[i*n+j] {
				t.Index, t.Values = append(t.Index, int32(j)), append(t.Values, d[i*n+j])
			}
		}
		t.Ptr[i+1] = int64(len(t.Values))
	}
	return t
}

// The penalised form, with all entries known and with some, closes on what alternating minimisation finds.
func TestPenalised(t *testing.T) {
	const m, n, lambda = 24, 18, 0.8
	d, _ := corrupted(m, n, 2, 0.1, 0.05)
	for _, part := range []float64{1, 0.7} {
		rng := rand.New(rand.NewPCG(41, 6))
		known := make([]bool, m*n)
		for i := range known {
			known[i] = rng.Float64() < part
		}
		tk := &rpca.Task{Name: "whole", Rows: m, Cols: n, Values: d}
		if part < 1 {
			tk = sampled(d, known, m, n)
		}
		res, err := tk.Fit(context.Background(), task.Options{Lambda: lambda,
			Run: solver.Options{Tol: 1e-6, MaxIter: 5000, Plateau: 5000}})
		if err != nil {
			t.Fatal(err)
		}
		l1 := lambda / math.Sqrt(m)
		want := slowly(d, known, m, n, lambda, l1, 6000)
		c := res.Result.State.Cert
		if math.Abs(res.L1-l1) > 1e-15 || res.Result.Status != solver.Converged || c.LowerBound > want*(1+1e-9) ||
			math.Abs(c.Objective-want) > 1e-5*want {
			t.Errorf("%v known: λ₁ = %v, %s after %d: [%.9g, %.9g], and %.9g", part, res.L1, res.Result.Status, res.Result.Iter,
				c.LowerBound, c.Objective, want)
		}
		sum := res.Parts.Residual*res.Parts.Residual/2 + l1*res.Parts.Norm + lambda*res.Result.State.Rho
		if math.Abs(sum-c.Objective) > 1e-8*c.Objective {
			t.Errorf("the parts cost %v, and the objective is %v", sum, c.Objective)
		}
	}
}

// The equality form recovers both parts, as the inexact augmented Lagrangian method does; their brackets meet.
func TestEqual(t *testing.T) {
	const m, n = 70, 60
	d, l := corrupted(m, n, 3, 0.05, 0)
	tk := &rpca.Task{Name: "D", Rows: m, Cols: n, Values: d, Equal: true}
	res, err := tk.Fit(context.Background(), task.Options{Run: solver.Options{Tol: 1e-5, MaxIter: 2000, Plateau: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	var off, size float64
	for i, x := range res.Parts.LowRank {
		off, size = off+(x-l[i])*(x-l[i]), size+l[i]*l[i]
	}
	if res.Result.Status != solver.Converged || res.Result.State.W.Rank() != 3 || off > 1e-6*size {
		t.Errorf("%s after %d: rank %d, error %v", res.Result.Status, res.Result.Iter, res.Result.State.W.Rank(), math.Sqrt(off/size))
	}
	f := whole(t, tk)
	p := *f.Problem
	p.Penalty = gauge.Linear{Lambda: 1}
	r, err := solver.Run(context.Background(), &p, &lowranksparse.IALM{}, solver.Options{Tol: 1e-5, MaxIter: 200, Plateau: 200})
	if err != nil {
		t.Fatal(err)
	}
	a, b := res.Result.State.Cert, r.State.Cert
	if r.Status != solver.Converged || a.LowerBound > b.Objective || b.LowerBound > a.Objective {
		t.Errorf("splitting [%.9g, %.9g], ialm [%.9g, %.9g] %s", a.LowerBound, a.Objective, b.LowerBound, b.Objective, r.Status)
	}
}

// λ is chosen for a given λ₁; what is no matrix, and what is missing, is refused.
func TestChosenAndRefused(t *testing.T) {
	d, _ := corrupted(30, 20, 2, 0.05, 0.02)
	tk := &rpca.Task{Name: "D", Rows: 30, Cols: 20, Values: d, L1: 0.1}
	res, err := tk.Fit(context.Background(), task.Options{Points: 6})
	if err != nil || !(res.Lambda > 0) || res.Result.Status != solver.Converged {
		t.Errorf("%v: %v", res, err)
	}
	for _, bad := range []*rpca.Task{{}, {Rows: 2, Cols: 2, Values: d}, {Rows: 30, Cols: 20, Values: d, L1: -1}} {
		if _, err := bad.Fit(context.Background(), task.Options{}); err == nil {
			t.Errorf("%d×%d of %d entries, λ₁ = %v is taken", bad.Rows, bad.Cols, len(bad.Values), bad.L1)
		}
	}
	ratio := &rpca.Task{Rows: 30, Cols: 20, Values: d}
	if _, err := ratio.Fit(context.Background(), task.Options{LambdaRatio: 0.1}); err == nil {
		t.Error("a ratio is taken without λ₁, on which its λ₀ depends")
	}
}
