package gcg_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Rows of observations that the last one cuts are an error: an intercept would look for the rest of it.
func TestRowsThatAreCut(t *testing.T) {
	op, err := operator.NewIdentity(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: make([]float64, 5), Group: 2}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
	if _, err := gcg.NewState(p, nil); err == nil || !strings.Contains(err.Error(), "5 observations") {
		t.Errorf("rows of 2: %v", err)
	}
}

// A start whose parts do not fit together, or the problem, is an error and no panic.
func TestStartsThatDoNotFit(t *testing.T) {
	op, err := operator.NewIdentity(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	term := func(rows, cols []int32, key int64) *gcg.Iterate {
		return &gcg.Iterate{M: 3, N: 2, Terms: []gcg.Term{{Weight: 1,
			Atom: gcg.Atom{Rows: rows, Cols: cols, Vals: []float64{1}, Key: key}}}}
	}
	for name, start := range map[string]*gcg.Iterate{
		"other sizes":             {M: 2, N: 3},
		"one factor":              {M: 3, N: 2, U: gcg.NewFactor(3, 1)},
		"the other factor":        {M: 3, N: 2, V: gcg.NewFactor(2, 1)},
		"a factor of other rows":  {M: 3, N: 2, U: gcg.NewFactor(2, 1), V: gcg.NewFactor(2, 1)},
		"factors of other ranks":  {M: 3, N: 2, U: gcg.NewFactor(3, 1), V: gcg.NewFactor(2, 2)},
		"a factor without data":   {M: 3, N: 2, U: &gcg.Factor{Rows: 3, K: 1, Stride: 8}, V: gcg.NewFactor(2, 1)},
		"an entry outside":        term([]int32{3}, []int32{0}, 0),
		"an entry below":          term([]int32{0}, []int32{-1}, 0),
		"an entry without column": term([]int32{0}, nil, 0),
		"a key that no block has": term([]int32{0}, []int32{0}, 7),
		"a key of another entry":  term([]int32{1}, []int32{0}, 2), // as of a matrix with one column
	} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: make([]float64, 6)}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
		if _, err := gcg.NewState(p, start); err == nil || !strings.HasPrefix(err.Error(), "gcg: the start") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The entries of an atom may be some of those of its block, in any order, but no others.
func TestStartsInBlocks(t *testing.T) {
	op, err := operator.NewIdentity(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: make([]float64, 6)}, Gauge: gauge.Group{},
		Penalty: gauge.Linear{Lambda: 1}}
	for _, c := range []struct {
		rows, cols []int32
		ok         bool
	}{
		{[]int32{1, 1}, []int32{0, 1}, true}, {[]int32{1, 1}, []int32{1, 0}, true}, {[]int32{1}, []int32{1}, true}, {nil, nil, true},
		{[]int32{1, 0}, []int32{0, 1}, false}, {[]int32{2, 1}, []int32{0, 1}, false},
	} {
		a := gcg.Atom{Rows: c.rows, Cols: c.cols, Vals: []float64{0.6, 0.8}[:len(c.rows)], Key: 2}
		if _, err := gcg.NewState(p, &gcg.Iterate{M: 3, N: 2, Terms: []gcg.Term{{Weight: 1, Atom: a}}}); (err == nil) != c.ok {
			t.Errorf("rows %v and columns %v: %v", c.rows, c.cols, err)
		}
	}
}

// A state knows no lower bound before its first certificate, as that of an objective below 0 shows.
func TestFirstCertificate(t *testing.T) {
	op, err := operator.NewIdentity(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Quadratic{C: []float64{-3, -4}}, Gauge: gauge.Trace{}, Penalty: gauge.Ball{Zeta: 10}}
	start := &gcg.Iterate{M: 2, N: 1, U: gcg.NewFactor(2, 1), V: gcg.NewFactor(1, 1)} // W = (3, 4): F = -25, and -50 at best
	start.U.SetColumn(0, []float64{3, 4}, 1)
	start.V.SetColumn(0, []float64{1}, 1)
	s, err := gcg.NewState(p, start)
	if err != nil {
		t.Fatal(err)
	}
	polar, err := p.Gauge.Polar(context.Background(), p.Operator.Adjoint(s.R), gcg.Ask{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.Polar = &polar
	s.Certify(p)
	if c := s.Cert; !(math.Abs(c.LowerBound+50) < 1e-9) || !(math.Abs(c.Gap-25) < 1e-9) {
		t.Errorf("%+v, and the optimum is -50", c)
	}
}

// The best of several bounds that fail with some probability may be any of them, so that these add up, each of them once.
func TestFailureAddsUp(t *testing.T) {
	op, err := operator.NewIdentity(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{3, 4}}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, bound := range []float64{7, 6, 9} { // the last one gives no better lower bound
		s.Polar = &gcg.Polar{Bound: bound, Kind: gcg.Probable, Failure: 0.25}
		for range 2 {
			s.Certify(p)
			if want := 0.25 * float64(i+1); s.Cert.Failure != want {
				t.Errorf("bound %d: the probability of failure is %v, want %v", i+1, s.Cert.Failure, want)
			}
		}
	}
}

// The grain of objectives whose squares are beyond the range of float64 is as large as they are, and not infinite, within which
// every step would count as rounding.
func TestGrainOfAnySize(t *testing.T) {
	for _, f := range []float64{1e-300, 1e-170, 1, 1e170, 1e300} {
		s := &gcg.State{LossAtZero: f}
		if got := s.RoundingScale(-f); math.Abs(got-f) > 1e-14*f {
			t.Errorf("the grain of %g is %g", -f, got)
		}
	}
}

// A state for another penalty is the one that a start at its W makes, and shares nothing with it. There is none where
// predictions are not computed from W.
func TestStateForAnotherPenalty(t *testing.T) {
	op, err := operator.NewIdentity(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{1, -2, 3, 0, 5, 1}}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
	start := &gcg.Iterate{M: 3, N: 2, Terms: []gcg.Term{{Weight: 2, Atom: gcg.Atom{Rows: []int32{1}, Cols: []int32{0},
		Vals: []float64{1}, Key: 3}}}}
	s, err := gcg.NewState(p, start)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.Penalty = gauge.Linear{Lambda: 0.5}
	want, err := gcg.NewState(&q, s.W)
	if err != nil {
		t.Fatal(err)
	}
	got := s.At(&q)
	if !reflect.DeepEqual(got.Z, want.Z) || !reflect.DeepEqual(got.R, want.R) || got.Loss != want.Loss || got.Rho != want.Rho ||
		!reflect.DeepEqual(got.Intercept, want.Intercept) || got.LossAtZero != want.LossAtZero || !got.Exact {
		t.Errorf("%+v, not %+v", got, want)
	}
	got.Z[0], got.R[0], got.Intercept[0], got.W.Terms[0].Weight = 7, 7, 7, 7
	if s.Z[0] == 7 || s.R[0] == 7 || s.Intercept[0] == 7 || s.W.Terms[0].Weight == 7 {
		t.Error("the states share memory")
	}
	if s.Exact = false; s.At(&q) != nil {
		t.Error("predictions that were moved along are taken over")
	}
}
