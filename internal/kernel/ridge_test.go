package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func testPackRow[T Real](t *testing.T, s surface[T]) {
	for _, k := range []int{8, 16, 24, 40, 128} {
		for n := range 40 {
			c := newRowCase[T](uint64(n), k, n, n%3)
			padded := (n + RidgeBlock - 1) / RidgeBlock * RidgeBlock
			dims := k - n%3/2*4
			p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), padded*dims, n%2)
			s.packRow(p, c.v, make([]T, k), k, dims, c.cols)
			name := fmt.Sprintf("PackRow k=%d dims=%d n=%d", k, dims, n)
			check(t, name)
			for e := range padded {
				want := make([]T, dims)
				if e < n {
					want = c.v[int(c.cols[e])*k:][:dims]
				}
				equal(t, name, entryOf(p, dims, e), want)
			}
		}
	}
}

// entryOf is entry e of packed rows.
func entryOf[T Real](p []T, k, e int) []T {
	row := make([]T, k)
	for c := range row {
		row[c] = p[(e/RidgeBlock*k+c)*RidgeBlock+e%RidgeBlock]
	}
	return row
}

// From a v of a megabyte on, rows are prefetched; columns anywhere in it, good and bad.
func testPackRowFar[T Real](t *testing.T, s surface[T]) {
	const k, n = 16, 40
	rows := 2<<20/k/int(unsafe.Sizeof(T(0))) + 1
	c := newRowCaseOf[T](1, k, n, 1, rows)
	c.cols[n-1] = int32(rows - 1)
	for have := range n + 1 {
		p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), RidgeEntries(have)*k, 1)
		cols := c.cols[n-have:]
		s.packRow(p, c.v, make([]T, k), k, k, cols)
		check(t, fmt.Sprintf("PackRow of %d", have))
		for e, j := range cols {
			equal(t, fmt.Sprintf("PackRow of %d", have), entryOf(p, k, e), c.v[int(j)*k:][:k])
		}
	}
	expect := expectation(t)
	for at := range n {
		cols := append([]int32(nil), c.cols...)
		cols[at] = int32(rows)
		p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), RidgeEntries(n)*k, 1)
		expect("column", fmt.Sprintf("cols[%d] = %d", at, rows), func() { s.packRow(p, c.v, make([]T, k), k, k, cols) })
		check(t, "PackRow")
	}
}

func TestPackRowFar(t *testing.T) { each(t, testPackRowFar[float64], testPackRowFar[float32]) }

func TestPackRow(t *testing.T) { each(t, testPackRow[float64], testPackRow[float32]) }

// The sums of one step from integers are exact; what follows rounds.
func testRidgeRow[T Real](t *testing.T, s surface[T]) {
	eps := float64(epsilon[T]())
	for _, k := range []int{4, 8, 12, 16, 24, 36, 40, 128} {
		padded := (k + 7) &^ 7
		for _, n := range []int{0, 16, 32, 48, 80, 176} {
			for steps := range 5 {
				rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
				off := steps % 3
				u, checkU := guarded[T](rng, padded, off)
				clear(u[k:])
				p, checkP := guarded[T](rng, n*k, off)
				x, checkX := guarded[T](rng, n, off)
				work, checkWork := guarded[T](rng, RidgeWork*padded, off)
				mean := make([]T, padded)
				for c := range k {
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

// Enough steps solve the normal equations, and what any number of them gains is the difference of the objectives.
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
			r := float64(y - naiveDot(u, entryOf(p, k, e)))
			square += r * r
		}
		return square/2 + ridge/2*float64(naiveDot(u, u)), square
	}
	for _, steps := range []int{1, 2, 3, 60} {
		before, wantSquare := objective()
		square, gain := s.ridgeRow(u, p, x, mean, make([]T, RidgeWork*k), k, n, ridge, T(eps*eps), steps)
		after, _ := objective()
		if math.Abs(square-wantSquare) > 1e2*eps*square || math.Abs(gain-(before-after)) > 1e3*eps*before {
			t.Errorf("%d steps: square %v, want %v; gain %v, want %v", steps, square, wantSquare, gain, before-after)
		}
	}
	for c := range k {
		g := -ridge * u[c]
		for e, y := range x {
			row := entryOf(p, k, e)
			g += (y - naiveDot(u, row)) * row[c]
		}
		if math.Abs(float64(g)) > 1e3*eps {
			t.Errorf("gradient %v in column %d", g, c)
		}
	}
	old := clone(u)
	if _, gain := s.ridgeRow(u, p, x, mean, make([]T, RidgeWork*k), k, n, ridge, 1, 60); gain != 0 {
		t.Errorf("gain %v of no steps", gain)
	}
	equal(t, "u after no steps", u, old)
}

func TestRidgeSolves(t *testing.T) { each(t, testRidgeSolves[float64], testRidgeSolves[float32]) }

// No rows and a column that is not there.
func testRidgeMisuse[T Real](t *testing.T, s surface[T]) {
	expect := expectation(t)
	x := make([]T, 512)
	expect("rows", "multiple of 16", func() { s.ridgeRow(x[:8], x, x[:8], x, x, 8, 0, 1, 0, 1) })
	expect("u", "needs 16", func() { s.ridgeRow(x[:8], x, x[:16], x, x, 16, 0, 1, 0, 1) })
	expect("p", "needs 256", func() { s.ridgeRow(x[:16], x[:255], x[:16], x, x, 16, 0, 1, 0, 1) })
	expect("mean", "needs 16", func() { s.ridgeRow(x[:16], x, x[:16], x[:15], x, 16, 0, 1, 0, 1) })
	expect("work", "needs 320", func() { s.ridgeRow(x[:16], x, x[:16], x, x[:319], 16, 0, 1, 0, 1) })
	expect("pack", "needs 256", func() { s.packRow(x[:255], x, x, 16, 16, []int32{0, 1, 2}) })
	expect("none", "needs 16", func() { s.packRow(x, x, x[:15], 16, 16, nil) })
	for _, dims := range []int{0, 6, 20, -4} {
		expect("dims", "multiple of 4", func() { s.packRow(x, x, x, 16, dims, nil) })
	}
	expect("k", "multiple of 4", func() { s.ridgeRow(x, x, x[:16], x, x, 6, 0, 1, 0, 1) })
	for _, bad := range []int32{-1, 32, 1 << 30} {
		for at := range 24 {
			cols := make([]int32, 24)
			cols[at] = bad
			p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), 32*16, 1)
			expect("column", fmt.Sprintf("cols[%d] = %d", at, bad), func() { s.packRow(p, x, x, 16, 16, cols) })
			check(t, "PackRow")
		}
	}
}

func TestRidgeMisuse(t *testing.T) { each(t, testRidgeMisuse[float64], testRidgeMisuse[float32]) }
