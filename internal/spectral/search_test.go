package spectral

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// A listener is a map that keeps the vectors that it is multiplied with.
type listener struct {
	*denseMap
	heard [][]float64
}

func (g *listener) MulTo(dst, x []float64) {
	g.heard = append(g.heard, slices.Clone(x))
	g.denseMap.MulTo(dst, x)
}

// hearing is a bound search that begins at a diagonal matrix of which pairs are worth their cutting.
func hearing(t *testing.T, seed uint64) (*boundSearch, *listener) {
	t.Helper()
	const n = 300
	g := &listener{denseMap: diagonalMap(hiding(n)["linear+10%"])}
	s := NewStructure(g, gcg.Ask{W: inTheBulk(rand.New(rand.NewPCG(2, 7)), n, 5)})
	o := Options{Steps: 40, Small: 22, Patience: 22, Failure: 1e-3}
	return newBoundSearch(s, o, gcg.Ask{Count: 1, Tol: 1e-3, Seed: seed}), g
}

// The first run has half of the probability that a bound may fail, and every further random start half of what is left: together
// they have no more than was asked for.
func TestFailuresAreShared(t *testing.T) {
	ctx := context.Background()
	l, _ := hearing(t, 1)
	if err := l.until(ctx); err != nil {
		t.Fatal(err)
	}
	if want := likely(l.b.d.dim, l.o.Failure/2); l.b.excluded.x != want {
		t.Errorf("the first run holds where a part of the start is above %g, not %g", l.b.excluded.x, want)
	}
	if l.cuts != 1 || l.failure != l.o.Failure/4 {
		t.Errorf("after %d more starts %g is left of a probability of %g", l.cuts, l.failure, l.o.Failure)
	}
	bounds := map[float64]bool{}
	for _, left := range []float64{1e-3, 1e-100} {
		l, _ := hearing(t, 1)
		l.o.Steps = 6
		if err := l.until(ctx); err != nil {
			t.Fatal(err)
		}
		l.failure, l.bound = left, 10
		if err := l.deflate(ctx, 3, 1, 1); err != nil {
			t.Fatal(err)
		}
		if bounds[l.bound] = true; l.failure != left/2 {
			t.Errorf("a start leaves %g of a probability of %g", l.failure, left)
		}
	}
	if len(bounds) != 2 {
		t.Error("a bound with pairs cut out does not depend on the probability that is left for it")
	}
}

// A polar has half of the probability for its first start, the other half for further ones, and says what it has in all.
func TestPolarSharesItsFailure(t *testing.T) {
	ctx, differ := context.Background(), 0
	fewSteps := func(l *boundSearch) { l.o.Steps, l.ask.Tol = 7, 1e-9 } // the bound is as good as the further start tells
	for seed := range uint64(5) {
		l, _ := hearing(t, seed)
		fewSteps(l)
		bound := func(further float64) float64 {
			l, _ := hearing(t, seed)
			fewSteps(l)
			l.failure = further
			if err := l.until(ctx); err != nil || l.cuts == 0 {
				t.Fatal(l.cuts, err)
			}
			return l.bound * (1 + 1e-12)
		}
		p, _, err := l.s.Polar(ctx, l.o, l.ask)
		if want := bound(l.o.Failure / 2); err != nil || p.Bound != want || p.Failure != l.o.Failure {
			t.Errorf("start %d: the bound is %.15g with probability %g, %v; from its half for further starts it is %.15g", seed, p.Bound,
				p.Failure, err, want)
		}
		if bound(l.o.Failure) != p.Bound {
			differ++
		}
	}
	if t.Logf("%d bounds differ", differ); differ == 0 {
		t.Error("with all of the probability for further starts no bound is another: nothing is tested")
	}
}

// Every random start is another: what an earlier one has told chose the pairs that are cut out.
func TestStartsAreFresh(t *testing.T) {
	ctx := context.Background()
	l, g := hearing(t, 1)
	if err := l.b.extend(ctx, 6); err != nil {
		t.Fatal(err)
	}
	l.r, l.bound = l.b.ritz(), 10
	const pairs = 3
	x, y, _ := l.r.pairs(pairs)
	again := startKrylov(l.b.d.without(x, y), l.ask.Seed).next
	starts := [][]float64{make([]float64, again.Rows)}
	again.ColumnTo(starts[0], 0)
	for range 2 {
		g.heard = nil
		if err := l.deflate(ctx, pairs, 1, 1); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, g.heard[pairs]) // after the right vectors of the pairs
	}
	for i, a := range starts {
		if norm := gcg.Norm(a); math.Abs(norm-1) > 1e-9 {
			t.Fatalf("start %d has the norm %g", i, norm)
		}
		for j, b := range starts[:i] {
			var cosine float64
			for e := range a {
				cosine += a[e] * b[e]
			}
			if math.Abs(cosine) > 0.5 {
				t.Errorf("starts %d and %d have the cosine %g", j, i, cosine)
			}
		}
	}
}
