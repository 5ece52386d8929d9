package rpca

import (
	"context"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Noise is what D holds beside L and S.
type Noise struct {
	Sigma   float64 // the standard deviation of an entry; 0 where there is none to be seen
	Rounds  int     // fits that it is estimated by
	Settled bool    // the last one changed it little
}

const (
	normalMAD   = 1.4826 // the standard deviation of normal numbers over the median of their sizes
	outlying    = 3      // standard deviations of noise from which on an entry is in S: λ₁
	leastNoise  = 1e-3   // of a typical entry of D; what is below cannot be told from the tolerance of a fit
	noiseRounds = 30     // fits of an estimate at most; those of random matrices settle in 4 to 10
	noiseChange = 0.02   // of an estimate that has settled
	noiseTol    = 1e-3   // of its fits
	below       = 8      // times less than the whole of D is the first σ: at more S may take the peaks of L, and keep them
)

// Open says that λ and λ₁ are left to [Prepared.Choose]: neither L1 nor Equal was given, and squares of the entries are in range.
func (p *Prepared) Open() bool { return p.open }

// Equal says that the parts are to be equal to D.
func (p *Prepared) Equal() bool { return p.task.Equal }

// Noise is what Choose has estimated, or nil.
func (p *Prepared) Noise() *Noise { return p.noise }

// Choose sets λ and λ₁ by the noise that there is, which p has from then on. There is none where the L of L + S = D, with λ =
// 1 and the usual λ₁, meets twice as many entries as it has degrees of freedom: noise leaves it no more than these to meet.
// Then the parts are to be equal to D. Else λ₁ = 3σ, beyond which an entry is an outlier, and λ = (√m + √n) √(N/mn) times the
// root of the mean square of D - L, cut at λ₁: about the spectral norm of noise of that size [Zhou, Li, Wright, Candès, Ma
// 2010]. σ is 1.4826 times the median of |D - L|, where L is not shrunk, less what L takes up of the noise. Each fit gives
// the next σ and λ, until they stay. Where that ends with an L of more degrees of freedom than half of the entries, noise and
// L cannot be told from each other, and the parts are to be equal to D. Where half of the time of the options is over, the
// last estimate stands; where ctx ends, too, beside an error that wraps ctx.Err().
func (p *Prepared) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	q := *p.task
	steps := opt.Run.MaxIter
	opt.Run.MaxIter = 0 // which is of the fit that follows
	p.task, p.open, p.noise = &q, false, &Noise{}
	s := &search{p: p, opt: opt, end: time.Now().Add(opt.Run.MaxTime / 2)}
	choice, err := s.choose(ctx)
	if st := choice.Start.State; st != nil && (p.other || steps > 0 && st.Iter > steps) {
		choice.Start.State = nil
	}
	switch {
	case err != nil:
		choice.Curve.CutShort, p.noise.Settled = solver.Interrupted, false
	case s.late() && !(p.noise.Settled && p.noise.Sigma > 0):
		choice.Curve.CutShort, p.noise.Settled = solver.MaxTime, false
	}
	return choice, err
}

// choose is Choose of a search.
func (s *search) choose(ctx context.Context) (*selection.Choice, error) {
	p, q := s.p, s.p.task
	if exact, r, err := s.equal(ctx); err != nil || exact {
		choice := s.equalTo()
		switch {
		case r == nil:
		case err != nil:
			choice.Start.W = r.State.W
		default: // which is the answer
			choice.Start.State = r.State
			choice.Start.State.Polar = r.Polar
		}
		return choice, err
	}
	first := normalMAD * medianSize(q.Values)
	s.least = leastNoise * first
	found, low, err := s.settle(ctx, estimate{first / below, first / below})
	if low == nil || found.sigma <= s.least || 2*freedom(low) > len(q.Values) {
		return s.equalTo(), err
	}
	p.l1, p.noise.Sigma = outlying*found.sigma, found.sigma
	choice := &selection.Choice{Lambda: p.spectral() * found.rms}
	if low.Rank() > 0 {
		choice.Start.W = low
	}
	return choice, err
}

// late says that half of the time is over.
func (s *search) late() bool { return s.opt.Run.MaxTime > 0 && time.Now().After(s.end) }

// A search is that of the noise of a matrix.
type search struct {
	p     *Prepared
	opt   selection.Options
	end   time.Time
	least float64 // the σ up to which there is none
}

// settle makes fits from an estimate on until σ stays or falls below the least.
func (s *search) settle(ctx context.Context, e estimate) (_ estimate, low *gcg.Iterate, err error) {
	noise := s.p.noise
	for e.sigma > s.least && noise.Rounds < noiseRounds && !noise.Settled {
		s.p.l1 = outlying * e.sigma
		run := s.opt.Run
		run.Tol = math.Max(run.Tol, noiseTol)
		r, err := s.run(ctx, run, s.p.spectral()*e.rms, low)
		if r == nil {
			return e, low, err
		}
		w := r.State.W
		noise.Rounds++
		last, empty := e, w.Rank() == 0
		if empty && low == nil { // is there an L under less?
			e = estimate{e.sigma / 2, e.rms / 2}
		} else {
			low, e = w, s.p.estimate(w, e)
			noise.Settled = empty || math.Abs(e.sigma-last.sigma) <= noiseChange*last.sigma
		}
		if err != nil || s.late() {
			return e, low, err
		}
	}
	return e, low, nil
}

// equal says that the parts may be equal to D without noise, and returns their fit. It ends where L has too many degrees of
// freedom for that.
func (s *search) equal(ctx context.Context) (exact bool, r *solver.Result, err error) {
	s.p.task.Equal, s.p.l1 = true, s.p.task.UsualL1(1)
	defer func() { s.p.task.Equal = false }()
	within, enough := context.WithCancel(ctx)
	defer enough()
	run, many := s.opt.Run, false
	run.Event = func(e solver.Event) {
		if many = many || 2*freedom(e.State.W) > len(s.p.task.Values); many {
			enough()
		}
	}
	if r, err = s.run(within, run, 1, nil); err != nil && many {
		return false, nil, nil
	}
	return err == nil && s.exact(r.State.W), r, err
}

// run is the fit of a λ. Where ctx ends it is the best so far, beside the error.
func (s *search) run(ctx context.Context, run solver.Options, lambda float64, start *gcg.Iterate) (*solver.Result, error) {
	f, err := s.p.fittingOf(nil)
	if err != nil {
		return nil, err
	}
	f.Problem.Penalty = gauge.Linear{Lambda: lambda}
	method, improver := s.p.task.Method(f.Problem)
	run.Start, run.Improver = start, improver
	return solver.Run(ctx, f.Problem, method, run)
}

// exact says that L meets more entries than noise would let it.
func (s *search) exact(low *gcg.Iterate) bool {
	t, dense, met := s.p.task, low.Dense(), 0
	least := supportRounding * linalg.MaxAbs(t.Values)
	t.each(func(e, i, j int) {
		if math.Abs(t.Values[e]-dense[i*t.Cols+j]) <= least {
			met++
		}
	})
	return met > 2*freedom(low)
}

// freedom is how many numbers make up a matrix of the size and the rank of W.
func freedom(w *gcg.Iterate) int { return w.Rank() * (w.M + w.N - w.Rank()) }

// equalTo makes the parts equal to D.
func (s *search) equalTo() *selection.Choice {
	s.p.task.Equal, s.p.l1 = true, s.p.task.UsualL1(1)
	*s.p.noise = Noise{Rounds: s.p.noise.Rounds, Settled: true}
	return &selection.Choice{Lambda: 1}
}

// An estimate is the standard deviation of the noise, and the root of the mean square of D - L cut at λ₁.
type estimate struct{ sigma, rms float64 }

// spectral is the spectral norm of noise of variance 1 at the known entries.
func (p *Prepared) spectral() float64 {
	m, n := float64(p.task.Rows), float64(p.task.Cols)
	return (math.Sqrt(m) + math.Sqrt(n)) * math.Sqrt(float64(len(p.task.Values))/(m*n))
}

// estimate is the next one, of the fit of one before. The singular values of L, which the fit lessens by λ, or where some
// entries are not known by λ mn/N, are taken without that; and of m×n noise L of rank k takes up all but (m-k)(n-k)/mn.
func (p *Prepared) estimate(w *gcg.Iterate, e estimate) estimate {
	t := p.task
	m, n, k := float64(t.Rows), float64(t.Cols), float64(w.Rank())
	low := p.unshrunk(w, p.spectral()*e.rms*m*n/float64(len(t.Values)))
	left, squares := make([]float64, len(t.Values)), 0.0
	t.each(func(i, row, col int) {
		left[i] = t.Values[i] - low[row*t.Cols+col]
		cut := left[i] - linalg.Soft(left[i], outlying*e.sigma)
		squares += cut * cut
	})
	taken := math.Sqrt(math.Max((1-k/m)*(1-k/n), 1/(m*n)))
	return estimate{normalMAD * medianSize(left) / taken, math.Sqrt(squares/float64(len(left))) / taken}
}

// unshrunk is W, dense, with so much added to each singular value that is not 0.
func (p *Prepared) unshrunk(w *gcg.Iterate, more float64) []float64 {
	if w.Rank() == 0 {
		return make([]float64, p.task.Rows*p.task.Cols)
	}
	u, sigma, v := gcg.SVD(w.U, w.V, 0)
	for i := range u.Rows {
		for c, x := range u.Row(i)[:len(sigma)] {
			u.Row(i)[c] = x * (sigma[c] + more)
		}
	}
	return (&gcg.Iterate{M: w.M, N: w.N, U: u, V: v}).Dense()
}

// medianSize is the median of |x|.
func medianSize(x []float64) float64 {
	sizes := make([]float64, len(x))
	for i, v := range x {
		sizes[i] = math.Abs(v)
	}
	return linalg.Median(sizes)
}
