package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rowCase is one row's data: small integers, with repeated columns, in slices that start off elements into an array.
type rowCase[T Real] struct {
	k, n       int
	u, du, gu  []T
	v, dv, gv  []T
	x, r, z, w []T
	cols       []int32
	check      func(t *testing.T, name string)
}

func newRowCase[T Real](seed uint64, k, n, off int) *rowCase[T] {
	return newRowCaseOf[T](seed, k, n, off, 1+int(seed*2654435761>>8)%(2*n+3))
}

func newRowCaseOf[T Real](seed uint64, k, n, off, rows int) *rowCase[T] {
	rng := rand.New(rand.NewPCG(seed, uint64(k*1000+n)))
	c := &rowCase[T]{k: k, n: n, cols: make([]int32, n+off)[off:]}
	for e := range c.cols {
		c.cols[e] = int32(rng.IntN(rows))
		if e > 0 && rng.IntN(4) == 0 {
			c.cols[e] = c.cols[e-1-rng.IntN(min(e, 3))]
		}
	}
	var checks []func(*testing.T, string)
	guard := func(n int) []T {
		s, check := guarded[T](rng, n, off)
		checks = append(checks, check)
		return s
	}
	c.u, c.du, c.gu = guard(k), guard(k), guard(k)
	c.v, c.dv, c.gv = guard(rows*k), guard(rows*k), guard(rows*k)
	c.x, c.r, c.z, c.w = guard(n), guard(n), guard(n), guard(n)
	c.check = func(t *testing.T, name string) {
		t.Helper()
		for _, check := range checks {
			check(t, name)
		}
	}
	return c
}

// alone is the row as the only one of several.
func (c *rowCase[T]) alone() *rowsCase[T] {
	return &rowsCase[T]{rowCase: c, ptr: []int64{0, int64(len(c.cols))}, u: c.u, du: c.du, gu: c.gu}
}

// naive is the twin of all row kernels: one entry and one column at a time.
func (c *rowCase[T]) naive(entry func(e int, u, du, gu, v, dv, gv []T)) {
	k := c.k
	for e, j := range c.cols {
		lo, hi := int(j)*k, int(j)*k+k
		entry(e, c.u, c.du, c.gu, c.v[lo:hi], c.dv[lo:hi], c.gv[lo:hi])
	}
}

func naiveDot[T Real](a, b []T) (s T) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func naiveAxpy[T Real](a T, x, y []T) {
	for i := range x {
		y[i] += a * x[i]
	}
}

// rowKernel names a kernel of rows, calls it, and computes the same for one row by the naive twin.
type rowKernel[T Real] struct {
	name string
	fast func(c *rowsCase[T]) float64
	slow func(c *rowCase[T]) float64
}

func rowKernels[T Real]() []rowKernel[T] {
	return []rowKernel[T]{
		{"DotRows", func(c *rowsCase[T]) float64 {
			DotRows(c.z, c.u, c.v, c.k, c.ptr, c.cols)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(e int, u, _, _, v, _, _ []T) { c.z[e] = naiveDot(u, v) })
				return 0
			}},
		{"ResidualRows", func(c *rowsCase[T]) float64 {
			return ResidualRows(c.r, c.u, c.v, c.k, c.ptr, c.cols, c.x)
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(e int, u, _, _, v, _, _ []T) { c.r[e] = c.x[e] - naiveDot(u, v) })
				return float64(naiveDot(c.r, c.r))
			}},
		{"GradientRows", func(c *rowsCase[T]) float64 {
			return GradientRows(c.r, c.u, c.gu, c.v, c.k, c.ptr, c.cols, c.x)
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(e int, u, _, gu, v, _, _ []T) {
					c.r[e] = c.x[e] - naiveDot(u, v)
					naiveAxpy(c.r[e], v, gu)
				})
				return float64(naiveDot(c.r, c.r))
			}},
		{"HessRows", func(c *rowsCase[T]) float64 {
			HessRows(c.gu, c.gv, c.u, c.du, c.v, c.dv, c.k, c.ptr, c.cols, c.r)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(n int, u, du, gu, v, dv, gv []T) {
					e := naiveDot(du, v) + naiveDot(u, dv)
					naiveAxpy(e, v, gu)
					naiveAxpy(-c.r[n], dv, gu)
					naiveAxpy(e, u, gv)
					naiveAxpy(-c.r[n], du, gv)
				})
				return 0
			}},
		{"CoreRows", func(c *rowsCase[T]) float64 {
			CoreRows(c.gu, c.u, c.v, c.k, c.ptr, c.cols)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(_ int, u, _, gu, v, _, _ []T) { naiveAxpy(naiveDot(u, v), v, gu) })
				return 0
			}},
		{"ColumnRows", func(c *rowsCase[T]) float64 {
			ColumnRows(c.gv, c.u, c.v, c.k, c.ptr, c.cols)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(_ int, u, _, _, v, _, gv []T) { naiveAxpy(naiveDot(u, v), u, gv) })
				return 0
			}},
		{"SpmmRows", func(c *rowsCase[T]) float64 {
			SpmmRows(c.gu, c.gv, c.u, c.v, c.k, c.ptr, c.cols, c.r)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(e int, u, _, gu, v, _, gv []T) {
					naiveAxpy(c.r[e], v, gu)
					naiveAxpy(c.r[e], u, gv)
				})
				return 0
			}},
		{"GatherRows", func(c *rowsCase[T]) float64 {
			GatherRows(c.gu, c.v, c.k, c.ptr, c.cols, c.r)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(e int, _, _, gu, v, _, _ []T) { naiveAxpy(c.r[e], v, gu) })
				return 0
			}},
		{"ScatterRows", func(c *rowsCase[T]) float64 {
			ScatterRows(c.gv, c.u, c.k, c.ptr, c.cols, c.r)
			return 0
		},
			func(c *rowCase[T]) float64 {
				c.naive(func(e int, u, _, _, _, _, gv []T) { naiveAxpy(c.r[e], u, gv) })
				return 0
			}},
	}
}

func testRows[T Real](t *testing.T) {
	seed := uint64(0)
	for _, kernel := range rowKernels[T]() {
		for k := 8; k <= 136; k += 8 {
			for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 15, 16, 17, 23, 24, 31, 33, 64, 77} {
				seed++
				off := int(seed % 4)
				got, want := newRowCase[T](seed, k, n, off), newRowCase[T](seed, k, n, off)
				name := fmt.Sprintf("%s k=%d n=%d off=%d", kernel.name, k, n, off)
				same(t, kernel, got, want, name)
			}
		}
	}
}

// same runs a kernel and its twin on equal data, and compares all they touch.
func same[T Real](t *testing.T, kernel rowKernel[T], got, want *rowCase[T], name string) {
	t.Helper()
	loss := kernel.fast(got.alone())
	if exact := kernel.slow(want); loss != exact {
		t.Fatalf("%s: returned %v, want %v", name, loss, exact)
	}
	got.check(t, name)
	equal(t, name+" gu", got.gu, want.gu)
	equal(t, name+" gv", got.gv, want.gv)
	equal(t, name+" r", got.r, want.r)
	equal(t, name+" z", got.z, want.z)
	equal(t, name+" v", got.v, want.v)
	equal(t, name+" x", got.x, want.x)
}

// Above some 12 MB the assembly prefetches.
func testRowsFar[T Real](t *testing.T) {
	const k, n = 24, 77
	rows := (13<<20)/(4*k) + 1
	got, want := newRowCaseOf[T](1, k, n, 1, rows), newRowCaseOf[T](1, k, n, 1, rows)
	for _, kernel := range rowKernels[T]() {
		same(t, kernel, got, want, kernel.name+" in a large matrix")
		for _, c := range []*rowCase[T]{got, want} { // small again: further sums stay exact
			clear(c.gu)
			clear(c.gv)
			copy(c.r, c.x)
		}
	}
}

func TestRowKernelsFar(t *testing.T) { each(t, testRowsFar[float64], testRowsFar[float32]) }

func TestRowKernels(t *testing.T) { each(t, testRows[float64], testRows[float32]) }

// epsilon is the distance from 1 to the next number.
func epsilon[T Real]() T {
	eps := T(1)
	for 1+eps/2 != 1 {
		eps /= 2
	}
	return eps
}

// In general data the sums round; they must round the same wherever the slices lie, and stay near the naive twin.
func testRowsReal[T Real](t *testing.T) {
	eps := epsilon[T]()
	for _, kernel := range rowKernels[T]() {
		for _, k := range []int{8, 24, 40, 128} {
			var last []T
			for off := range 3 {
				got, want := newRowCase[T](5, k, 61, off), newRowCase[T](5, k, 61, off)
				rng := rand.New(rand.NewPCG(1, 2))
				for i, s := range [][]T{got.u, got.du, got.v, got.dv, got.x, got.r} {
					for l := range s {
						s[l] = T(rng.Float64() - 0.5)
						[][]T{want.u, want.du, want.v, want.dv, want.x, want.r}[i][l] = s[l]
					}
				}
				kernel.fast(got.alone())
				kernel.slow(want)
				all := append(append(append(append([]T(nil), got.gu...), got.gv...), got.z...), got.r...)
				ref := append(append(append(append([]T(nil), want.gu...), want.gv...), want.z...), want.r...)
				for i := range ref {
					if d := all[i] - ref[i]; max(d, -d) > 400*eps {
						t.Fatalf("%s k=%d: %v, naive twin %v", kernel.name, k, all[i], ref[i])
					}
				}
				if last != nil {
					equal(t, kernel.name+" moved in memory", all, last)
				}
				last = all
			}
		}
	}
}

func TestRowKernelsReal(t *testing.T) { each(t, testRowsReal[float64], testRowsReal[float32]) }
