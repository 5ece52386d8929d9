package loss_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/loss"
)

// parts are losses of several strides and capabilities.
func stackParts(rng *rand.Rand) map[string]gcg.Loss {
	labels := make([]int32, 8)
	for i := range labels {
		labels[i] = int32(rng.IntN(4))
	}
	return map[string]gcg.Loss{
		"squared":   &loss.Squared{Y: normals(rng, 24, 1)},
		"mean":      &loss.Squared{Y: normals(rng, 18, 1), Mean: true, Group: 3},
		"weighted":  &loss.Squared{Y: normals(rng, 12, 1), Omega: weights(rng, 12)},
		"huber":     &loss.Huber{Y: normals(rng, 21, 1), Mu: 0.3},
		"softmax":   &loss.Softmax{Labels: labels, Classes: 4},
		"softmax 3": &loss.Softmax{Labels: labels[:5], Classes: 5},
		"logistic":  &loss.Logistic{Y: signs(rng, 15)},
		"l1":        &loss.MoreauEnvelope{Penalty: &loss.L1Norm{N: 20, Lambda: 0.7}, Beta: 0.5},
		"groups":    &loss.MoreauEnvelope{Penalty: &loss.GroupNorm{N: 20, Size: 5, Lambda: 0.7}, Beta: 0.25},
		"value":     plainLoss{&loss.Squared{Y: normals(rng, 9, 1)}},
		"bounded":   boundedLoss{&loss.Squared{Y: normals(rng, 9, 1)}},
	}
}

// plainLoss has no capabilities; boundedLoss has an infimum.
type plainLoss struct{ gcg.Loss }
type boundedLoss struct{ gcg.Loss }

func (boundedLoss) Infimum() float64 { return 0 }

type scaledConjugate interface {
	gcg.ConjugateLoss
	ConjugateAlong(lo int, r []float64) func(s float64) float64
}

// stacks are which parts stand together.
var stacks = [][]string{
	{"squared"}, {"squared", "mean"}, {"mean", "weighted", "squared"}, {"squared", "huber"}, {"huber", "l1"}, {"softmax"},
	{"softmax", "softmax"}, {"softmax", "softmax 3"}, {"softmax", "logistic"}, {"softmax", "squared"}, {"groups",
		"softmax", "l1"}, {"squared", "value"},
	{"bounded", "huber"}, {"bounded", "value"}, {"bounded"}, {"squared", "groups", "l1"},
}

func stackNamed(rng *rand.Rand, names []string) (loss.Stacked, []gcg.Loss) {
	var parts []gcg.Loss
	for _, name := range names {
		parts = append(parts, stackParts(rng)[name])
	}
	return loss.Stack(parts...), parts
}

func has[C any](l gcg.Loss) bool {
	_, ok := l.(C)
	return ok
}

// A stack can what all of its parts can, and nothing else; what it can conforms.
func TestStackConforms(t *testing.T) {
	capabilities := map[string]func(l gcg.Loss) bool{
		"CurvedLoss": has[gcg.CurvedLoss], "OuterLoss": has[gcg.OuterLoss], "ConjugateLoss": has[gcg.ConjugateLoss],
		"LeastSquares": has[gcg.LeastSquares],
		"BoundedLoss":  func(l gcg.Loss) bool { return has[gcg.BoundedLoss](l) || has[gcg.ConjugateLoss](l) },
	}
	for _, names := range stacks {
		rng := testRand(41)
		s, parts := stackNamed(rng, names)
		for what, can := range capabilities {
			want := true
			for _, l := range parts {
				want = want && can(l) && (what != "OuterLoss" || l.Stride() == parts[0].Stride())
			}
			if got := can(s); got != want {
				t.Errorf("%v: %s is %v, not %v", names, what, got, want)
			}
		}
		if has[interface {
			Residual32(lo int, z []float32) float64
		}](s) {
			t.Errorf("%v: float32 is claimed", names)
		}
		for _, c := range conform.Loss(s, rng) {
			if !c.OK() {
				t.Errorf("%v: %v", names, c)
			}
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Blocks of any rows, within a part or over several, add up to the whole; each part is itself.
func TestStackIsItsParts(t *testing.T) {
	for _, names := range stacks {
		rng := testRand(42)
		s, parts := stackNamed(rng, names)
		n := s.Len()
		z, r, part := normals(rng, n, 1), make([]float64, n), make([]float64, n)
		value := s.Eval(0, z, r)
		var sum float64
		lo := 0
		for _, l := range parts {
			hi := lo + l.Len()
			sum += l.Eval(0, z[lo:hi], part[lo:hi])
			lo = hi
		}
		near(t, fmt.Sprint(names, ": value"), value, sum, 1e-14)
		near(t, fmt.Sprint(names, ": value without r"), s.Eval(0, z, nil), value, 0)
		for i := range r {
			if r[i] != part[i] {
				t.Fatalf("%v: r of observation %d is %v, not %v", names, i, r[i], part[i])
			}
		}
		checkCuts(t, s, rng, z, r, value)
		if c, ok := s.(scaledConjugate); ok {
			along := c.ConjugateAlong(0, r)
			for _, by := range []float64{0, 0.4, 1, 1.5} {
				near(t, fmt.Sprint(names, ": conjugate along"), along(by), c.Conjugate(0, r, by), 1e-13)
			}
		}
		var at int
		for _, g := range s.Segments() {
			if g.Lo != at || (g.Hi-g.Lo)%g.Stride != 0 {
				t.Errorf("%v: segment %+v after observation %d", names, g, at)
			}
			at = g.Hi
		}
		if at != n {
			t.Errorf("%v: segments end at %d of %d", names, at, n)
		}
	}
}

// checkCuts evaluates a stack on blocks that start and end with any rows, of one part or of several.
func checkCuts(t *testing.T, s loss.Stacked, rng *rand.Rand, z, r []float64, value float64) {
	t.Helper()
	var rows []int
	for _, g := range s.Segments() {
		for lo := g.Lo; lo < g.Hi; lo += g.Stride {
			rows = append(rows, lo)
		}
	}
	rows = append(rows, s.Len())
	e, hess, part := normals(rng, len(z), 1), make([]float64, len(z)), make([]float64, len(z))
	curved, ok := s.(gcg.CurvedLoss)
	if ok {
		curved.HessTo(hess, 0, z, e)
	}
	var sum float64
	for i := 0; i < len(rows)-1; {
		next := min(i+1+rng.IntN(8), len(rows)-1)
		lo, hi := rows[i], rows[next]
		sum += s.Eval(lo, z[lo:hi], part[lo:hi])
		for k := lo; k < hi; k++ {
			if part[k] != r[k] {
				t.Fatalf("r of observation %d is %v in a block from %d, not %v", k, part[k], lo, r[k])
			}
		}
		if ok {
			curved.HessTo(part[lo:hi], lo, z[lo:hi], e[lo:hi])
			for k := lo; k < hi; k++ {
				near(t, "a product of a block", part[k], hess[k], 1e-15)
			}
		}
		i = next
	}
	near(t, "value over blocks", sum, value, 1e-13)
}

// A stack of squared losses is one with weights, or without where none has any.
func TestStackOfSquares(t *testing.T) {
	rng := testRand(43)
	for _, c := range []struct {
		names []string
		plain bool
	}{{[]string{"squared", "squared"}, true}, {[]string{"mean", "weighted", "squared"}, false}} {
		s, _ := stackNamed(rng, c.names)
		q := s.(gcg.LeastSquares)
		if plain := q.Weights() == nil; plain != c.plain {
			t.Errorf("%v: weights %v", c.names, q.Weights())
		}
		one := &loss.Squared{Y: q.Target(), Omega: q.Weights()}
		z, r, want := normals(rng, s.Len(), 1), make([]float64, s.Len()), make([]float64, s.Len())
		near(t, "value", s.Eval(0, z, r), q.Scale()*one.Eval(0, z, want), 1e-14)
		for i := range r {
			near(t, "derivative", r[i], q.Scale()*want[i], 1e-14)
		}
	}
}

// The original of a stack is that of its parts; a width is set in those that have one.
func TestStackOriginal(t *testing.T) {
	rng := testRand(44)
	s, parts := stackNamed(rng, []string{"squared", "groups", "l1"})
	if s.Width() != 0.5 {
		t.Errorf("width %v", s.Width())
	}
	s.SetWidth(1e-3)
	z := normals(rng, s.Len(), 1)
	want := parts[0].Eval(0, z[:24], nil)
	for g := range 4 {
		want += 0.7 * gcg.Norm(z[24+5*g:24+5*g+5])
	}
	for _, x := range z[44:] {
		want += 0.7 * math.Abs(x)
	}
	near(t, "original", gcg.Original(s).Eval(0, z, nil), want, 1e-14)
	if smooth := s.Eval(0, z, nil); s.Width() != 1e-3 || smooth >= want || smooth < want-0.05 {
		t.Errorf("width %v: %v below %v", s.Width(), smooth, want)
	}
	plain, _ := stackNamed(rng, []string{"squared", "huber"})
	if plain.Original() != nil || gcg.Original(plain) != gcg.Loss(plain) || plain.Width() != 0 {
		t.Error("a stack that smooths nothing has another original")
	}
}

// The part that is wrong is named.
func TestStackChecks(t *testing.T) {
	err := loss.Stack(&loss.Squared{Y: []float64{1}}, &loss.Squared{Y: []float64{math.NaN()}}).Check()
	if err == nil || !strings.HasPrefix(err.Error(), "part 2 of the stack: loss: the target of observation 1") {
		t.Errorf("got %v", err)
	}
}
