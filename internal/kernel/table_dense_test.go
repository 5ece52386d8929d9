//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

const denseHead = `
Dense kernels, by calls: microseconds a call, flops, the least bytes that have to be read and written, and the part of the limit. Where there
are no flops, memory alone is the limit. Sizes:

- Gemm: C += AB of m×n×k. Gram: of m×k.
- ExpTo: exponentials of so many elements, 33 flops each, 21 in float32. PositiveEntropy: of so many, 29 flops each.
- Rotate: n-1 rotations of rows of n. RankTwo: on n×n. Convert32, Convert64: so many to float32, to float64.

| kernel | size | μs | GF/s | GB/s | of the limit |
|---|---|---|---|---|---|
`

// call measures calls of f, in microseconds; the work is that of one.
func (w work) call(name, size string, peak float64, f func()) ratio {
	repeat := max(1, int(1e4/(w.flops/peak+(w.read+w.written)/50))) // about ten microseconds, which clocks can tell
	r := w.measure(name, size, peak, float64(repeat), func() {
		for range repeat {
			f()
		}
	})
	r.time /= 1e3
	return r
}

func uniform[T Real](n int) []T {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.Float64() - 0.5)
	}
	return x
}

// denseRatios are those of products: tall factors times small matrices, as in compressing a factorisation, and square ones.
func denseRatios[T Real](peak float64) (all []ratio) {
	elem := float64(bytesOf[T]())
	for _, d := range [][3]int{{70000, 16, 16}, {70000, 64, 64}, {20000, 200, 200}, {512, 512, 512}} {
		m, n, k := d[0], d[1], d[2]
		a, b, c := uniform[T](m*k), uniform[T](k*n), make([]T, m*n)
		product := func(name string, m, n, k int, f func()) {
			read := elem * float64(m*k+k*n+m*n)
			w := work{2 * float64(m) * float64(n) * float64(k), read, elem * float64(m*n), int(read)}
			all = append(all, w.call(named[T](name), fmt.Sprintf("%d×%d×%d", m, n, k), peak, f))
		}
		product("GemmNN", m, n, k, func() { GemmNN(c, a, b, m, n, k) })
		product("GemmNT", m, n, k, func() { GemmNT(c, a, b, m, n, k) })
		product("GemmTN", k, n, m, func() { GemmTN(b, a, c, k, n, m) })
		read := elem * float64(m*k+k*k)
		w := work{float64(m) * float64(k) * float64(k), read, elem * float64(k*k), int(read)}
		all = append(all, w.call(named[T]("Gram"), fmt.Sprintf("%d×%d", m, k), peak, func() { Gram(b, a, m, k) }))
	}
	return all
}

// expFlops are those of an exponential: a series of so many steps, a reduction of two, a shift, a product and a sum.
func expFlops(degree int) int { return 2*degree + 2*2 + 3 }

// expRatios are those of exponentials, of a series of so many steps.
func expRatios[T Real](peak float64, degree int) (all []ratio) {
	elem := float64(bytesOf[T]())
	for _, n := range []int{10, 100, 4096} {
		x, y := uniform[T](n), make([]T, n)
		bytes := elem * float64(n)
		add := func(name string, flops int, f func()) {
			w := work{float64(flops * n), bytes, bytes, max(1<<14, 2*int(bytes))}
			all = append(all, w.call(named[T](name), strconv.Itoa(n), peak, f))
		}
		add("ExpTo", expFlops(degree), func() { ExpTo(y, x) })
	}
	return all
}

// entropyFlops are those of p log p: a series of seven steps, a division, and what comes before and after.
const entropyFlops = 2*7 + 15

// entropyRatios are those of sums of p log p.
func entropyRatios(peak float64) (all []ratio) {
	for _, n := range []int{100, 4096} {
		x := uniform[float64](n)
		w := work{float64(entropyFlops * n), 8 * float64(n), 0, max(1<<14, 8*n)}
		all = append(all, w.call("PositiveEntropy64", strconv.Itoa(n), peak, func() { PositiveEntropy(x, 0.5) }))
	}
	return all
}

// reflectionRatios are those of eigenvalue decompositions.
func reflectionRatios(peak float64) (all []ratio) {
	for _, n := range []int{64, 512} {
		a, v, sin, cos := uniform[float64](n*n), uniform[float64](n), make([]float64, n-1), make([]float64, n-1)
		for i := range cos {
			cos[i] = 0.8
			sin[i] = 0.6
		}
		w := work{6 * float64(n) * float64(n-1), 8 * float64(n) * float64(n-1), 8 * float64(n) * float64(n-1), 8 * n * n}
		all = append(all, w.call("Rotate64", strconv.Itoa(n), peak, func() { Rotate(a, n, cos, sin) }))
		p, zero := make([]float64, n), make([]float64, n)
		w = work{6 * float64(n*n), 8 * float64(n*n), 8 * float64(n*n), 8 * n * n}
		all = append(all, w.call("RankTwo64", strconv.Itoa(n), peak, func() { RankTwo(p, a, n, v, v, v, zero, zero) }))
	}
	return all
}

// convertRatios are those of conversions, to float32 and from it.
func convertRatios() (all []ratio) {
	for _, n := range []int{4096, 4 << 20} {
		wide, short := uniform[float64](n), make([]float32, n)
		for _, c := range []struct {
			name          string
			read, written int
			f             func()
		}{{"Convert32", 8, 4, func() { Convert(short, wide) }}, {"Convert64", 4, 8, func() { Convert(wide, short) }}} {
			w := work{0, float64(c.read * n), float64(c.written * n), 12 * n}
			all = append(all, w.call(c.name, strconv.Itoa(n), 1, c.f))
		}
	}
	return all
}
