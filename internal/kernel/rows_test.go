package kernel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// rowsCase is the data of several rows: entries as in rowCase, of which the first few belong to no row, and vectors for each.
type rowsCase[T Real] struct {
	*rowCase[T]
	ptr       []int64
	u, du, gu []T
	check     func(t *testing.T, name string)
}

func newRowsCase[T Real](seed uint64, k, rows, longest int) *rowsCase[T] {
	return newRowsCaseOf[T](seed, k, rows, longest, 50)
}

// newRowsCaseOf has a v of so many rows.
func newRowsCaseOf[T Real](seed uint64, k, rows, longest, of int) *rowsCase[T] {
	rng := rand.New(rand.NewPCG(seed, 3))
	ptr := []int64{int64(seed % 3)}
	for range rows {
		ptr = append(ptr, ptr[len(ptr)-1]+int64(max(0, rng.IntN(longest+3)-2)))
	}
	c := &rowsCase[T]{rowCase: newRowCaseOf[T](seed, k, int(ptr[rows])+2, 1, of), ptr: ptr}
	checks := []func(*testing.T, string){c.rowCase.check}
	for _, s := range []*[]T{&c.u, &c.du, &c.gu} {
		var check func(*testing.T, string)
		*s, check = guarded[T](rng, rows*k, 1)
		checks = append(checks, check)
	}
	c.check = func(t *testing.T, name string) {
		t.Helper()
		for _, check := range checks {
			check(t, name)
		}
	}
	return c
}

// eachRow hands the rows to a naive row kernel, one by one.
func (c *rowsCase[T]) eachRow(slow func(*rowCase[T]) float64) (loss float64) {
	for i := range len(c.ptr) - 1 {
		lo, hi, at := c.ptr[i], c.ptr[i+1], i*c.k
		loss += slow(&rowCase[T]{k: c.k, n: int(hi - lo), u: c.u[at : at+c.k], du: c.du[at : at+c.k], gu: c.gu[at : at+c.k],
			v: c.v, dv: c.dv, gv: c.gv, x: c.x[lo:hi], r: c.r[lo:hi], z: c.z[lo:hi], cols: c.cols[lo:hi]})
	}
	return loss
}

func testSeveralRows[T Real](t *testing.T) {
	for _, kernel := range rowKernels[T]() {
		for _, shape := range [][3]int{{8, 0, 0}, {8, 1, 20}, {16, 40, 3}, {24, 30, 12}, {32, 9, 40}, {64, 20, 9}, {72, 10, 25},
			{8, 6000, 8}, {16, 5, 9000}} {
			k, rows, longest := shape[0], shape[1], shape[2]
			got, want := newRowsCase[T](7, k, rows, longest), newRowsCase[T](7, k, rows, longest)
			if rows >= 5000 || longest >= 9000 { // more than one call
				if n := cut(got.ptr); n >= rows {
					t.Fatalf("%d rows of up to %d entries are one call: nothing is tested", rows, longest)
				}
			}
			loss := kernel.fast(got)
			name := fmt.Sprintf("%s k=%d rows=%d", kernel.name, k, rows)
			if exact := want.eachRow(kernel.slow); loss != exact {
				t.Fatalf("%s: returned %v, want %v", name, loss, exact)
			}
			got.check(t, name)
			equal(t, name+" gu", got.gu, want.gu)
			equal(t, name+" gv", got.gv, want.gv)
			equal(t, name+" r", got.r, want.r)
			equal(t, name+" z", got.z, want.z)
			equal(t, name+" u", got.u, want.u)
		}
	}
}

func TestSeveralRows(t *testing.T) { each(t, testSeveralRows[float64], testSeveralRows[float32]) }

func testSeveralRowsMisuse[T Real](t *testing.T) {
	for what, c := range map[string]struct {
		word  string
		spoil func(*rowsCase[T])
	}{
		"descending": {"ptr[3] =", func(c *rowsCase[T]) { c.ptr[3] = c.ptr[2] - 1 }},
		"negative":   {"ptr[0] = -1", func(c *rowsCase[T]) { c.ptr[0] = -1 }},
		"too far":    {"ptr[9] =", func(c *rowsCase[T]) { c.ptr[9] = 1 << 40 }},
		"column":     {"outside the 50 rows", func(c *rowsCase[T]) { c.cols[c.ptr[5]] = 50 }},
		"short u":    {"u has", func(c *rowsCase[T]) { c.u = c.u[:len(c.u)-1] }},
		"stride":     {"multiple of 8", func(c *rowsCase[T]) { c.k = 9 }},
	} {
		for _, kernel := range rowKernels[T]() {
			if what == "short u" && kernel.name == "GatherRows" { // it has none
				continue
			}
			data := newRowsCase[T](8, 16, 9, 30)
			c.spoil(data)
			func() {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(got, c.word) && got != "<nil>" {
						t.Errorf("%s, %s: panic %q, want %q", kernel.name, what, got, c.word)
					}
				}()
				kernel.fast(data)
				t.Errorf("%s, %s: no panic", kernel.name, what)
			}()
			data.check(t, what)
		}
	}
}

func TestSeveralRowsMisuse(t *testing.T) {
	each(t, testSeveralRowsMisuse[float64], testSeveralRowsMisuse[float32])
}
