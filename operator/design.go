package operator

import (
	"fmt"
	"math"
	"slices"
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
	return &Design{newFeatures(d.x.n, len(scale), d.x.rows.merged(place, scale)), d.outputs}
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
	if all := d.x.turned.Load(); all != nil {
		samples(z, lo, d.outputs, func(z []float64, first, last int) { e.byColumns(z, all, first, last, d.outputs) })
		return
	}
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

// byColumns is z = X W for the samples first ≤ i < last of a sparse X with these columns, of so many outputs.
func (e *featureEntries) byColumns(z []float64, x *sparseColumns, first, last, outputs int) {
	clear(z)
	for t, j := range e.feature {
		index, values := x.of(j)
		from, _ := slices.BinarySearch(index, int32(first))
		for at := from; at < len(index) && int(index[at]) < last; at++ {
			out := z[(int(index[at])-first)*outputs:][:outputs]
			for s := e.ptr[t]; s < e.ptr[t+1]; s++ {
				out[e.output[s]] += values[at] * e.value[s]
			}
		}
	}
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
		kernel.AxpyRows(xy, g.r[lo*d.outputs:hi*d.outputs], part)
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

// A designGradient computes gradients at W that are kept whole, in float32, see view.WholeOperator. Its passes over the
// samples share X in float32, and the sum and the work space of each block of samples.
type designGradient struct {
	d       *Design
	x       rows32
	centres *gcg.Factor32   // p×C, what is still to be taken off the features for each output; nil without an intercept
	parts   []*gradientPart // of each block of samples; nil before the first pass
}

// A gradientPart is the sums over a block of samples, and the work space for one panel. k is the stride of W.
type gradientPart struct {
	g     []float32 // the gradient, with the rows of W and k columns
	z     []float32 // the predictions of a panel, samples × k
	room  []float32 // of the panel of X
	value float64   // the sum of what residual returned
}

// Gradients keeps X in float32, see view.WholeOperator. From a dense X it takes the mean over the outputs of the centres: what is
// large in all features would cancel in float32. What is left of the centres is taken off the predictions and the gradient.
func (d *Design) Gradients(centres *gcg.Factor) gcg.WholeGradient {
	return d.gradients(centres).gradientTo
}

// gradients is Gradients before its first pass.
func (d *Design) gradients(centres *gcg.Factor) *designGradient {
	h := &designGradient{d: d, parts: make([]*gradientPart, d.pieces())}
	if centres == nil {
		h.x = d.x.rows.single()
		return h
	}
	mean := make([]float64, d.x.p)
	for j := range mean {
		for _, x := range centres.Row(j)[:d.outputs] {
			mean[j] += x / float64(d.outputs)
		}
	}
	x, centred := d.x.rows.centred(mean)
	h.x, h.centres = withOnes{x, d.x.p}, gcg.NewFactorOf[float32](d.x.p, d.outputs)
	for j, m := range mean {
		if !centred {
			m = 0
		}
		for c, x := range centres.Row(j)[:d.outputs] {
			h.centres.Row(j)[c] = float32(x - m)
		}
	}
	return h
}

// gradientTo overwrites g with Xᵀr at the predictions z = X W, of which residual makes r, see gcg.WholeGradient. It passes
// over the samples once, in panels that stay in the cache: 4pC flops for each sample of a dense X.
func (h *designGradient) gradientTo(g, w *gcg.Factor32, residual func(z []float32, lo int) float64) (value float64) {
	k, c := w.Stride, h.d.outputs
	w = h.lowered(w)
	h.d.panels(len(h.parts), func(b, lo, hi int) {
		if h.parts[b] == nil {
			h.parts[b] = &gradientPart{g: make([]float32, len(w.Data)), z: make([]float32, samplePanel*k)}
		}
		part := h.parts[b]
		z := part.z[:(hi-lo)*k]
		x := h.x.panel(lo, hi, &part.room)
		x.mul(z, w.Data, k)
		narrowRows(z, c, k)
		part.value += residual(z[:(hi-lo)*c], lo*c)
		widenRows(z, c, k)
		x.tmul(part.g, z, k)
	})
	clear(g.Data)
	for _, part := range h.parts {
		kernel.Axpy(1, part.g, g.Data)
		clear(part.g)
		value += part.value
		part.value = 0
	}
	h.lower(g)
	return value
}

// lowered is W as it is for the X that is kept: what the rest of the centres predict is taken off the constants in the last
// row. It is W itself without centres.
func (h *designGradient) lowered(w *gcg.Factor32) *gcg.Factor32 {
	if h.centres == nil {
		return w
	}
	w = w.Clone()
	b := w.Row(h.centres.Rows)
	for j := range h.centres.Rows {
		for c, m := range h.centres.Row(j) {
			b[c] -= m * w.Row(j)[c]
		}
	}
	return w
}

// lower makes g, the gradient at the X that is kept, the gradient at the centred X: it takes the rest of the centres, times
// the last row of g, off the other rows.
func (h *designGradient) lower(g *gcg.Factor32) {
	if h.centres == nil {
		return
	}
	b := g.Row(h.centres.Rows)
	for j := range h.centres.Rows {
		for c, m := range h.centres.Row(j) {
			g.Row(j)[c] -= m * b[c]
		}
	}
}

// narrowRows moves the first c of every k numbers together, to the start of z.
func narrowRows(z []float32, c, k int) {
	if c == k {
		return
	}
	for i := range len(z) / k {
		copy(z[i*c:(i+1)*c], z[i*k:i*k+c])
	}
}

// widenRows undoes narrowRows, with zeros in between.
func widenRows(z []float32, c, k int) {
	if c == k {
		return
	}
	for i := len(z)/k - 1; i >= 0; i-- {
		copy(z[i*k:i*k+c], z[i*c:(i+1)*c])
		clear(z[i*k+c : (i+1)*k])
	}
}

// A designHessian is the second derivative at U Vᵀ in float32, with what its products share: X, S = X U, V and Vᵀ. S takes
// 4nk bytes.
type designHessian struct {
	d     *Design
	x     rows32
	k     int            // the stride of U and V
	s     []float32      // n×k
	v, vt []float32      // C×k and k×C
	parts []*hessianPart // of each block of samples; nil before the first product
	all   []float32      // n×C, H z of all samples; nil before it is asked for
}

// HessianAt forms X U in float32: 2pk flops for each sample of a dense X.
func (d *Design) HessianAt(u, v *gcg.Factor) gcg.FactorHessian { return d.hessianAt(u, v).productTo }

// hessianAt is HessianAt before its first product.
func (d *Design) hessianAt(u, v *gcg.Factor) *designHessian {
	h := &designHessian{d: d, x: d.x.rows.single(), k: u.Stride, v: narrowed(v.Data), vt: transposed32(v)}
	h.s = make([]float32, d.x.n*h.k)
	left := narrowed(u.Data)
	rooms := make([][]float32, d.pieces())
	d.panels(len(rooms), func(b, lo, hi int) { h.x.panel(lo, hi, &rooms[b]).mul(h.s[lo*h.k:hi*h.k], left, h.k) })
	return h
}

// transposed32 is Fᵀ in float32, with a row for each column of the storage, padding too.
func transposed32[T gcg.Real](f *gcg.FactorOf[T]) []float32 {
	x := make([]float32, len(f.Data))
	for i := range f.Rows {
		for c, v := range f.Data[i*f.Stride : (i+1)*f.Stride] {
			x[c*f.Rows+i] = float32(v)
		}
	}
	return x
}

// productTo writes gu = E V and gv = Eᵀ U, see gcg.FactorHessian. It passes over the samples in panels that stay in the cache.
// With T = X dU it forms z = T Vᵀ + S dVᵀ, lets hess replace z by H z, and adds Xᵀ(z V) to gu and zᵀS to gv. That takes 2k(2p +
// 4C) flops for each sample of a dense X. Only where absorb is called, between two passes, are there predictions of all samples.
func (h *designHessian) productTo(gu, gv, du, dv *gcg.Factor32, hess func(z []float32, lo int), absorb func(all []float32)) {
	right := transposed32(dv)
	if absorb == nil {
		h.inOnePass(du.Data, right, hess)
	} else {
		if h.all == nil {
			h.all = make([]float32, h.d.x.n*h.d.outputs)
		}
		h.predictAll(du.Data, right, hess)
		absorb(h.all)
		h.addAll()
	}
	h.takeTo(gu, gv)
}

// inOnePass adds Xᵀ(z V) and zᵀS to the sums, with z = H(T Vᵀ + S dVᵀ).
func (h *designHessian) inOnePass(left, right []float32, hess func(z []float32, lo int)) {
	h.panels(func(part *hessianPart, lo, hi int) {
		z := part.z[:(hi-lo)*h.d.outputs]
		x := h.x.panel(lo, hi, &part.room)
		part.predict(h, x, z, left, right, lo, hi)
		hess(z, lo*h.d.outputs)
		part.add(h, x, z, lo, hi)
	})
}

// takeTo moves the sums to gu and gv.
func (h *designHessian) takeTo(gu, gv *gcg.Factor32) {
	clear(gu.Data)
	clear(gv.Data)
	for _, part := range h.parts {
		kernel.Axpy(1, part.gu, gu.Data)
		kernel.Axpy(1, part.gv, gv.Data)
		clear(part.gu)
		clear(part.gv)
	}
}

// predictAll writes H z of all samples.
func (h *designHessian) predictAll(left, right []float32, hess func(z []float32, lo int)) {
	c := h.d.outputs
	h.panels(func(part *hessianPart, lo, hi int) {
		z := h.all[lo*c : hi*c]
		part.predict(h, h.x.panel(lo, hi, &part.room), z, left, right, lo, hi)
		hess(z, lo*c)
	})
}

// addAll adds to the sums what all samples contribute.
func (h *designHessian) addAll() {
	c := h.d.outputs
	h.panels(func(part *hessianPart, lo, hi int) {
		part.add(h, h.x.panel(lo, hi, &part.room), h.all[lo*c:hi*c], lo, hi)
	})
}

// panels calls f on panels of samples, each with the part that its block adds to.
func (h *designHessian) panels(f func(part *hessianPart, lo, hi int)) {
	if h.parts == nil {
		h.parts = make([]*hessianPart, h.d.pieces())
	}
	h.d.panels(len(h.parts), func(b, lo, hi int) {
		if h.parts[b] == nil {
			h.parts[b] = h.newPart()
		}
		f(h.parts[b], lo, hi)
	})
}

// A hessianPart is the sums over a block of samples, and the work space for one panel.
type hessianPart struct {
	gu, gv []float32 // p×k and C×k
	t      []float32 // T or z V, samples × k
	z      []float32 // samples × C
	room   []float32 // of the panel of X
}

// newPart is a part of zeros.
func (h *designHessian) newPart() *hessianPart {
	side := func(n int) []float32 { return make([]float32, n) }
	return &hessianPart{side(h.d.x.p * h.k), side(h.d.outputs * h.k), side(samplePanel * h.k), side(samplePanel * h.d.outputs), nil}
}

// predict writes z = X dU Vᵀ + S dVᵀ for the samples lo ≤ i < hi, x being their panel, left dU (p×k) and right dVᵀ (k×C).
func (part *hessianPart) predict(h *designHessian, x panel32, z, left, right []float32, lo, hi int) {
	n, c, k := hi-lo, h.d.outputs, h.k
	t := part.t[:n*k]
	x.mul(t, left, k)
	clear(z)
	kernel.GemmNN(z, t, h.vt, n, c, k)
	kernel.GemmNN(z, h.s[lo*k:hi*k], right, n, c, k)
}

// add adds Xᵀ(z V) to gu and zᵀS to gv for the samples lo ≤ i < hi, x being their panel.
func (part *hessianPart) add(h *designHessian, x panel32, z []float32, lo, hi int) {
	n, c, k := hi-lo, h.d.outputs, h.k
	t := part.t[:n*k]
	clear(t)
	kernel.GemmNN(t, z, h.v, n, k, c)
	x.tmul(part.gu, t, k)
	kernel.GemmTN(part.gv, z, h.s[lo*k:hi*k], c, k, n)
}

// gramLimit is the number of features up to which XᵀX is formed and decomposed: at 640 that is about a second.
const gramLimit = 640

// Kronecker approximates A*(d∘A(W)) by L W diag(right), see view.KroneckerOperator. It approximates the weights d_ic by a matrix
// of rank one, ωᵢ right_c with ωᵢ = Σ_c d_ic and right_c ∝ Σ_i d_ic, so that L = Xᵀ diag(ω) X.
func (d *Design) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	return d.kroneckerSums(weights, centred).product()
}

// kroneckerSums are what Kronecker makes its product of.
func (d *Design) kroneckerSums(weights []float64, centred bool) *kroneckerSums {
	omega, right := make([]float64, d.x.n), make([]float64, d.outputs)
	ones := slices.Repeat([]float64{1}, d.outputs)
	for i := range omega {
		row := weights[i*d.outputs : (i+1)*d.outputs]
		omega[i] = kernel.Dot(ones, row)
		kernel.Axpy(1, row, right)
	}
	return d.x.kroneckerSums(omega, right, centred, 1, func(int) int { return 0 })
}

// Kronecker approximates A*(d∘A(W)) by L W diag(right), see view.KroneckerOperator. It takes the samples of every task to be
// alike: L = Xᵀ diag(d) X, and right_t is the part of all weights that the samples of task t have.
func (o *Tasks) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	return o.kroneckerSums(weights, centred).product()
}

// kroneckerSums are what Kronecker makes its product of.
func (o *Tasks) kroneckerSums(weights []float64, centred bool) *kroneckerSums {
	right := make([]float64, o.tasks)
	for i, w := range weights {
		right[o.task[i]] += w
	}
	return o.x.kroneckerSums(weights, right, centred, o.tasks, func(i int) int { return int(o.task[i]) })
}

// kroneckerSums are sums over samples of which a Kronecker product is made, see view.KroneckerOperator.
type kroneckerSums struct {
	p          int
	gram       *gcg.Factor // Xᵀ diag(ω) X, or nil
	left       []float64   // or its diagonal
	right      []float64
	sum, total []float64 // Σ ωᵢ xᵢ and Σ ωᵢ of each group, whose weighted means are taken off; nil where none are
}

// kroneckerSums are those of X with weights ω of its rows, which belong to groups.
func (x *Features) kroneckerSums(omega, right []float64, centred bool, groups int, group func(i int) int) *kroneckerSums {
	k := &kroneckerSums{p: x.p, right: right}
	k.gram, k.left = x.weightedGram(omega)
	if centred {
		k.sum, k.total = make([]float64, groups*x.p), make([]float64, groups)
		for i, w := range omega {
			t := group(i)
			k.total[t] += w
			x.rows.add(k.sum[t*x.p:(t+1)*x.p], i, w)
		}
	}
	return k
}

// lists are all of the sums.
func (k *kroneckerSums) lists() [][]float64 {
	first := k.left
	if k.gram != nil {
		first = k.gram.Data
	}
	return [][]float64{first, k.right, k.sum, k.total}
}

// product is the Kronecker product.
func (k *kroneckerSums) product() (gram *gcg.Factor, left, right []float64) {
	normalise(k.right)
	k.centre()
	return k.gram, k.left, k.right
}

// normalise divides x by its sum, if that is positive.
func normalise(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v
	}
	if sum > 0 {
		kernel.Scale(1/sum, x)
	}
}

// centre takes the weighted mean of each row's group off the rows of X, in the Gram matrix or its diagonal. It takes 2p² flops
// for each group.
func (k *kroneckerSums) centre() {
	for t, all := range k.total {
		if !(all > 0) {
			continue
		}
		sum := k.sum[t*k.p : (t+1)*k.p]
		for j, v := range sum {
			if k.gram == nil {
				k.left[j] = math.Max(0, k.left[j]-v*v/all)
			} else {
				kernel.Axpy(-v/all, sum, k.gram.Row(j)[:k.p])
			}
		}
	}
}

// weightedGram is Xᵀ diag(ω) X, or its diagonal where p is beyond gramLimit; the other one is nil. An ω below 0 counts as 0.
// It takes np² flops for a dense X.
func (x *Features) weightedGram(omega []float64) (gram *gcg.Factor, diag []float64) {
	if x.p > gramLimit {
		diag = make([]float64, x.p)
		for i, w := range omega {
			x.rows.addSquares(diag, i, math.Max(w, 0))
		}
		return nil, diag
	}
	gram = gcg.Small(x.p, x.p)
	k, add := gram.Stride, x.addDenseGram
	if x.rows.sparse() {
		add = x.addSparseGram
	}
	par.Accumulate(gram.Data, 1+min(7, x.n/1024), x.n, func(part []float64, lo, hi int) { add(part, k, omega, lo, hi) })
	kernel.Mirror(gram.Data, k)
	return gram, nil
}

// addDenseGram adds the rows lo ≤ i < hi to the lower triangle of part, whose rows are k numbers apart.
func (x *Features) addDenseGram(part []float64, k int, omega []float64, lo, hi int) {
	addGram(part, k, hi-lo, func(row []float64, i int) {
		x.rows.add(row[:x.p], lo+i, math.Sqrt(math.Max(omega[lo+i], 0)))
	})
}

// addSparseGram adds the rows lo ≤ i < hi to both triangles of part, whose rows are k numbers apart.
func (x *Features) addSparseGram(part []float64, k int, omega []float64, lo, hi int) {
	rows := make([]float64, panel*k)
	for at := lo; at < hi; at += panel {
		end := min(at+panel, hi)
		clear(rows)
		for i := at; i < end; i++ {
			x.rows.add(rows[(i-at)*k:(i-at)*k+x.p], i, math.Max(omega[i], 0))
		}
		x.rows.tmul(part[:x.p*k], rows[:(end-at)*k], at, end, k)
	}
}

// gramPanel is the number of rows that are added to a Gram matrix at a time: products of matrices want many.
const gramPanel = 256

// addGram adds XᵀX to the lower triangle of gram (k×k), for an X of n rows. fill writes row i into k zeros.
func addGram(gram []float64, k, n int, fill func(row []float64, i int)) {
	rows := memory.Borrow[float64](min(n, gramPanel) * k)
	defer memory.Repay(rows)
	for at := 0; at < n; at += gramPanel {
		size := min(gramPanel, n-at)
		clear(rows)
		for i := range size {
			fill(rows[i*k:(i+1)*k], at+i)
		}
		kernel.Gram(gram, rows, size, k)
	}
}
