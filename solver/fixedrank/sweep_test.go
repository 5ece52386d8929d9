package fixedrank_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// Sweeps lower F to a point where neither factor has anything to gain, and the state is that of the new W.
func TestSweepsLowerF(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	start := s.Objective(p)
	l := &fixedrank.Local{}
	for range 100 {
		if !l.Sweep(context.Background(), p, s) {
			t.Fatal("no sweeps on the plain squared loss")
		}
	}
	end := s.Objective(p)
	if !(end < 0.5*start) {
		t.Errorf("F fell from %v to %v only", start, end)
	}
	s.Refresh(p)
	if f := s.Objective(p); math.Abs(f-end) > 1e-12*end {
		t.Errorf("the state says F = %v, its W %v", end, f)
	}
	l.Sweep(context.Background(), p, s)
	if again := s.Objective(p); again > end*(1+1e-14) || again < end*(1-1e-6) {
		t.Errorf("a hundred calls end at %v, and one more at %v", end, again)
	}
}

// Float32 does not see the unit of y: a power of 4 scales the result and changes no digit of it.
func TestSweepsScale(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	(&fixedrank.Local{}).Sweep(context.Background(), p, s)
	for _, unit := range []float64{0x1p-320, 0x1p320} {
		q, r := testproblem.Completion(t, unit)
		(&fixedrank.Local{}).Sweep(context.Background(), q, r)
		if f, want := r.Objective(q)/unit/unit, s.Objective(p); f != want {
			t.Errorf("unit %g: F = %v, want %v", unit, f, want)
		}
	}
}

// Without time there are no sweeps, and W stays what it was.
func TestSweepsEnd(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	start := s.Objective(p)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	(&fixedrank.Local{}).Sweep(ctx, p, s)
	if f := s.Objective(p); f > start || f < start*(1-1e-6) {
		t.Errorf("F went from %v to %v", start, f)
	}
}

// An extrapolation that leads nowhere is undone: whatever the sweep does, the end is the lowest that a sweep ended at.
func TestExtrapolationKeepsTheBest(t *testing.T) {
	x := fixedrank.NewFactors(gcg.NewFactorOf[float32](3, 2), gcg.NewFactorOf[float32](2, 2))
	rng := rand.New(rand.NewPCG(5, 5))
	best, bestAt := math.Inf(1), float32(-1)
	end := fixedrank.Extrapolated(x, 0, func(x fixedrank.Factors) (f, gain float64) {
		x.U().Row(0)[0] = rng.Float32()
		f, gain = rng.Float64(), 0.1
		if f-gain <= best {
			best, bestAt = f-gain, x.U().Row(0)[0]
		}
		return f, gain
	})
	if got := end.U().Row(0)[0]; got != bestAt {
		t.Errorf("the end is %v, the lowest %v", got, bestAt)
	}
	end = fixedrank.Extrapolated(end.Clone(), 0, func(x fixedrank.Factors) (f, gain float64) {
		x.U().Row(0)[0] = 7
		return math.NaN(), 1
	})
	if got := end.U().Row(0)[0]; got != bestAt {
		t.Errorf("the end is %v after a sweep to nowhere, the start was %v", got, bestAt)
	}
}

// F above its minimum is guessed from the gaps of two certificates in a row, and sweeps that gain little beside that end.
func TestSweepsEndByTheGap(t *testing.T) {
	var l fixedrank.Local
	seen := func(iter int, f, gap float64) float64 {
		return l.ExpectedDecrease(&gcg.State{Iter: iter, Cert: gcg.Certificate{Objective: f, Relative: gap}})
	}
	for _, c := range []struct {
		iter           int
		f, gap, wanted float64
	}{{1, 900, 0.8, 0}, {2, 500, 0.4, 100}, {3, 400, 0.8, 100}, {5, 300, 0.1, 0}, {6, 301, 0.1, 0}, {1, 200, 0.1, 0}} {
		if got := seen(c.iter, c.f, c.gap); math.Abs(got-c.wanted) > 1e-9 {
			t.Errorf("at iteration %d %v is expected, not %v", c.iter, got, c.wanted)
		}
	}
	for _, c := range []struct {
		expected float64
		wanted   int
	}{{0, fixedrank.SweepLimit}, {100, 10}, {1000, 3}} { // the nth sweep gains 10/(n²+n)
		x, sweeps := fixedrank.NewFactors(gcg.NewFactorOf[float32](3, 2), gcg.NewFactorOf[float32](2, 2)), 0
		fixedrank.Extrapolated(x, c.expected, func(x fixedrank.Factors) (f, gain float64) {
			sweeps++
			return 10 / float64(sweeps), 10/float64(sweeps) - 10/float64(sweeps+1)
		})
		if sweeps != c.wanted {
			t.Errorf("with %v to be expected there are %d sweeps, not %d", c.expected, sweeps, c.wanted)
		}
	}
}

// Sweeps that end above where they began, whatever they say of themselves, leave the state as it was.
func TestSweepsKeepNothingWorse(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	f, w := s.Objective(p), s.W.Dense()
	fixedrank.RunSweeps(p, s, 3, func(x fixedrank.Factors) (f, gain float64) {
		x.U().Scale(3)
		x.V().Scale(3)
		return 2, 1
	})
	if got := s.Objective(p); math.Abs(got-f) > 1e-12*f {
		t.Errorf("F went from %v to %v", f, got)
	}
	for e, x := range s.W.Dense() {
		if math.Abs(x-w[e]) > 1e-12*(1+math.Abs(w[e])) {
			t.Fatalf("entry %d of W went from %v to %v", e, w[e], x)
		}
	}
}

// Sweeps of a mean are those of the sum at N times the λ, with predictions and without.
func TestSweepsOfAMean(t *testing.T) {
	sum, s := testproblem.Completion(t, 1)
	y := sum.Loss.(*loss.Squared).Y
	rows := sum.Operator.Adjoint(y).(gcg.DenseMap)
	m, n, nobs := sum.Operator.Dims()
	dense, ptr, cols := make([]float64, m*n), []int64{0}, []int32(nil)
	rows.RowsTo(dense, 0)
	for i := range m {
		for j := range n {
			if dense[i*n+j] != 0 {
				cols = append(cols, int32(j))
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	squares := func(mean bool) gcg.Squares {
		q, err := operator.NewSquares(m, n, slices.Clone(ptr), slices.Clone(cols), slices.Clone(y), mean)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	whole, part := squares(false), squares(true)
	by := 1 / float64(nobs)
	small := gauge.Linear{Lambda: sum.Penalty.(gauge.Linear).Lambda * by}
	for _, c := range []struct{ sum, mean *gcg.Problem }{
		{sum, &gcg.Problem{Operator: sum.Operator, Loss: &loss.Squared{Y: y, Mean: true}, Gauge: sum.Gauge, Penalty: small}},
		{
			&gcg.Problem{Operator: whole, Loss: whole, Gauge: sum.Gauge, Penalty: sum.Penalty},
			&gcg.Problem{Operator: part, Loss: part, Gauge: sum.Gauge, Penalty: small},
		},
	} {
		ends := [2]float64{}
		for i, p := range []*gcg.Problem{c.sum, c.mean} {
			state, err := gcg.NewState(p, s.W)
			if err != nil {
				t.Fatal(err)
			}
			start := state.Objective(p)
			(&fixedrank.Local{}).Sweep(context.Background(), p, state)
			if ends[i] = state.Objective(p); !(ends[i] < 0.9*start) {
				t.Errorf("%T: F fell from %v to %v only", p.Loss, start, ends[i])
			}
		}
		if math.Abs(ends[1]-by*ends[0]) > 1e-6*ends[1] {
			t.Errorf("%T: sweeps come to %v, of the mean to %v times the number", c.sum.Loss, ends[0], ends[1]/by)
		}
	}
}

// Sweeps go by the λ at hand, be they of a problem that had another: they end where those of a Local that knows no other do.
func TestSweepsOfAnotherLambda(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	var l fixedrank.Local
	for _, lambda := range []float64{8, 2} {
		p.Penalty = gauge.Linear{Lambda: lambda}
		start, ends := s.Objective(p), [2]float64{}
		for i, improver := range []*fixedrank.Local{&l, {}} {
			state, err := gcg.NewState(p, s.W.Clone())
			if err != nil {
				t.Fatal(err)
			}
			if !improver.Sweep(context.Background(), p, state) {
				t.Fatal("no sweeps")
			}
			ends[i] = state.Objective(p)
		}
		if math.Abs(ends[0]-ends[1]) > 1e-12*ends[1] || !(ends[1] < start) {
			t.Errorf("λ = %v: F fell from %v to %v, with a new Local to %v", lambda, start, ends[0], ends[1])
		}
	}
}

// At MaxRank a run ends when steps gain next to nothing, though the gap that the missing atoms leave is far above the tolerance.
func TestMaxRankEnds(t *testing.T) {
	p, _ := testproblem.Completion(t, 1)
	method, opt := &conditional.GCG{OutsideW: true, MaxRank: 1}, solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}}
	r, err := solver.Run(context.Background(), p, method, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Stalled || r.State.W.Rank() != 1 || r.Iter > 8 {
		t.Errorf("%s after %d iterations at rank %d, gap %g", r.Status, r.Iter, r.State.W.Rank(), r.State.Cert.Relative)
	}
}

// A turn to balance changes neither the product nor, on another pair, any product; its columns are orthogonal and of one
// length on both sides. A singular pair has none.
func TestBalancing(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(rows, k int) *gcg.Factor32 {
		f := gcg.NewFactorOf[float32](rows, k)
		for i := range rows {
			for c := range k {
				f.Row(i)[c] = float32(rng.NormFloat64() * math.Pow(3, float64(-c)))
			}
		}
		return f
	}
	x, other := fixedrank.NewFactors(draw(40, 5), draw(30, 5)), fixedrank.NewFactors(draw(40, 5), draw(30, 5))
	turned, ok := fixedrank.Balancing(x)
	if !ok {
		t.Fatal("no turn")
	}
	for _, f := range []fixedrank.Factors{x, other} {
		g := turned(f)
		for i := range 40 {
			for j := range 30 {
				var was, is float64
				for c := range 5 {
					was += float64(f.U().Row(i)[c]) * float64(f.V().Row(j)[c])
					is += float64(g.U().Row(i)[c]) * float64(g.V().Row(j)[c])
				}
				if math.Abs(is-was) > 1e-5 {
					t.Fatalf("entry (%d, %d) became %v, was %v", i, j, is, was)
				}
			}
		}
	}
	y := turned(x)
	gu, gv := factor.WideGram(y.U()), factor.WideGram(y.V())
	for a := range 5 {
		for b := range 5 {
			want := 0.0
			if a == b {
				want = gu.Row(a)[a]
			}
			off := math.Max(math.Abs(gu.Row(a)[b]-want), math.Abs(gv.Row(a)[b]-want))
			if !(off <= 1e-4*math.Sqrt(gu.Row(a)[a]*gu.Row(b)[b])) {
				t.Errorf("(%d, %d): UᵀU has %v, VᵀV %v", a, b, gu.Row(a)[b], gv.Row(a)[b])
			}
		}
	}
	for i := range x.U().Rows {
		x.U().Row(i)[4] = x.U().Row(i)[3]
	}
	if _, ok := fixedrank.Balancing(x); ok {
		t.Error("a turn of a singular pair")
	}
}

// A settled core is where F has the derivative λ along every direction that is left, and those that are not wanted are gone:
// with λ near the largest singular value of the data, some.
func TestSettledCore(t *testing.T) {
	for lambda, least := range map[float64]int{2: 0, 6.5: 1} {
		p, s := testproblem.Completion(t, 1)
		p.Penalty = gauge.Linear{Lambda: lambda}
		w, x := fixedrank.NewSweeper(p, s.W)
		for range 4 {
			w.Once(x)
		}
		before := w.Objective(x)
		var gone int
		for range 4 {
			var lost int
			x, lost = w.SolveCore(x)
			gone += lost
			if after := w.Objective(x); after > before*(1+1e-6) {
				t.Errorf("λ = %v: F rose from %v to %v", lambda, before, after)
			} else {
				before = after
			}
		}
		if gone < least || gone == 4 {
			t.Errorf("λ = %v: %d of 4 directions are gone, %d or more were expected", lambda, gone, least)
		}
		if off := w.CoreSlope(x); off > 1e-3 {
			t.Errorf("λ = %v: PᵀGQ is %v λ away from λI", lambda, off)
		}
	}
}

// Where as many directions came in as belong, sweeps say so, and the run goes to the tolerance without asking in between.
func TestEnoughIsSeen(t *testing.T) {
	p, _ := testproblem.Completion(t, 1)
	p.Penalty = gauge.Linear{Lambda: 6}
	opt := solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged || r.State.W.Rank() == 0 {
		t.Errorf("%s at rank %d, gap %g", r.Status, r.State.W.Rank(), r.State.Cert.Relative)
	}
}
