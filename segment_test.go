package gcg_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// A listed operator names the constants of its observations.
type listed struct {
	gcg.Operator
	count int
	of    []int32
}

func (o listed) Intercepts() (int, []int32) { return o.count, o.of }

// segmented is four views of one 5×6 identity: rows of 6, of 3 without an intercept, single observations, and tasks.
func segmented(t *testing.T) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(37, 5))
	id, err := operator.NewIdentity(5, 6)
	if err != nil {
		t.Fatal(err)
	}
	of := make([]int32, 30)
	for i := range of {
		of[i] = int32(rng.IntN(4))
	}
	op, err := operator.Stack(id, id, id, listed{id, 4, of})
	if err != nil {
		t.Fatal(err)
	}
	y := func() []float64 { return randomMatrix(rng, 1, 30).Data }
	l := loss.Stack(&loss.Squared{Y: y(), Group: 6}, loss.WithoutIntercept(&loss.Squared{Y: y(), Group: 3}),
		&loss.Huber{Y: y(), Mu: 1}, &loss.Squared{Y: y()})
	return &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
}

// E of segments is the map that takes each observation's constant from its own segment, in every form.
func TestInterceptMapOfSegments(t *testing.T) {
	p := segmented(t)
	e := p.InterceptMap()
	if e.Count != 4+6+1 || e.ByColumn(6) {
		t.Fatalf("%d constants", e.Count)
	}
	_, of := p.Operator.(gcg.InterceptOperator).Intercepts()
	naive := make([]int, 120)
	for i := range naive {
		switch {
		case i < 30:
			naive[i] = 4 + i%6
		case i < 60:
			naive[i] = -1
		case i < 90:
			naive[i] = 10
		default:
			naive[i] = int(of[i])
		}
	}
	rng := rand.New(rand.NewPCG(37, 6))
	b, r := randomMatrix(rng, 1, e.Count).Data, randomMatrix(rng, 1, 120).Data
	z, z32, r32 := append([]float64(nil), r...), make([]float32, 66), make([]float32, 120)
	all := append([]float64(nil), r...)
	e.To(all, 0, b)
	for i, x := range r {
		r32[i] = float32(x)
	}
	e.AddTo(z, 2, b)
	e.To32(z32, 24, b)
	sums, counts := make([]float64, e.Count), make([]float64, e.Count)
	for i, at := range naive {
		want := 0.0
		if at >= 0 {
			want = b[at]
			sums[at] += r[i]
			counts[at]++
		}
		if e.At(i) != at || all[i] != want || math.Abs(z[i]-r[i]-2*want) > 1e-14 {
			t.Errorf("observation %d takes constant %d, not %d", i, e.At(i), at)
		}
		if i >= 24 && i < 90 && z32[i-24] != float32(want) {
			t.Errorf("observation %d is %v in float32, not %v", i, z32[i-24], want)
		}
	}
	got, got32, means := e.Sums(r), e.Sums32(r32), e.Means(r)
	for c, want := range sums {
		if math.Abs(got[c]-want) > 1e-13 || math.Abs(got32[c]-want) > 1e-5 ||
			math.Abs(means[c]-want/math.Max(counts[c], 1)) > 1e-14 {
			t.Errorf("constant %d: sums %v and %v, mean %v; not %v of %v", c, got[c], got32[c], means[c], want, counts[c])
		}
	}
}

// rows is a loss of any length without data.
type rows struct{ n, stride int }

func (l rows) Len() int                               { return l.n }
func (l rows) Stride() int                            { return l.stride }
func (l rows) Eval(int, []float64, []float64) float64 { return 0 }

// Blocks cover all observations in order, begin and end with rows, and cross no segment.
func TestBlocksOfSegments(t *testing.T) {
	p := &gcg.Problem{Loss: loss.Stack(rows{20000, 1}, rows{30000, 3}, rows{0, 5}, rows{7, 7}, rows{8192, 1}, rows{40000, 4000})}
	ends := map[int]int{}
	at := 0
	for b := range p.Blocks() {
		lo, hi := p.Block(b)
		if lo != at || hi <= lo {
			t.Fatalf("block %d is %d … %d, after %d", b, lo, hi, at)
		}
		for i, g := range p.Loss.(loss.Stacked).Segments() {
			if lo < g.Hi && hi > g.Lo {
				ends[i] = hi
				if lo < g.Lo || hi > g.Hi || (lo-g.Lo)%g.Stride != 0 || (hi-g.Lo)%g.Stride != 0 {
					t.Errorf("block %d … %d of segment %+v", lo, hi, g)
				}
			}
		}
		at = hi
	}
	if at != p.Loss.Len() || p.Blocks() != 3+4+0+1+1+1 || len(ends) != 5 {
		t.Errorf("%d blocks end at %d of %d", p.Blocks(), at, p.Loss.Len())
	}
}

// torn is a loss with segments as given.
type torn struct {
	gcg.Loss
	segments []gcg.Segment
}

func (l torn) Segments() []gcg.Segment { return l.segments }

// Segments that do not fit together, and intercepts that nothing takes or that are half the operator's, are refused.
func TestSegmentsRefused(t *testing.T) {
	whole := &loss.Squared{Y: make([]float64, 6)}
	for want, c := range map[string]struct {
		l    gcg.Loss
		of   []int32
		with bool
	}{
		"no rows of 4":           {torn{whole, []gcg.Segment{{Lo: 0, Hi: 6, Stride: 4}}}, nil, false},
		"starts at":              {torn{whole, []gcg.Segment{{Lo: 0, Hi: 3, Stride: 1}, {Lo: 4, Hi: 6, Stride: 1}}}, nil, false},
		"of its 6 observations":  {torn{whole, []gcg.Segment{{Lo: 0, Hi: 3, Stride: 1}}}, nil, false},
		"no segment of the loss": {loss.WithoutIntercept(whole), nil, true},
		"one of its segment":     {whole, []int32{0, 0, -1, 0, 0, 0}, true},
		"of 2 observations":      {whole, []int32{0, 0}, true},
	} {
		id, err := operator.NewIdentity(2, 3)
		if err != nil {
			t.Fatal(err)
		}
		p := &gcg.Problem{Operator: listed{id, 1, c.of}, Loss: c.l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1},
			Intercept: c.with}
		if _, err := gcg.NewState(p, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The certificate of a state is its problem's Objective and Bound, which for a squared loss are a closed form; a stack of one
// part has the same to the last digit but for the order of sums.
func TestCertificateOfTheProblem(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 7))
	const m, n, lambda = 9, 7, 2.0
	id, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	y := randomMatrix(rng, m, n).Data
	start := &gcg.Iterate{M: m, N: n, U: randomFactor(rng, m, 2), V: randomFactor(rng, n, 2)}
	for name, l := range map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "huber": &loss.Huber{Y: y, Mu: 0.5},
		"weighted": &loss.Squared{Y: y, Omega: positive(rng, m*n)}} {
		var certs []gcg.Certificate
		for _, form := range []gcg.Loss{l, loss.Stack(l), plainSegments{l}} {
			p := &gcg.Problem{Operator: id, Loss: form, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
			s, err := gcg.NewState(p, start)
			if err != nil {
				t.Fatal(err)
			}
			polar, err := p.Gauge.Polar(context.Background(), s.Gradient(p), gcg.Ask{Count: 1})
			if err != nil {
				t.Fatal(err)
			}
			s.Polar = &polar
			s.Certify(p)
			if s.Cert.Objective != p.Objective(s) || s.Cert.Objective != s.Objective(p) ||
				s.Cert.LowerBound != p.Bound(s, &polar) {
				t.Errorf("%s: %+v, of the problem %v and %v", name, s.Cert, p.Objective(s), p.Bound(s, &polar))
			}
			if name == "squared" {
				rr, ry := dotted(s.R, s.R), dotted(s.R, y)
				by := math.Max(0, math.Min(lambda/polar.Bound, ry/rr))
				if want := by*ry - by*by*rr/2; math.Abs(s.Cert.LowerBound-want) > 1e-14*math.Abs(want) {
					t.Errorf("the bound is %.17g, not %.17g", s.Cert.LowerBound, want)
				}
			}
			certs = append(certs, s.Cert)
		}
		for _, c := range certs[1:] {
			if math.Abs(c.Objective-certs[0].Objective) > 1e-15*certs[0].Objective ||
				math.Abs(c.LowerBound-certs[0].LowerBound) > 1e-15*math.Abs(certs[0].Objective) {
				t.Errorf("%s: %+v in a stack, %+v alone", name, c, certs[0])
			}
		}
	}
}

// plainSegments is a loss with its conjugate alone, in one segment.
type plainSegments struct{ gcg.Loss }

func (l plainSegments) Segments() []gcg.Segment {
	return []gcg.Segment{{Hi: l.Len(), Stride: l.Stride()}}
}
func (l plainSegments) Conjugate(lo int, r []float64, s float64) float64 {
	return l.Loss.(gcg.ConjugateLoss).Conjugate(lo, r, s)
}

func positive(rng *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + rng.Float64()
	}
	return w
}

func dotted(a, b []float64) (s float64) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
