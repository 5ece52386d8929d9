package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// InterceptMap is the linear map E that takes an unpenalised intercept b to the observations. Each observation takes one of the
// constants, (E b)ᵢ = b_At(i), or none.
type InterceptMap struct {
	Count int              // of constants
	of    []int32          // the constant of each observation; nil for i mod Count
	parts []interceptRange // where not nil, these say it instead of the list
	// Sums over observations are those of all ranks where rows says how these share them, see Problem.shared.
	rows *cluster.Rows
	cuts []int
}

// An interceptRange is E for the observations lo ≤ i < hi, whose constants are those from first on.
type interceptRange struct {
	lo, hi, first int
	InterceptMap
}

// InterceptMap is the map that the operator asks for, see InterceptOperator, or else one constant for each place in the loss's
// stride. The segments of a loss have constants of their own. Its sums are of the observations of all ranks that share them.
func (p *Problem) InterceptMap() InterceptMap {
	e := p.interceptMap()
	e.rows, e.cuts = p.shared()
	return e
}

// interceptMap is that of the observations of this rank.
func (p *Problem) interceptMap() InterceptMap {
	var count int
	var of []int32
	if op, ok := p.Operator.(InterceptOperator); ok {
		count, of = op.Intercepts()
	}
	if all, several := Segments(p.Loss); several || len(of) > 0 && of[0] < 0 {
		return segmentIntercepts(all, count, of)
	}
	if of != nil {
		return InterceptMap{Count: count, of: of}
	}
	return InterceptMap{Count: p.Loss.Stride()}
}

// segmentIntercepts has the constants that the operator names first, and then one for each place in the stride of every other
// segment that takes an intercept.
func segmentIntercepts(segments []Segment, count int, of []int32) InterceptMap {
	e := InterceptMap{parts: []interceptRange{}}
	if of != nil {
		e.Count = count
	}
	for _, g := range segments {
		switch {
		case g.Fixed || g.Lo == g.Hi:
		case of != nil && of[g.Lo] >= 0:
			e.parts = append(e.parts, interceptRange{g.Lo, g.Hi, 0, InterceptMap{Count: count, of: of[g.Lo:g.Hi]}})
		default:
			e.parts = append(e.parts, interceptRange{g.Lo, g.Hi, e.Count, InterceptMap{Count: g.Stride}})
			e.Count += g.Stride
		}
	}
	return e
}

// eachPart calls f for the parts that the n observations from lo on reach into: these are from … to-1, counted from lo, and their
// constants are b[first], b[first+1], ….
func (e InterceptMap) eachPart(lo, n int, f func(part *interceptRange, from, to int)) {
	for t := range e.parts {
		part := &e.parts[t]
		if from, to := max(lo, part.lo), min(lo+n, part.hi); from < to {
			f(part, from-lo, to-lo)
		}
	}
}

// ByColumn reports whether the constants are those of the n columns of W, and the observations of a row of W follow each
// other.
func (e InterceptMap) ByColumn(n int) bool { return e.of == nil && e.parts == nil && e.Count == n }

// At is the number of the constant that observation i takes, or -1 where it takes none.
func (e InterceptMap) At(i int) int {
	if e.of == nil && e.parts == nil {
		return i % e.Count
	}
	return e.listed(i)
}

// listed is At where this is not the place in a row.
func (e InterceptMap) listed(i int) int {
	if e.of != nil {
		return int(e.of[i])
	}
	for _, part := range e.parts {
		if i >= part.lo && i < part.hi {
			return part.first + part.InterceptMap.At(i-part.lo)
		}
	}
	return -1
}

// AddTo adds c E b to z.
func (e InterceptMap) AddTo(z []float64, c float64, b []float64) { e.addTo(z, 0, c, b) }

// addTo adds c E b for the observations from lo on, which begin and end with a row.
func (e InterceptMap) addTo(z []float64, lo int, c float64, b []float64) {
	if e.parts != nil {
		e.eachPart(lo, len(z), func(part *interceptRange, from, to int) {
			part.addTo(z[from:to], lo+from-part.lo, c, b[part.first:part.first+part.Count])
		})
		return
	}
	if e.of != nil {
		for i, t := range e.of[lo : lo+len(z)] {
			z[i] += c * b[t]
		}
		return
	}
	if e.Count == 1 {
		for i := range z {
			z[i] += c * b[0]
		}
		return
	}
	for i := 0; i < len(z); i += e.Count {
		kernel.Axpy(c, b, z[i:i+e.Count])
	}
}

// Means is the mean of the observations of each constant, (EᵀE)⁻¹Eᵀz; 0 for a constant that has none.
func (e InterceptMap) Means(z []float64) []float64 {
	m := e.Sums(z)
	if e.of == nil && e.parts == nil && e.rows == nil {
		kernel.Scale(float64(e.Count)/float64(len(z)), m)
		return m
	}
	for c, n := range e.counts(len(z)) {
		m[c] /= max(1, n)
	}
	return m
}

// over is what sums gives of all n observations of this rank: added over the shards of all ranks, where these share them.
func (e InterceptMap) over(n int, sums func(e InterceptMap, lo, hi int) []float64) []float64 {
	if e.rows == nil {
		return sums(e, 0, n)
	}
	first, _ := e.rows.Own()
	return cluster.Numbers(e.rows, e.Count, func(shard int) []float64 {
		lo, hi := e.cuts[shard-first], e.cuts[shard-first+1]
		return sums(e.within(lo, hi), lo, hi)
	})
}

// within is E for the observations lo ≤ i < hi alone, counted from lo.
func (e InterceptMap) within(lo, hi int) InterceptMap {
	own := InterceptMap{Count: e.Count}
	if e.of != nil {
		own.of = e.of[lo:hi]
	}
	if e.parts != nil {
		own.parts = []interceptRange{}
	}
	e.eachPart(lo, hi-lo, func(part *interceptRange, from, to int) {
		of := part.InterceptMap.within(lo+from-part.lo, lo+to-part.lo)
		own.parts = append(own.parts, interceptRange{from, to, part.first, of})
	})
	return own
}

// counts is how many of n observations, which are all, each constant has: the diagonal of EᵀE.
func (e InterceptMap) counts(n int) []float64 {
	if e.rows != nil {
		return e.over(n, func(e InterceptMap, lo, hi int) []float64 { return e.counts(hi - lo) })
	}
	count := make([]float64, e.Count)
	if e.parts != nil {
		for _, part := range e.parts {
			kernel.Axpy(1, part.counts(part.hi-part.lo), count[part.first:part.first+part.Count])
		}
		return count
	}
	if e.of == nil {
		for c := range count {
			count[c] = float64(n / e.Count)
		}
		return count
	}
	for _, t := range e.of {
		count[t]++
	}
	return count
}

// Sums is Eᵀr.
func (e InterceptMap) Sums(r []float64) []float64 {
	return e.over(len(r), func(e InterceptMap, lo, hi int) []float64 { return e.sums(r[lo:hi]) })
}

// sums is Sums over the observations of this rank.
func (e InterceptMap) sums(r []float64) []float64 {
	s := make([]float64, e.Count)
	if e.parts != nil {
		addParts(e, s, r, InterceptMap.sums)
		return s
	}
	if e.of != nil {
		for i, t := range e.of {
			s[t] += r[i]
		}
		return s
	}
	for i := 0; i < len(r); i += e.Count {
		kernel.Axpy(1, r[i:i+e.Count], s)
	}
	return s
}

// addParts adds to s what sums gives for each part of x, a vector of all observations.
func addParts[T Real](e InterceptMap, s []float64, x []T, sums func(e InterceptMap, x []T) []float64) {
	for _, part := range e.parts {
		kernel.Axpy(1, sums(part.InterceptMap, x[part.lo:part.hi]), s[part.first:part.first+part.Count])
	}
}

// Sums32 is Eᵀr, summed in float64.
func (e InterceptMap) Sums32(r []float32) []float64 {
	return e.over(len(r), func(e InterceptMap, lo, hi int) []float64 { return e.sums32(r[lo:hi]) })
}

// sums32 is Sums32 over the observations of this rank.
func (e InterceptMap) sums32(r []float32) []float64 {
	s := make([]float64, e.Count)
	if e.parts != nil {
		addParts(e, s, r, InterceptMap.sums32)
		return s
	}
	if e.of != nil {
		for i, t := range e.of {
			s[t] += float64(r[i])
		}
		return s
	}
	wide := memory.Borrow[float64](max(1, blockSize/e.Count) * e.Count)
	defer memory.Repay(wide)
	for len(r) > 0 {
		n := min(len(r), len(wide))
		kernel.Convert(wide[:n], r[:n])
		for i := 0; i < n; i += e.Count {
			kernel.Axpy(1, wide[i:i+e.Count], s)
		}
		r = r[n:]
	}
	return s
}

// To overwrites z with E b for the observations from lo on, which begin and end with a row.
func (e InterceptMap) To(z []float64, lo int, b []float64) { spread(e, z, lo, b) }

// To32 is To in float32.
func (e InterceptMap) To32(z []float32, lo int, b []float64) { spread(e, z, lo, b) }

// spread overwrites z with E b for the observations from lo on.
func spread[T Real](e InterceptMap, z []T, lo int, b []float64) {
	if e.parts != nil {
		clear(z)
		e.eachPart(lo, len(z), func(part *interceptRange, from, to int) {
			spread(part.InterceptMap, z[from:to], lo+from-part.lo, b[part.first:part.first+part.Count])
		})
		return
	}
	if e.of != nil {
		for i, t := range e.of[lo : lo+len(z)] {
			z[i] = T(b[t])
		}
		return
	}
	if len(z) == 0 {
		return
	}
	kernel.Convert(z[:e.Count], b)
	for done := e.Count; done < len(z); done *= 2 {
		copy(z[done:], z[:done])
	}
}

// sizes is Eᵀ|r|, the sums of absolute values.
func (e InterceptMap) sizes(r []float64) []float64 {
	return e.over(len(r), func(e InterceptMap, lo, hi int) []float64 { return e.absolutes(r[lo:hi]) })
}

// absolutes is sizes over the observations of this rank.
func (e InterceptMap) absolutes(r []float64) []float64 {
	s := make([]float64, e.Count)
	if e.parts != nil {
		addParts(e, s, r, InterceptMap.absolutes)
		return s
	}
	if e.of != nil {
		for i, t := range e.of {
			s[t] += math.Abs(r[i])
		}
		return s
	}
	for i := 0; i < len(r); i += e.Count { // a row at a time: computing i mod Count for each would take most of a fit
		for c, x := range r[i : i+e.Count] {
			s[c] += math.Abs(x)
		}
	}
	return s
}

// HessSum is Eᵀ∇²L E (row-major) at r = -∇L. It is for a loss that couples the observations of a row by outer products, and an
// intercept with one constant for each place in a row; nil for others.
func (p *Problem) HessSum(r []float64) []float64 {
	l, ok := p.Loss.(OuterLoss)
	e := p.InterceptMap()
	if !ok || e.of != nil || e.parts != nil {
		return nil
	}
	sum := make([]float64, e.Count*e.Count)
	p.Accumulate(sum, func(part []float64, from, to int) {
		if from < to {
			lo, _ := p.Block(from)
			_, hi := p.Block(to - 1)
			addHessians(l, part, lo, r[lo:hi])
		}
	})
	return sum
}

// addHessians adds the k×k second derivatives of all rows from observation lo on to sum. Many rows are taken at once, as
// products of matrices want; k² flops a row.
func addHessians(l OuterLoss, sum []float64, lo int, r []float64) {
	const rows = 256
	k := l.Stride()
	buf := memory.Borrow[float64](2*rows*k + k*k)
	defer memory.Repay(buf)
	d, v, outer := buf[:rows*k], buf[rows*k:2*rows*k], buf[2*rows*k:]
	clear(outer)
	for at := 0; at < len(r); at += rows * k {
		part := r[at:min(at+rows*k, len(r))]
		l.OuterFromTo(d[:len(part)], v[:len(part)], lo+at, part)
		for i := 0; i < len(part); i += k {
			for c, x := range d[i : i+k] {
				sum[c*k+c] += x
			}
		}
		kernel.Gram(outer, v[:len(part)], len(part)/k, k)
	}
	kernel.Mirror(outer, k)
	kernel.Axpy(-1, outer, sum)
}
