package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func testPackRow[T Real](t *testing.T, s surface[T]) {
	for _, k := range []int{8, 16, 24, 40, 128} {
		for n := range 14 {
			c := newRowCase[T](uint64(n), k, n, n%3)
			p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), n*k, n%2)
			s.packRow(p, c.v, k, c.cols)
			name := fmt.Sprintf("PackRow k=%d n=%d", k, n)
			check(t, name)
			for e, j := range c.cols {
				equal(t, name, p[e*k:e*k+k], c.v[int(j)*k:int(j)*k+k])
			}
		}
	}
}

func TestPackRow(t *testing.T) { each(t, testPackRow[float64], testPackRow[float32]) }

// The sums of one step from integers are exact; what follows rounds.
func testRidgeRow[T Real](t *testing.T, s surface[T]) {
	eps := float64(epsilon[T]())
	for _, k := range []int{8, 16, 24, 40, 128} {
		for _, n := range []int{0, 8, 16, 40, 136} {
			for steps := range 5 {
				rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
				off := steps % 3
				u, checkU := guarded[T](rng, k, off)
				p, checkP := guarded[T](rng, n*k, off)
				x, checkX := guarded[T](rng, n, off)
				work, checkWork := guarded[T](rng, 4*k, off)
				mean := make([]T, k)
				for c := range mean {
					mean[c] = T(c % 5)
				}
				want, wantWork := clone(u), clone(work)
				square, gain := s.ridgeRow(u, p, x, mean, work, k, 3, 7, 0, steps)
				wantSquare, wantGain := ridgeRowPlain(want, p, x, mean, wantWork, k, 3, 7, 0, steps)
				name := fmt.Sprintf("RidgeRow k=%d n=%d steps=%d", k, n, steps)
				for _, check := range []func(*testing.T, string){checkU, checkP, checkX, checkWork} {
					check(t, name)
				}
				if square != wantSquare {
					t.Fatalf("%s: square %v, want %v", name, square, wantSquare)
				}
				if math.Abs(gain-wantGain) > 1e3*eps*wantGain {
					t.Fatalf("%s: gain %v, want %v", name, gain, wantGain)
				}
				for c := range u {
					if math.Abs(float64(u[c]-want[c])) > 1e3*eps {
						t.Fatalf("%s: u[%d] = %v, want %v", name, c, u[c], want[c])
					}
				}
			}
		}
	}
}

func TestRidgeRow(t *testing.T) { each(t, testRidgeRow[float64], testRidgeRow[float32]) }

// Enough steps solve the normal equations, and the gain is the difference of the objectives.
func testRidgeSolves[T Real](t *testing.T, s surface[T]) {
	const k, n, ridge = 16, 48, 0.5
	eps := float64(epsilon[T]())
	rng := rand.New(rand.NewPCG(3, 3))
	u, p, x := make([]T, k), make([]T, n*k), make([]T, n)
	for _, s := range [][]T{u, p, x} {
		for i := range s {
			s[i] = T(rng.NormFloat64())
		}
	}
	mean := make([]T, k)
	for c := range mean {
		mean[c] = T(c) / k
	}
	objective := func() (f, square float64) {
		for e, y := range x {
			r := float64(y - naiveDot(u, p[e*k:e*k+k]))
			square += r * r
		}
		return square/2 + ridge/2*float64(naiveDot(u, u)), square
	}
	before, wantSquare := objective()
	square, gain := s.ridgeRow(u, p, x, mean, make([]T, 4*k), k, n, ridge, T(eps*eps), 60)
	after, _ := objective()
	if math.Abs(square-wantSquare) > 1e2*eps*square || math.Abs(gain-(before-after)) > 1e3*eps*before {
		t.Errorf("square %v, want %v; gain %v, want %v", square, wantSquare, gain, before-after)
	}
	for c := range k {
		g := -ridge * u[c]
		for e, y := range x {
			row := p[e*k : e*k+k]
			g += (y - naiveDot(u, row)) * row[c]
		}
		if math.Abs(float64(g)) > 1e3*eps {
			t.Errorf("gradient %v in column %d", g, c)
		}
	}
	old := clone(u)
	if _, gain = s.ridgeRow(u, p, x, mean, make([]T, 4*k), k, n, ridge, 1, 60); gain != 0 {
		t.Errorf("gain %v of no steps", gain)
	}
	equal(t, "u after no steps", u, old)
}

func TestRidgeSolves(t *testing.T) { each(t, testRidgeSolves[float64], testRidgeSolves[float32]) }

// No rows and a column that is not there.
func testRidgeMisuse[T Real](t *testing.T, s surface[T]) {
	expect := expectation(t)
	x := make([]T, 256)
	expect("rows", "multiple of 8", func() { s.ridgeRow(x[:8], x, x[:7], x, x, 8, 0, 1, 0, 1) })
	expect("u", "needs 16", func() { s.ridgeRow(x[:8], x, x[:8], x, x, 16, 0, 1, 0, 1) })
	expect("p", "needs 128", func() { s.ridgeRow(x[:16], x[:127], x[:8], x, x, 16, 0, 1, 0, 1) })
	expect("mean", "needs 16", func() { s.ridgeRow(x[:16], x, x[:8], x[:15], x, 16, 0, 1, 0, 1) })
	expect("work", "needs 64", func() { s.ridgeRow(x[:16], x, x[:8], x, x[:63], 16, 0, 1, 0, 1) })
	expect("pack", "needs 48", func() { s.packRow(x[:47], x, 16, []int32{0, 1, 2}) })
	for _, bad := range []int32{-1, 16, 1 << 30} {
		for at := range 6 {
			cols := make([]int32, 6)
			cols[at] = bad
			p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), 6*16, 1)
			expect("column", fmt.Sprintf("cols[%d] = %d", at, bad), func() { s.packRow(p, x, 16, cols) })
			check(t, "PackRow")
		}
	}
}

func TestRidgeMisuse(t *testing.T) { each(t, testRidgeMisuse[float64], testRidgeMisuse[float32]) }
