package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/spectral"
)

// signLimit is the length of a sign vector up to which all are tried. At 16 there are 2¹⁵, as u and -u make the same atom;
// each more doubles the time.
const signLimit = 16

// enumerable reports whether the rows are few enough for enumerate.
func (s *signProblem) enumerable() bool { return s.m <= signLimit }

// enumerate tries every sign vector u on the rows whose last sign is +; the best v for it attains ‖Gᵀu‖₁ with signs on the
// columns, else ‖Gᵀu‖₂. The bound is proven.
func (s *signProblem) enumerate(ctx context.Context, ask gcg.Ask) (gcg.Polar, error) {
	rows := make([][]float64, s.m)
	for i := range rows {
		rows[i] = columnOf(s.t, i)
	}
	best, rounding := newLeaders(ask), 0.0
	var err error
	if s.both {
		rounding, err = enumerateSums(ctx, rows, best)
	} else {
		rounding, err = enumerateForm(ctx, rows, best)
	}
	if err != nil {
		return gcg.Polar{}, err
	}
	codes, largest := best.ranked()
	atoms, values := make([]gcg.Atom, len(codes)), make([]float64, len(codes))
	for c, code := range codes {
		u := signsOf(code, s.m)
		v := gcg.NewFactor(s.n, 1)
		v.SetColumn(0, signedSum(rows, u), 1)
		values[c] = s.best(v, s.both)[0]
		x := make([]float64, s.n)
		v.ColumnTo(x, 0)
		atoms[c] = spectral.Oriented(u, x, s.transposed)
	}
	p := proven(atoms, values, 0)
	p.Bound = math.Max(p.Bound, largest[0]) * (1 + rounding)
	return p, nil
}

// signsOf is the sign vector of m entries with a - where code has a bit.
func signsOf(code, m int) []float64 {
	u := make([]float64, m)
	for i := range u {
		u[i] = float64(1 - 2*(code>>i&1))
	}
	return u
}

// signedSum is Σ uᵢ·rows[i], Gᵀu for the rows of G.
func signedSum(rows [][]float64, u []float64) []float64 {
	sum := make([]float64, len(rows[0]))
	for i, row := range rows {
		for j, x := range row {
			sum[j] += u[i] * x
		}
	}
	return sum
}

// enumerateForm offers ‖Gᵀu‖₂ = √(uᵀKu), K = GGᵀ, for every u. The largest uᵀKu is at least the mean tr K ≥ Σ|K_ij|/m, so
// that the rounding of K and of the sum, (n+m²)ε Σ|K_ij|, is relatively at most m(n+m²)ε; rounding is a few times that.
func enumerateForm(ctx context.Context, rows [][]float64, best *leaders) (rounding float64, err error) {
	m, n := len(rows), len(rows[0])
	var scale float64
	for _, row := range rows {
		scale = math.Max(scale, linalg.MaxAbs(row))
	}
	gram := make([]float64, m*m)
	for i := range m {
		for j := range m {
			for c, x := range rows[i] {
				gram[i*m+j] += (x / scale) * (rows[j][c] / scale)
			}
		}
	}
	for code := range 1 << (m - 1) {
		if code%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		u := signsOf(code, m)
		var form float64
		for i, ui := range u {
			form += ui * kernel.Dot(u, gram[i*m:])
		}
		best.offer(code, scale*math.Sqrt(math.Max(form, 0)))
	}
	return 4 * float64(m*(n+m*m)) * linalg.Epsilon, nil
}

// enumerateSums offers ‖Gᵀu‖₁ for every u. The sign vectors follow a Gray code, in which each differs from the last by one
// sign, and the sums start afresh now and then, because updates round. The largest is at least the mean, which is at least
// Σ_j‖G_:j‖₂/√2 [Khintchine, Szarek 1976] ≥ Σ|G_ij|/√(2m); this makes the rounding relative, at most rounding.
func enumerateSums(ctx context.Context, rows [][]float64, best *leaders) (rounding float64, err error) {
	m, n := len(rows), len(rows[0])
	const afresh = 64
	var sum []float64
	for step := range 1 << (m - 1) {
		code := step ^ step>>1
		if step%afresh == 0 {
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			sum = signedSum(rows, signsOf(code, m))
		} else {
			flipped := code ^ (step - 1) ^ (step-1)>>1
			i := 0
			for flipped>>i&1 == 0 {
				i++
			}
			by := float64(2 - 4*(code>>i&1))
			for j, x := range rows[i] {
				sum[j] += by * x
			}
		}
		var value float64
		for _, x := range sum {
			value += math.Abs(x)
		}
		best.offer(code, value)
	}
	return 2 * math.Sqrt(2*float64(m)) * float64(n+m+2*afresh) * linalg.Epsilon, nil
}
