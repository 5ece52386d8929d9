package support

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A face is a set of x on which the gauges w_b‖x_b‖_∞ of all blocks are linear. In each block that is not 0 the largest
// entries keep their signs and one modulus, x_i = s_i r_b, and the others move freely; blocks at 0 stay. Its variables z are
// the r_b and the free entries: x = E z.
type face struct {
	m     *blockModel
	of    []int     // the variable of an entry, or -1 where it stays
	sign  []float64 // of an entry in its variable
	count []float64 // of entries, by variables: the diagonal of EᵀE
}

// mostFaced bounds the variables of a face, n of which take 4n² bytes and n³/3 flops.
const mostFaced = 4000

// faces says that the gauge of blocks is linear on such faces.
func (u *support) faces() bool {
	if u.largest == nil || len(u.keys) == 0 {
		return false
	}
	_, ok := u.largest.BlockLargest(u.keys[0], u.start[1])
	return ok
}

// newFace is the face that x lies in.
func (m *blockModel) newFace(x []float64) *face {
	f := &face{m: m, of: make([]int, len(x)), sign: make([]float64, len(x))}
	for b := range m.u.keys {
		f.add(m.u.start[b], m.u.block(x, b))
	}
	return f
}

// add gives the entries of a block, those from lo on, their variables.
func (f *face) add(lo int, block []float64) {
	top, level := linalg.MaxAbs(block), -1
	for i, v := range block {
		switch {
		case top == 0:
			f.of[lo+i] = -1
		case math.Abs(v) == top:
			if level < 0 {
				level = f.variable()
			}
			f.join(lo+i, level, math.Copysign(1, v))
		default:
			f.join(lo+i, f.variable(), 1)
		}
	}
}

// variable adds one.
func (f *face) variable() int {
	f.count = append(f.count, 0)
	return len(f.count) - 1
}

// join makes entry i a multiple of a variable.
func (f *face) join(i, variable int, sign float64) {
	f.of[i], f.sign[i] = variable, sign
	f.count[variable]++
}

// gather is Eᵀv, for v in the order of the parts.
func (f *face) gather(v []float64) []float64 {
	z := make([]float64, len(f.count))
	for i, a := range f.of {
		if a >= 0 {
			z[a] += f.sign[i] * v[f.m.hess.Place[i]]
		}
	}
	return z
}

// expand is E z.
func (f *face) expand(z []float64) []float64 {
	x := make([]float64, len(f.of))
	for i, a := range f.of {
		if a >= 0 {
			x[i] = f.sign[i] * z[a]
		}
	}
	return x
}

// solve is (EᵀE + σEᵀHE)⁻¹ z, in the memory of z, or nil where rounding has left that matrix indefinite.
func (f *face) solve(sigma float64, z []float64) []float64 {
	l, row := linalg.NewLower(len(f.count)), make([]float64, len(f.count))
	for q, entries := range f.active() {
		for at := 0; at < len(entries); {
			a := entries[at].variable
			clear(row[:a+1])
			for ; at < len(entries) && entries[at].variable == a; at++ {
				f.addRow(row, q, entries, entries[at])
			}
			for b := 0; b <= a; b += linalg.PanelWidth {
				for e, x := range row[b:min(a+1, b+linalg.PanelWidth)] {
					l.Row(a, b)[e] += sigma * x
				}
			}
		}
	}
	for a, n := range f.count {
		l.Row(a, a)[a%linalg.PanelWidth] += n
	}
	if !l.Cholesky() {
		return nil
	}
	l.Solve(z)
	return z
}

// A moving is an entry of a part of H that moves, with its place there.
type moving struct {
	at, variable int
	sign         float64
}

// active lists the entries that move in each part, sorted by variable.
func (f *face) active() [][]moving {
	all := make([][]moving, len(f.m.hess.Members))
	for q, part := range f.m.hess.Members {
		for at, i := range part {
			if a := f.of[i]; a >= 0 {
				all[q] = append(all[q], moving{at, a, f.sign[i]})
			}
		}
		slices.SortStableFunc(all[q], func(x, y moving) int { return x.variable - y.variable })
	}
	return all
}

// addRow adds what entry e contributes to the row of EᵀHE for its variable, up to the diagonal.
func (f *face) addRow(row []float64, q int, entries []moving, e moving) {
	n := len(f.m.hess.Members[q])
	h := f.m.hess.Hess[q][e.at*n : (e.at+1)*n]
	for _, o := range entries {
		if o.variable > e.variable {
			return
		}
		row[o.variable] += e.sign * o.sign * h[o.at]
	}
}
