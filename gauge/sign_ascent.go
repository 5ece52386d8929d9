package gauge

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/spectral"
)

const (
	relaxSteps  = 300 // limit of the steps of the relaxation, which converges linearly at best
	climbSteps  = 200 // limit of the steps of the ascents, which stop after a few
	climbStarts = 32  // number of ascents
)

// A relaxation is a point of the relaxed problem of signPolar. Where it is optimal, rows and cols are the dual weights d and e.
type relaxation struct {
	v    *gcg.Factor // its rows are the y_j
	rows []float64   // ‖Σ_j G_ij y_j‖ of every i
	// ‖Σ_i G_ij x_i‖ of every j, or one number for all of them, the root of the sum of squares, without signs on the columns
	cols []float64
}

// relax solves the relaxed problem by block ascent: x is the best for y, and y for x, in turn. With more than √(2(m+n))
// columns, of which it takes at most 64, it has no spurious local maxima except on a set of measure zero [Boumal, Voroninski,
// Bandeira 2016]; the dual bound holds wherever it stops.
func (s *signProblem) relax(ctx context.Context, seed uint64) (*relaxation, error) {
	width := min(64, int(math.Sqrt(2*float64(s.m+s.n)))+2)
	v := gaussian(s.n, width, rand.New(rand.NewPCG(seed, 0x51a5)))
	r := &relaxation{v: v}
	s.normaliseColumns(v)
	last := 0.0
	for range relaxSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u := times(s.g, r.v)
		r.rows = unitRows(u)
		r.v = times(s.t, u)
		value := 0.0
		r.cols = s.normaliseColumns(r.v)
		for _, x := range r.cols {
			value += x
		}
		if value <= last*(1+1e-7) {
			break
		}
		last = value
	}
	return r, nil
}

// normaliseColumns makes the rows of V unit vectors where the columns of G have ‖·‖_∞, and otherwise V one of unit Frobenius
// norm. It returns the lengths before that, of each row or of V.
func (s *signProblem) normaliseColumns(v *gcg.Factor) []float64 {
	if s.both {
		return unitRows(v)
	}
	norm := gcg.Norm(v.Data)
	if norm > 0 {
		v.Scale(1 / norm)
	}
	return []float64{norm}
}

// unitRows divides the rows by their lengths, which it returns; a zero row becomes a unit vector.
func unitRows(f *gcg.Factor) []float64 {
	lengths := make([]float64, f.Rows)
	for i := range f.Rows {
		row := f.Row(i)[:f.K]
		if lengths[i] = gcg.Norm(row); lengths[i] == 0 {
			row[0] = 1
			continue
		}
		for c := range row {
			row[c] /= lengths[i]
		}
	}
	return lengths
}

// round runs ascents from random projections of the relaxation and from random vectors, all at once, and returns the best
// distinct ends as atoms, without a bound.
func (s *signProblem) round(ctx context.Context, r *relaxation, ask gcg.Ask) (gcg.Polar, error) {
	rng := rand.New(rand.NewPCG(ask.Seed, 0xa5ce))
	starts := gaussian(s.n, climbStarts, rng)
	project := gaussian(r.v.K, climbStarts*3/4, rng)
	for j := range s.n {
		for c := range project.K {
			var x float64
			for t, y := range r.v.Row(j)[:r.v.K] {
				x += y * project.Row(t)[c]
			}
			starts.Row(j)[c] = x
		}
	}
	u, v, values, err := s.climb(ctx, starts)
	if err != nil {
		return gcg.Polar{}, err
	}
	best := newLeaders(gcg.Ask{Count: climbStarts, Above: math.Inf(-1)})
	for c, x := range values {
		best.offer(c, x)
	}
	var p gcg.Polar
	seen := map[string]bool{}
	columns, _ := best.ranked()
	for _, c := range columns {
		a, b := make([]float64, s.m), make([]float64, s.n)
		u.ColumnTo(a, c)
		v.ColumnTo(b, c)
		if key := signKey(a); !seen[key] && len(p.Atoms) < max(ask.Count, 1) && (len(p.Atoms) == 0 || values[c] > ask.Above) {
			seen[key] = true
			p.Atoms, p.Values = append(p.Atoms, spectral.Oriented(a, b, s.transposed)), append(p.Values, values[c])
		}
	}
	p.Value = p.Values[0]
	return p, nil
}

// climb alternates u = argmax ⟨u, Gv⟩ and w = argmax ⟨Gᵀu, w⟩, for every column of the start v by itself, until no value
// rises. v is overwritten; values are ⟨u, Gw⟩.
func (s *signProblem) climb(ctx context.Context, v *gcg.Factor) (u, w *gcg.Factor, values []float64, err error) {
	s.best(v, s.both)
	last := make([]float64, v.K)
	for range climbSteps {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		u = times(s.g, v)
		s.best(u, true)
		v = times(s.t, u)
		values = s.best(v, s.both)
		rose := false
		for c, x := range values {
			rose = rose || x > last[c]*(1+rounding.Null)
		}
		if !rose {
			break
		}
		last = values
	}
	return u, v, values, nil
}

// best replaces every column x by the vector of norm 1 that is most like it, its signs or x/‖x‖₂, and returns their products,
// ‖x‖₁ or ‖x‖₂.
func (s *signProblem) best(f *gcg.Factor, sign bool) []float64 {
	norms := make([]float64, f.K)
	x := make([]float64, f.Rows)
	for c := range norms {
		f.ColumnTo(x, c)
		norms[c] = linalg.PNorm(x, map[bool]float64{true: 1, false: 2}[sign])
		switch {
		case sign:
			for i, v := range x {
				x[i] = math.Copysign(1, v)
			}
			f.SetColumn(c, x, 1)
		case norms[c] > 0:
			for i := range x {
				x[i] /= norms[c] // and no product with the inverse, which may be infinite
			}
			f.SetColumn(c, x, 1)
		default:
			f.Row(0)[c] = 1
		}
	}
	return norms
}

// signKey is the same for u and -u, which make the same atom.
func signKey(u []float64) string {
	key := make([]byte, len(u))
	for i, x := range u {
		if x*u[0] > 0 {
			key[i] = 1
		}
	}
	return string(key)
}

// gaussian is a rows×k factor of standard normal numbers.
func gaussian(rows, k int, rng *rand.Rand) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		row := f.Row(i)[:k]
		for c := range row {
			row[c] = rng.NormFloat64()
		}
	}
	return f
}

// times is G X in a new factor.
func times(g gcg.Map, x *gcg.Factor) *gcg.Factor {
	m, _ := g.Dims()
	out := gcg.NewFactor(m, x.K)
	gcg.MulBlock(g, out, x)
	return out
}
