package sliding

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Relative accuracies that are asked of inner polars.
const (
	polarTol = 1e-2 // where an inner gap rests on the bound, which is to be a part of the first one only
	atomTol  = 1    // where only the atom counts
)

// An innerSpace is how the inner problem keeps W: as factors for gauges of low-rank atoms, else as a matrix.
type innerSpace struct {
	p       *view.Problem
	lowRank bool
	blockOf []int32 // of a gauge of blocks kept as a matrix: the key of the block of each entry, 0 for none
}

// newInnerSpace looks at an atom and at the start.
func newInnerSpace(p *view.Problem, s *gcg.State, polar *gcg.Polar) innerSpace {
	x := innerSpace{p: p}
	if a, _ := atomOf(polar); a != nil {
		x.lowRank = a.LowRank() && len(s.W.Terms) == 0
	}
	if m, n := s.W.M, s.W.N; !x.lowRank && p.BlockGauge != nil && p.Compressor == nil {
		x.blockOf = make([]int32, m*n)
		for key := 1; key <= p.BlockGauge.Blocks(m, n); key++ {
			rows, cols := p.BlockGauge.Block(int64(key), m, n)
			for e, i := range rows {
				x.blockOf[int(i)*n+int(cols[e])] = int32(key)
			}
		}
	}
	return x
}

// An innerProblem is ½‖V - T‖² + h(κ(V))/β, T = X + G/β, with the state of its V = u: all is over β.
type innerProblem struct {
	p     *gcg.Problem
	s     *gcg.State
	gauge gcg.Gauge
	beta  float64
	eta   float64 // the gap to end at, of the problem times β
	seed  uint64
	space *innerSpace
	// squares are the inner products of factors, or nil where u is a matrix
	squares *operator.Proximal
}

// problem is the inner problem at x.
func (x *innerSpace) problem(s *gcg.State, at position, g gcg.Map, beta float64) (*innerProblem, error) {
	in := &innerProblem{p: &gcg.Problem{Gauge: x.p.Gauge, Penalty: view.ScalePenalty(x.p.Penalty, 1/beta)}, gauge: x.p.Gauge,
		beta: beta, seed: s.Seed, space: x}
	if x.lowRank {
		target := gcg.Scaled(g, 1/beta)
		if at.w.Rank() > 0 {
			target = gcg.Sum(gcg.LowRank(at.w.U, at.w.V), target)
		}
		proximal, err := operator.NewProximal(target, 1)
		if err != nil {
			return nil, err
		}
		in.p.Operator, in.p.Loss, in.squares = proximal, proximal, proximal
	} else {
		identity, err := operator.NewIdentity(at.w.M, at.w.N)
		if err != nil {
			return nil, err
		}
		target := make([]float64, at.w.M*at.w.N)
		gcg.DenseTo(target, g)
		kernel.Scale(1/beta, target)
		kernel.Axpy(1, at.w.Dense(), target)
		in.p.Operator, in.p.Loss = identity, &loss.Squared{Y: target}
	}
	var err error
	if in.s, err = s.InnerState(in.p, at.w); err == nil {
		in.s.Rho = math.Min(in.s.Rho, at.rho)
	}
	return in, err
}

// distance is ‖V - W‖².
func (x *innerSpace) distance(v, w *gcg.Iterate) float64 {
	if !x.lowRank {
		return squareOf(v.Dense(), w.Dense())
	}
	var parts []gcg.Map
	if v.Rank() > 0 {
		parts = append(parts, gcg.LowRank(v.U, v.V))
	}
	if w.Rank() > 0 {
		parts = append(parts, gcg.Scaled(gcg.LowRank(w.U, w.V), -1))
	}
	if len(parts) == 0 {
		return 0
	}
	return math.Max(gcg.SquaredNorm(gcg.Sum(parts...)), 0)
}

// tidy writes W with the fewest atoms, and returns κ(W), or rho where nothing evaluates it.
func (x *innerSpace) tidy(p *gcg.Problem, w *gcg.Iterate, rho float64) float64 {
	switch {
	case x.p.Compressor != nil:
		return p.GaugeOf(w)
	case x.blockOf != nil:
		return x.byBlocks(w)
	case w.Rank() > 2*min(w.M, w.N):
		w.Merge(rho)
	}
	return rho
}

// byBlocks writes a W of sparse atoms as one atom for each block, and returns κ(W).
func (x *innerSpace) byBlocks(w *gcg.Iterate) (rho float64) {
	at := map[int32]bool{}
	dense := w.Dense()
	var keys []int32
	for e, v := range dense {
		if key := x.blockOf[e]; v != 0 && !at[key] {
			at[key] = true
			keys = append(keys, key)
		}
	}
	w.Terms = nil
	for _, key := range keys {
		rows, cols := x.p.BlockGauge.Block(int64(key), w.M, w.N)
		vals := make([]float64, len(rows))
		for e, i := range rows {
			vals[e] = dense[int(i)*w.N+int(cols[e])]
		}
		weight := x.p.BlockGauge.BlockProxTo(make([]float64, len(vals)), vals, int64(key), 0)
		kernel.Scale(1/weight, vals)
		w.Terms = append(w.Terms, gcg.Term{Atom: gcg.Atom{Rows: rows, Cols: cols, Vals: vals, Key: int64(key)}, Weight: weight})
		rho += weight
	}
	return rho
}

// polar asks for one at u, of a relative accuracy.
func (in *innerProblem) polar(ctx context.Context, tol float64) (*gcg.Polar, error) {
	return in.s.Ask(ctx, in.gauge, in.s.Gradient(in.p), gcg.Ask{Count: 1, Tol: tol, W: in.s.W, Seed: in.seed})
}

// atomOf is the first atom of a polar, and what it attains; nil where there is none.
func atomOf(polar *gcg.Polar) (*gcg.Atom, float64) {
	switch u, v := polar.Stacked(); {
	case len(polar.Atoms) > 0:
		return &polar.Atoms[0], polar.Values[0]
	case u != nil && u.K > 0:
		left, right := make([]float64, u.Rows), make([]float64, v.Rows)
		u.ColumnTo(left, 0)
		v.ColumnTo(right, 0)
		a := gcg.RankOne(left, right)
		return &a, polar.Values[0]
	}
	return nil, 0
}

// products are those of u, of an atom a and of the target T that the quadratic on c u + θa is made of.
type products struct{ uu, ua, aa, ut, at float64 }

// productsWith is for an atom that attains ⟨a, T - u⟩ = value.
func (in *innerProblem) productsWith(a *gcg.Atom, value float64) (x products) {
	x.aa = a.Frobenius2()
	if q := in.squares; q != nil {
		if in.s.W.Rank() > 0 {
			x.uu, x.ua, x.aa = q.Cross(in.s.W.U, in.s.W.V, a.U, a.V)
		}
		rr, rt := q.Sums() // ‖T - u‖² and ⟨T - u, T⟩
		x.ut = rt - rr + x.uu
	} else {
		u, n := in.s.Z, in.s.W.N
		x.uu = kernel.SumSq(u)
		x.ut = kernel.Dot(u, in.s.R) + x.uu
		for e, v := range a.Vals {
			x.ua += v * u[int(a.Rows[e])*n+int(a.Cols[e])]
		}
		if a.LowRank() {
			z := make([]float64, len(u))
			in.p.ApplyAtoms(z, []gcg.Atom{*a}, []float64{1})
			x.ua = kernel.Dot(z, u)
		}
	}
	x.at = value + x.ua
	return x
}

// move goes to c u + θa, of the gauge bound cρ + θ.
func (in *innerProblem) move(a *gcg.Atom, c, theta float64) {
	s := in.s
	s.W.Scale(c)
	if c == 0 {
		s.W.SetFactors(nil, nil)
		s.W.Terms = nil
	}
	s.W.Add([]gcg.Atom{*a}, []float64{theta})
	s.Rho = c*s.Rho + theta
	if in.space.lowRank {
		s.Refresh(in.p)
		return
	}
	kernel.Scale(c, s.Z)
	n := s.W.N
	for e, v := range a.Vals {
		s.Z[int(a.Rows[e])*n+int(a.Cols[e])] += theta * v
	}
	if a.LowRank() {
		s.Refresh(in.p)
		return
	}
	s.Evaluate(in.p)
}
