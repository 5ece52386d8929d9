package loss

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Softmax is the multinomial logistic loss of n rows of Classes predictions z_il each (row-major, n×Classes) [Dudik12 §4.1, Yu17
// §5.2],
//
//	L(z) = c Σᵢ ωᵢ [log Σₗ exp(z_il) - z_i,yᵢ]
//
// with c = 1 for a sum and c = 1/n for a mean over the rows. Neither value nor derivative overflows or cancels for large |z|,
// and each row of r sums to 0 but for rounding. ∇² = cω(diag π - ππᵀ) has eigenvalues of at most cω/2.
type Softmax struct {
	Labels  []int32   // yᵢ in 0 … Classes-1
	Classes int       // predictions of a row
	Omega   []float64 // weights of the rows ≥ 0, or nil for ones
	Mean    bool
}

func (l *Softmax) Len() int           { return len(l.Labels) * l.Classes }
func (l *Softmax) Stride() int        { return max(1, l.Classes) }
func (l *Softmax) Curvature() float64 { return heaviest(l.Omega) * scale(l.Mean, len(l.Labels)) / 2 }

// Check names the first label out of range, or the first weight that is negative or not finite; observations are rows.
func (l *Softmax) Check() error {
	if l.Classes < 2 {
		return fmt.Errorf("loss: Classes is %d; a classification needs at least 2 classes", l.Classes)
	}
	if len(l.Labels) == 0 {
		return fmt.Errorf("loss: there are no observations")
	}
	for i, y := range l.Labels {
		if y < 0 || int(y) >= l.Classes {
			return fmt.Errorf("loss: the label of observation %d is %d; it must be in 0 … %d", i+1, y, l.Classes-1)
		}
	}
	return checkWeights(l.Omega, len(l.Labels))
}

// rows is the first row of a block of n predictions from lo, and how many it has.
func (l *Softmax) rows(lo, n int) (row, count int) {
	if lo%l.Classes != 0 || n%l.Classes != 0 {
		panic(fmt.Sprintf("loss: a block of %d predictions from %d cuts a row of %d classes", n, lo, l.Classes))
	}
	return lo / l.Classes, n / l.Classes
}

// run is how many predictions are handled at a time where a loss needs room for intermediate values: they stay in the
// first-level cache, and one call of a kernel serves them all.
const run = 512

// wideRow is the number of classes from which a kernel's call for each row is faster than a loop over rows and a call for all of
// them.
const wideRow = 16

// exponentials writes e = exp(z - top) for whole rows, top their largest element, and drop = top - z_y for each row.
func (l *Softmax) exponentials(e, drop, z []float64, labels []int32) {
	for i, y := range labels {
		zi, ei := z[i*l.Classes:(i+1)*l.Classes], e[i*l.Classes:(i+1)*l.Classes]
		if l.Classes >= wideRow {
			top := kernel.Max(zi)
			drop[i] = top - zi[y]
			kernel.ExpShiftTo(ei, zi, top)
			continue
		}
		top := slices.Max(zi)
		drop[i] = top - zi[y]
		for k, x := range zi {
			ei[k] = x - top
		}
	}
	if l.Classes < wideRow {
		kernel.ExpTo(e, e[:len(labels)*l.Classes])
	}
}

// batches calls f on rows at … at+len(labels)-1 of a block, with their exponentials.
func (l *Softmax) batches(row, count int, z []float64, f func(at int, e, drop []float64, labels []int32)) {
	size := min(count, max(1, run/l.Classes))
	buf := memory.Borrow[float64](size * (l.Classes + 1))
	defer memory.Repay(buf)
	e, drop := buf[:size*l.Classes], buf[size*l.Classes:]
	for at := 0; at < count; at += size {
		n := min(size, count-at)
		labels := l.Labels[row+at : row+at+n]
		l.exponentials(e, drop, z[at*l.Classes:(at+n)*l.Classes], labels)
		f(at, e[:n*l.Classes], drop, labels)
	}
}

func (l *Softmax) Eval(lo int, z, r []float64) float64 {
	row, count := l.rows(lo, len(z))
	c := scale(l.Mean, len(l.Labels))
	var value float64
	l.batches(row, count, z, func(at int, e, drop []float64, labels []int32) {
		for i, y := range labels {
			ei := e[i*l.Classes : (i+1)*l.Classes]
			w := c * weight(l.Omega, row+at+i)
			own := ei[y]
			ei[y] = 0
			others := sum(ei)
			// Both terms are positive: nothing cancels where a row is classified well.
			if drop[i] == 0 {
				value += w * math.Log1p(others)
			} else {
				value += w * (drop[i] + math.Log(own+others))
			}
			if r != nil {
				ri := r[(at+i)*l.Classes : (at+i+1)*l.Classes]
				f := w / (own + others)
				copy(ri, ei)
				kernel.Scale(-f, ri)
				ri[y] = f * others
			}
		}
	})
	return value
}

// Residual32 is Eval in place and in float32, sums and losses of rows in float64. Some rows at a time take each step together:
// one after the other would wait for itself.
func (l *Softmax) Residual32(lo int, z []float32) (value float64) {
	row, count := l.rows(lo, len(z))
	c := scale(l.Mean, len(l.Labels))
	var top [together]float32
	var drop, own, others, logs [together]float64
	for at := 0; at < count; at += together {
		labels := l.Labels[row+at : row+min(at+together, count)]
		part := z[at*l.Classes : (at+len(labels))*l.Classes]
		for i, y := range labels {
			zi := part[i*l.Classes : (i+1)*l.Classes]
			top[i] = kernel.Max(zi)
			drop[i] = float64(top[i]) - float64(zi[y])
			zi[y] = float32(math.Inf(-1))
		}
		for i := range labels {
			zi := part[i*l.Classes : (i+1)*l.Classes]
			others[i] = kernel.ExpShiftTo(zi, zi, top[i])
		}
		n := len(labels)
		for i := range n {
			own[i] = -drop[i]
		}
		kernel.ExpTo(own[:n], own[:n])
		for i := range n {
			logs[i] = own[i] + others[i]
		}
		kernel.LogTo(logs[:n], logs[:n])
		for i, y := range labels {
			w, all, zi := c*weight(l.Omega, row+at+i), own[i]+others[i], part[i*l.Classes:(i+1)*l.Classes]
			value += w * (drop[i] + logs[i] + (others[i]-(all-own[i]))/all) // what was lost of others beside own, where it is little
			kernel.Scale(float32(-w/all), zi)
			zi[y] = float32(w / all * others[i])
		}
	}
	return value
}

// together is the number of rows that do.
const together = 32

// HessTo writes dst = cω (π∘e - ⟨π, e⟩π) on each row, π = softmax(z).
func (l *Softmax) HessTo(dst []float64, lo int, z, e []float64) {
	row, count := l.rows(lo, len(z))
	c := scale(l.Mean, len(l.Labels))
	l.batches(row, count, z, func(at int, p, _ []float64, labels []int32) {
		for i := range labels {
			from, to := (at+i)*l.Classes, (at+i+1)*l.Classes
			pi, di, xi := p[i*l.Classes:(i+1)*l.Classes], dst[from:to], e[from:to]
			all := sum(pi)
			mean := kernel.Dot(pi, xi) / all
			f := c * weight(l.Omega, row+at+i) / all
			for k, x := range xi {
				di[k] = f * pi[k] * (x - mean)
			}
		}
	})
}

// HessFromTo takes π from r = cω(1_y - π): no exponentials.
func (l *Softmax) HessFromTo(dst []float64, lo int, r, e []float64) { hessFromTo(l, dst, lo, r, e) }

// HessFrom32To is HessFromTo in float32.
func (l *Softmax) HessFrom32To(dst []float32, lo int, r, e []float32) { hessFromTo(l, dst, lo, r, e) }

func hessFromTo[T kernel.Real](l *Softmax, dst []T, lo int, r, e []T) {
	row, count := l.rows(lo, len(r))
	c := scale(l.Mean, len(l.Labels))
	for i := range count {
		from, to := i*l.Classes, (i+1)*l.Classes
		ri, di, xi := r[from:to], dst[from:to], e[from:to]
		w := c * weight(l.Omega, row+i)
		if w == 0 {
			clear(di)
			continue
		}
		y := l.Labels[row+i]
		own := xi[y]
		mean := own - T(kernel.Dot(ri, xi)/w) // ⟨π, e⟩
		for k, x := range xi {
			di[k] = ri[k] * (mean - x)
		}
		di[y] += T(w) * (own - mean)
	}
}

// DiagonalFromTo writes cωπ(1-π) = |r|(1 - |r|/(cω)).
func (l *Softmax) DiagonalFromTo(dst []float64, lo int, r []float64) {
	row, count := l.rows(lo, len(r))
	c := scale(l.Mean, len(l.Labels))
	for i := range count {
		ri, di := r[i*l.Classes:(i+1)*l.Classes], dst[i*l.Classes:(i+1)*l.Classes]
		w := c * weight(l.Omega, row+i)
		if w == 0 {
			clear(di)
			continue
		}
		for k, x := range ri {
			x = math.Abs(x)
			di[k] = max(0, x-x*x/w)
		}
	}
}

// OuterFromTo writes d = cωπ and v = √(cω) π, π from r.
func (l *Softmax) OuterFromTo(d, v []float64, lo int, r []float64) {
	row, count := l.rows(lo, len(r))
	c, k := scale(l.Mean, len(l.Labels)), l.Classes
	for i := range count {
		from, to := i*k, (i+1)*k
		di, vi, w, root := d[from:to], v[from:to], c*weight(l.Omega, row+i), 0.0
		if w > 0 {
			root = 1 / math.Sqrt(w)
		}
		for j, x := range r[from:to] {
			di[j], vi[j] = -x, -x*root
		}
		y := l.Labels[row+i]
		di[y] += w
		vi[y] += w * root
	}
}

// sum adds in four chains, which a processor can work on at once.
func sum(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}

// offSimplex is how far from 1 rounding may put the sum of a point of the simplex; more means that r is not Eval's.
const offSimplex = 1e-9

// Conjugate of the block at p = -s r is c Σᵢ ωᵢ Σₗ q_il log q_il, with qᵢ = pᵢ/(cωᵢ) + e_yᵢ in the simplex, +Inf
// elsewhere. An element of q a few roundings below 0 counts as 0.
func (l *Softmax) Conjugate(lo int, r []float64, s float64) float64 {
	return l.ConjugateAlong(lo, r)(s)
}

// ConjugateAlong takes the logarithms once: q = e_y - s r/(cω) has Σ over l ≠ y of q log q = s (A log s + B).
func (l *Softmax) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	row, count := l.rows(lo, len(r))
	c := scale(l.Mean, len(l.Labels))
	rows := make([]dualRow, count)
	for i := range rows {
		ri := r[i*l.Classes : (i+1)*l.Classes]
		w := c * weight(l.Omega, row+i)
		if w == 0 {
			rows[i] = dualRow{off: kernel.SumSq(ri) != 0}
			continue
		}
		rows[i] = newDualRow(ri, int(l.Labels[row+i]), w)
	}
	return func(s float64) float64 {
		var value float64
		for _, d := range rows {
			value += d.negentropy(s)
		}
		return value
	}
}

// A dualRow is what the conjugate needs of a row. With π_l = -r_l/w > 0 of the classes other than y it has r_y/w, A = Σ π, B = Σ
// π log π, and the largest r_l/w of these classes.
type dualRow struct {
	w, lost, a, b, largest float64
	off                    bool // a row without weight that is not 0
}

func newDualRow(r []float64, y int, w float64) dualRow {
	d := dualRow{w: w, lost: r[y] / w, largest: math.Inf(-1)}
	d.a, d.b = kernel.PositiveEntropy(r, -1/w)
	if p := -d.lost; p > 0 {
		d.a -= p
		d.b -= p * math.Log(p)
	}
	for k, x := range r {
		if !(x <= d.largest) && k != y { // also where it is not a number
			d.largest = x
		}
	}
	d.largest /= w
	return d
}

// negentropy is w Σ q log q. Where a row is classified well q_y is 1 less something small, which log1p keeps.
func (d *dualRow) negentropy(s float64) float64 {
	if d.w == 0 {
		if d.off && s != 0 {
			return math.Inf(1)
		}
		return 0
	}
	own := 1 - s*d.lost
	if !(own >= -domainRounding) || !(s*d.largest <= domainRounding) {
		return math.Inf(1)
	}
	var value float64
	if own > 0 {
		value = own * math.Log1p(-s*d.lost)
	}
	if s > 0 {
		value += s * (d.a*math.Log(s) + d.b)
	}
	if !(math.Abs(math.Max(own, 0)+s*d.a-1) <= offSimplex) {
		return math.Inf(1)
	}
	return d.w * value
}
