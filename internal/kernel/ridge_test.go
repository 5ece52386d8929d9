package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// ridgeCase is ridge regressions of several rows with the vectors of their conjugate gradients.
type ridgeCase struct {
	*rowsCase[float32]
	g, d, h, z                  []float32
	mean                        []float32
	counts, ridge, old, squares []float32
	checkVectors                func(t *testing.T, name string)
}

func newRidgeCase(k, rows, longest int) *ridgeCase {
	c := &ridgeCase{rowsCase: newRowsCase[float32](5, k, rows, longest)}
	rng := rand.New(rand.NewPCG(3, 3))
	var checks []func(*testing.T, string)
	for _, v := range []struct {
		to *[]float32
		n  int
	}{{&c.g, rows * k}, {&c.d, rows * k}, {&c.h, rows * k}, {&c.counts, rows}, {&c.ridge, rows}, {&c.old, rows},
		{&c.squares, rows}, {&c.mean, k}, {&c.z, len(c.cols)}} {
		var check func(*testing.T, string)
		*v.to, check = guarded[float32](rng, v.n, 1)
		checks = append(checks, check)
	}
	for i := range rows {
		c.counts[i], c.ridge[i] = float32(c.ptr[i+1]-c.ptr[i]), float32(1+i%3)
	}
	for l := range c.mean {
		c.mean[l] = float32(1+l%3) / 2
	}
	for i := range c.v { // near what makes P well conditioned
		c.v[i] = float32(rng.NormFloat64())
	}
	for i := range c.u {
		c.u[i] = float32(rng.NormFloat64())
	}
	c.checkVectors = func(t *testing.T, name string) {
		t.Helper()
		for _, check := range checks {
			check(t, name)
		}
	}
	return c
}

// steps takes so many, the last of which asks nothing of the gradient, or not so.
func (c *ridgeCase) steps(steps int, last bool) (square, gain float64) {
	clear(c.g)
	square = GradientRows(c.z, c.u, c.g, c.v, c.k, c.ptr, c.cols, c.x)
	RidgeBegin(c.u, c.g, c.d, c.h, c.mean, c.k, c.counts, c.ridge, c.old)
	for left := steps; left > 0; left-- {
		if left > 1 || !last {
			CoreRows(c.h, c.d, c.v, c.k, c.ptr, c.cols)
			gain += RidgeStep(c.u, c.g, c.d, c.h, c.mean, c.k, c.counts, c.ridge, c.old)
			continue
		}
		DotRows(c.z, c.d, c.v, c.k, c.ptr, c.cols)
		for i := range c.squares {
			c.squares[i] = 0
			for _, z := range c.z[c.ptr[i]:c.ptr[i+1]] {
				c.squares[i] += z * z
			}
		}
		gain += RidgeLast(c.u, c.d, c.h, c.k, c.ridge, c.old, c.squares)
	}
	return square, gain
}

// objective of all rows, and the sum of the squares of the residuals in it.
func (c *ridgeCase) objective() (f, square float64) {
	for i := range len(c.ptr) - 1 {
		u := c.u[i*c.k:][:c.k]
		for e := c.ptr[i]; e < c.ptr[i+1]; e++ {
			r := float64(c.x[e] - naiveDot(u, c.v[int(c.cols[e])*c.k:][:c.k]))
			square += r * r
		}
		f += float64(c.ridge[i]) / 2 * float64(naiveDot(u, u))
	}
	return f + square/2, square
}

// What steps gain is the difference of the objectives, and enough of them solve the normal equations, rows without entries too.
func testRidge(t *testing.T) {
	eps := float64(epsilon[float32]())
	for _, shape := range [][3]int{{8, 1, 20}, {16, 9, 40}, {24, 40, 3}, {40, 5, 90}, {16, 0, 0}} {
		for _, steps := range []int{0, 1, 2, 3, 300} {
			for _, last := range []bool{false, true} {
				c := newRidgeCase(shape[0], shape[1], shape[2])
				name := fmt.Sprintf("k=%d rows=%d, %d steps, last %t", c.k, shape[1], steps, last)
				before, wantSquare := c.objective()
				square, gain := c.steps(steps, last)
				after, _ := c.objective()
				if math.Abs(square-wantSquare) > 1e3*eps*wantSquare || math.Abs(gain-(before-after)) > 1e4*eps*before {
					t.Errorf("%s: square %v, want %v; gain %v, want %v", name, square, wantSquare, gain, before-after)
				}
				c.check(t, name)
				c.checkVectors(t, name)
				if steps == 300 {
					c.solved(t, name, 1e4*eps)
				}
			}
		}
	}
}

func (c *ridgeCase) solved(t *testing.T, name string, tol float64) {
	t.Helper()
	for i := range len(c.ptr) - 1 {
		u := c.u[i*c.k:][:c.k]
		for l := range u {
			g, size := -c.ridge[i]*u[l], float32(1)
			for e := c.ptr[i]; e < c.ptr[i+1]; e++ {
				v := c.v[int(c.cols[e])*c.k:][:c.k]
				g += (c.x[e] - naiveDot(u, v)) * v[l]
				size += float32(math.Abs(float64(c.x[e] * v[l])))
			}
			if !(math.Abs(float64(g)) <= tol*float64(size)) {
				t.Errorf("%s: gradient %v of row %d in column %d", name, g, i, l)
			}
		}
	}
}

func TestRidge(t *testing.T) { each(t, nil, testRidge) }

// A step is that of plain Go, but for rounding.
func testRidgeSteps(t *testing.T) {
	eps := float64(epsilon[float32]())
	near := func(name string, got, want []float32) {
		t.Helper()
		for i := range got {
			if !(math.Abs(float64(got[i]-want[i])) <= 1e3*eps*math.Max(1, math.Abs(float64(want[i])))) {
				t.Fatalf("%s[%d] = %v, want %v", name, i, got[i], want[i])
			}
		}
	}
	for _, k := range []int{8, 16, 40} {
		got, want := newRidgeCase(k, 7, 30), newRidgeCase(k, 7, 30)
		old := clone(got.u)
		RidgeBegin(got.u, got.g, got.d, got.h, got.mean, k, got.counts, got.ridge, got.old)
		beginRowsPlain(want.u, want.g, want.d, want.h, want.mean, k, want.counts, want.ridge, want.old)
		near("g", got.g, want.g)
		near("d", got.d, want.d)
		near("h", got.h, want.h)
		near("old", got.old, want.old)
		equal(t, "u", got.u, old)
		got.old[3], want.old[3] = 0, 0 // a row that is solved stays
		gain := RidgeStep(got.u, got.g, got.d, got.h, got.mean, k, got.counts, got.ridge, got.old)
		wantGain := stepRowsPlain(want.u, want.g, want.d, want.h, want.mean, k, want.counts, want.ridge, want.old)
		near("gain", []float32{float32(gain)}, []float32{float32(wantGain)})
		near("u", got.u, want.u)
		near("d", got.d, want.d)
		near("h", got.h, want.h)
		near("old", got.old, want.old)
		equal(t, "u of a row that is solved", got.u[3*k:4*k], old[3*k:4*k])
	}
}

func TestRidgeSteps(t *testing.T) { each(t, nil, testRidgeSteps) }

func testRidgeMisuse(t *testing.T) {
	expect := expectation(t)
	x, short, one := make([]float32, 16), make([]float32, 15), make([]float32, 1)
	expect("k", "multiple of 8", func() { RidgeBegin(x, x, x, x, x, 12, one, one, one) })
	for at, name := range []string{"u", "g", "d", "h"} {
		v := [][]float32{x, x, x, x}
		v[at] = short
		says := "slice " + name + " "
		expect(name, says, func() { RidgeBegin(v[0], v[1], v[2], v[3], x, 16, one, one, one) })
		expect(name, says, func() { RidgeStep(v[0], v[1], v[2], v[3], x, 16, one, one, one) })
		if name != "g" {
			expect(name, says, func() { RidgeLast(v[0], v[2], v[3], 16, one, one, one) })
		}
	}
	expect("counts", "slice counts", func() { RidgeStep(x, x, x, x, x, 16, nil, one, one) })
	expect("old", "slice old", func() { RidgeStep(x, x, x, x, x, 16, one, one, nil) })
	expect("mean", "slice mean", func() { RidgeStep(x, x, x, x, short, 16, one, one, one) })
	expect("counts", "slice counts", func() { RidgeBegin(x, x, x, x, x, 16, nil, one, one) })
	expect("old", "slice old", func() { RidgeLast(x, x, x, 16, one, nil, one) })
	expect("squares", "slice squares", func() { RidgeLast(x, x, x, 16, one, one, nil) })
}

func TestRidgeMisuse(t *testing.T) { each(t, nil, testRidgeMisuse) }
