package operator

import (
	"fmt"
	"math"
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Design is z = X W for n samples, p features and C outputs: W is p×C, and observation iC + c is (X W)_ic. With C classes and
// a softmax loss it is multi-class classification [Yu17 §5.2, Zhang12 §5], with one output regression.
type Design struct {
	x       *Features
	outputs int
}

// NewDesign is z = X W for a W of p features × outputs C: observation iC + c is output c of sample i. x is kept, not copied.
// It refuses an x that no constructor made, fewer outputs than one, and more observations than an int can number.
func NewDesign(x *Features, outputs int) (*Design, error) {
	if x.empty() {
		return nil, fmt.Errorf("operator: a design has no features: make them with DenseFeatures or SparseFeatures")
	}
	if outputs < 1 {
		return nil, fmt.Errorf("operator: a design has at least one output, not %d", outputs)
	}
	if outputs > math.MaxInt/x.n {
		return nil, fmt.Errorf("operator: %d samples of %d outputs are more observations than can be numbered", x.n, outputs)
	}
	return &Design{x, outputs}, nil
}

// Dims is the size p×C of W and the number nC of observations.
func (d *Design) Dims() (m, n, nobs int) { return d.x.p, d.outputs, d.x.n * d.outputs }

// Merged is the design of fewer features: feature c is scale[c] times the sum of the features j with place[j] = c, and those with
// place[j] < 0 are left out. It takes one pass over X.
func (d *Design) Merged(place []int32, scale []float64) *Design {
	return &Design{&Features{d.x.n, len(scale), d.x.rows.merged(place, scale)}, d.outputs}
}

// samples calls f with room for the predictions of whole samples, c of each: of the samples first ≤ i < last to which the
// observations lo … lo+len(z)-1 belong. The room is z itself where z starts and ends with a sample; otherwise it is a buffer,
// of which the part for z is copied to z.
func samples(z []float64, lo, c int, f func(z []float64, first, last int)) {
	first, last := lo/c, (lo+len(z)+c-1)/c
	if lo == first*c && lo+len(z) == last*c {
		f(z, first, last)
		return
	}
	buf := memory.Borrow[float64]((last - first) * c)
	defer memory.Repay(buf)
	f(buf, first, last)
	copy(z, buf[lo-first*c:])
}

// FactoredTo is z = A(U Vᵀ) = (X U) Vᵀ from observation lo on: 2k(p+C) flops for each sample of a dense X.
func (d *Design) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	samples(z, lo, d.outputs, func(z []float64, first, last int) {
		xu := memory.Borrow[float64]((last - first) * u.Stride)
		defer memory.Repay(xu)
		d.x.rows.mul(xu, u.Data, first, last, u.Stride)
		clear(z)
		kernel.GemmNT(z, xu, v.Data, last-first, d.outputs, u.Stride)
	})
}

// AtomTo is z = X a from observation lo on, for an a in factors or in sparse entries.
func (d *Design) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		d.FactoredTo(z, lo, a.U, a.V)
		return
	}
	if d.nearlyWhole(a) {
		w := memory.Borrow[float64](d.x.p * d.outputs)
		defer memory.Repay(w)
		clear(w)
		for e, v := range a.Vals {
			w[int(a.Rows[e])*d.outputs+int(a.Cols[e])] += v
		}
		samples(z, lo, d.outputs, func(z []float64, first, last int) { d.x.rows.mul(z, w, first, last, d.outputs) })
		return
	}
	e := byFeature(a)
	samples(z, lo, d.outputs, func(z []float64, first, last int) {
		clear(z)
		x := make([]float64, len(e.feature))
		for i := first; i < last; i++ {
			d.x.rows.entries(x, i, e.feature)
			out := z[(i-first)*d.outputs : (i-first+1)*d.outputs]
			for t, xt := range x {
				if xt != 0 {
					for s := e.ptr[t]; s < e.ptr[t+1]; s++ {
						out[e.output[s]] += xt * e.value[s]
					}
				}
			}
		}
	})
}

// nearlyWhole reports whether X is dense and the sparse a has so many entries that X times all of a takes less time than a
// term for each entry.
func (d *Design) nearlyWhole(a *gcg.Atom) bool {
	return !d.x.rows.sparse() && denseGain*len(a.Vals) >= d.x.p*d.outputs
}

// denseGain is how many times as long as a term in a product of dense matrices the term of one entry of an atom takes.
const denseGain = 8

// Adjoint is G = XᵀR (p×C), R being r as an n×C matrix. It is formed when it is first used where it has at most denseLimit
// entries, and otherwise multiplied through X and R.
func (d *Design) Adjoint(r []float64) gcg.Map {
	if d.x.p*d.outputs <= denseLimit {
		return &formed{form: func() *dense { return d.gradient(r) }, m: d.x.p, n: d.outputs}
	}
	return &designMap{d, r}
}

// denseLimit is the number of entries up to which a gradient is formed: 512 MB.
const denseLimit = 1 << 26

// gradient forms XᵀR in pieces of the samples: 2npC flops for a dense X.
func (d *Design) gradient(r []float64) *dense {
	g := &dense{d.x.p, d.outputs, make([]float64, d.x.p*d.outputs)}
	k := d.outputs
	if k > 1 && d.x.rows.sparse() { // the kernels of sparse rows want whole vectors
		k = (k + 7) &^ 7
	}
	sum := g.x
	if k != d.outputs {
		sum = memory.Borrow[float64](d.x.p * k)
	}
	par.Accumulate(sum, d.pieces(), d.x.n, func(part []float64, lo, hi int) {
		in := r[lo*d.outputs : hi*d.outputs]
		if k != d.outputs {
			in = pad(in, d.outputs, k)
		}
		d.x.rows.tmul(part, in, lo, hi, k)
	})
	if k != d.outputs {
		for j := range d.x.p {
			copy(g.row(j), sum[j*k:])
		}
		memory.Repay(sum)
	}
	return g
}

// pieces is the number of pieces that sums over samples are cut into, 8 at most. Each piece has a p×C part of its own. Clearing
// and adding it takes about as long as multiplying 4 values of each feature. With sparse features that may be most of the work.
func (d *Design) pieces() int {
	return par.Grain(d.x.n, 256, max(1, min(8, d.x.rows.count()/(4*d.x.p))))
}

// panels cuts the samples into so many blocks, which run at once, and calls f on the panels of each block in order.
func (d *Design) panels(blocks int, f func(block, lo, hi int)) {
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, d.x.n)
		for at := lo; at < hi; at += samplePanel {
			f(b, at, min(at+samplePanel, hi))
		}
	})
}

// samplePanel is the number of samples of a panel: with 500 classes its predictions are 256 kB in float32.
const samplePanel = 128

// pad copies rows of c columns to rows of k ≥ c, filled up with zeros.
func pad(x []float64, c, k int) []float64 {
	out := make([]float64, len(x)/c*k)
	for i := 0; i*c < len(x); i++ {
		copy(out[i*k:i*k+c], x[i*c:(i+1)*c])
	}
	return out
}

// featureEntries are the entries of a sparse W (p×C) by rows: those in row feature[t] are value[e] in column output[e], for
// ptr[t] ≤ e < ptr[t+1]. feature ascends.
type featureEntries struct {
	feature, output []int32
	ptr             []int
	value           []float64
}

// byFeature sorts the entries of a sparse atom by rows.
func byFeature(a *gcg.Atom) featureEntries {
	order := make([]int, len(a.Vals))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(x, y int) bool { return a.Rows[order[x]] < a.Rows[order[y]] })
	var e featureEntries
	for s, from := range order {
		if s == 0 || a.Rows[from] != e.feature[len(e.feature)-1] {
			e.feature = append(e.feature, a.Rows[from])
			e.ptr = append(e.ptr, s)
		}
		e.output = append(e.output, a.Cols[from])
		e.value = append(e.value, a.Vals[from])
	}
	e.ptr = append(e.ptr, len(order))
	return e
}

// designMap is G = XᵀR through products with X and R, for a gradient that is too large to form.
type designMap struct {
	d *Design
	r []float64
}

// Dims is p, C.
func (g *designMap) Dims() (m, n int) { return g.d.x.p, g.d.outputs }

// MulTo is dst (p) = Xᵀ(R x).
func (g *designMap) MulTo(dst, x []float64) {
	d := g.d
	par.Accumulate(dst, 4, d.x.n, func(part []float64, lo, hi int) {
		rx := make([]float64, hi-lo)
		for i := range rx {
			rx[i] = kernel.Dot(g.r[(lo+i)*d.outputs:(lo+i+1)*d.outputs], x)
		}
		d.x.rows.tmul(part, rx, lo, hi, 1)
	})
}

// TMulTo is dst (C) = Rᵀ(X y).
func (g *designMap) TMulTo(dst, y []float64) {
	d := g.d
	par.Accumulate(dst, d.pieces(), d.x.n, func(part []float64, lo, hi int) {
		xy := make([]float64, hi-lo)
		d.x.rows.mul(xy, y, lo, hi, 1)
		for i, a := range xy {
			kernel.Axpy(a, g.r[(lo+i)*d.outputs:(lo+i+1)*d.outputs], part)
		}
	})
}

// RowsTo forms the rows of G from first on, as many as dst has room for, in a pass over the samples.
func (g *designMap) RowsTo(dst []float64, first int) {
	d := g.d
	n := len(dst) / d.outputs
	index := make([]int32, n)
	for t := range index {
		index[t] = int32(first + t)
	}
	par.Accumulate(dst, d.pieces(), d.x.n, func(part []float64, lo, hi int) {
		x := make([]float64, n)
		for i := lo; i < hi; i++ {
			d.x.rows.entries(x, i, index)
			for t, xt := range x {
				if xt != 0 {
					kernel.Axpy(xt, g.r[i*d.outputs:(i+1)*d.outputs], part[t*d.outputs:(t+1)*d.outputs])
				}
			}
		}
	})
}
