package gauge_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
)

// The pairs that come besides the atoms are the next ones, of a tall map and of a wide one.
func TestRightVectorsFollowTheAtoms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	g := reflected{unitVector(rng, 500), unitVector(rng, 400), make([]float64, 400)}
	for i := range g.s {
		g.s[i] = math.Pow(0.9, float64(i))
	}
	for _, m := range []gcg.Map{g, turned{g}} {
		rows, cols := m.Dims()
		ask := gcg.Ask{Count: 5, Above: 0.3, Tol: 1e-3, OutsideW: true, Seed: 2}
		p, err := gauge.Trace{}.Polar(context.Background(), m, ask)
		if err != nil || p.Complement().Right != nil {
			t.Fatalf("pairs that were not asked for, or %v", err)
		}
		ask.Spectral.Right = 3
		if p, err = (gauge.Trace{}).Polar(context.Background(), m, ask); err != nil || p.Complement().Right == nil ||
			p.Complement().Right.Rows != cols || p.Complement().Right.K != 3 {
			t.Fatalf("%d×%d: %+v, %v", rows, cols, p.Complement().Right, err)
		}
		x, y := make([]float64, cols), make([]float64, rows)
		for c := range 3 {
			p.Complement().Right.ColumnTo(x, c)
			m.MulTo(y, x)
			if got, want := gcg.Norm(y)/gcg.Norm(x), g.s[5+c]; math.Abs(got-want) > 0.01*want {
				t.Errorf("%d×%d: pair %d attains %v, want %v", rows, cols, c, got, want)
			}
		}
	}
}

// What is known to lie beyond the atoms is the next singular value, where all atoms that attain enough were found, and nothing
// where more of them were not asked for.
func TestBeyondTheAtoms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	for _, scale := range []float64{1, 1e-200} {
		g := reflected{unitVector(rng, 500), unitVector(rng, 400), make([]float64, 400)}
		for i := range g.s {
			g.s[i] = scale * math.Pow(0.9, float64(i))
		}
		for count, want := range map[int]float64{5: 0, 20: g.s[12]} { // 0.9¹¹ is above 0.3, 0.9¹² below
			ask := gcg.Ask{Count: count, Above: 0.3 * scale, Tol: 1e-3, OutsideW: true, Seed: 2}
			p, err := gauge.Trace{}.Polar(context.Background(), g, ask)
			if err != nil || math.Abs(p.Complement().Norm-g.s[0]) > 1e-3*g.s[0] || math.Abs(p.Complement().Next-want) > 0.01*want {
				t.Errorf("%d atoms of scale %g: %v outside, %v beyond the %d atoms, want %v and %v; %v", count, scale, p.Complement().Norm,
					p.Complement().Next, p.Count(), g.s[0], want, err)
			}
		}
	}
}
