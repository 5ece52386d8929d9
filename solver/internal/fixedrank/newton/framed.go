package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"gonum.org/v1/gonum/floats"
)

// A framed approximates the Hessian of F where the operator observes X = L W Rᵀ. With the second derivatives of an average, which
// are rowsᵢ·columnsⱼ/all = DᵢEⱼ/all, those of the loss are W ↦ LᵀDL W RᵀER/all. In dU and dV, with K = (LP)ᵀD(LP) and
// J = (RQ)ᵀE(RQ)/all, that is
//
//	dU ↦ LᵀDL dU S^½JS^½ + λ dU,   dV ↦ RᵀER dV S^½KS^½/all + λ dV,   M ↦ K M J + λ (Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ)
//
// P and Q are orthonormal, and LP and RQ are not: features, and most of all lists of what is observed, have directions that all
// columns share, such as popularity. A diagonal knows nothing of these. Without it MovieLens-1M with lists takes 2.5 times as
// many products in the factors, and eight times as many in M.
type framed[T gcg.Real] struct {
	a, b  *gramSide[T]                                               // or nil for M alone
	times func(u, v *gcg.FactorOf[T]) (left, right *gcg.FactorOf[T]) // with L and R, and
	back  func(gu, gv, x, y *gcg.FactorOf[T])                        // with their transposes
	core  *coreEquation                                              // or nil for the factors alone
}

// framedCore is that for M alone, where the observations see P and Q as left and right.
func framedCore[T gcg.Real](n *Iteration, c model.Curvature[T], left, right *gcg.FactorOf[T]) preconditioner[T] {
	k, j, _ := framedGrams(c.Weights(), left, right)
	return &framed[T]{core: newCoreEquation(k, j, n.sigma, n.lambda)}
}

// framedInverse is that for U and V of the local objective with the raised λ of bilinear, corrected along pairs of D.
func framedInverse[T gcg.Real](n *Iteration, c model.Curvature[T], left, right *gcg.FactorOf[T],
	raised float64) preconditioner[T] {
	k, j, all := framedGrams(c.Weights(), left, right)
	k.Scale(1 / all)
	l, r := c.Grams(n.Basis)
	inverse := &framed[T]{
		a:     newGramSide[T](l, rooted(j, n.sigma), raised),
		b:     newGramSide[T](r, rooted(k, n.sigma), raised),
		times: c.Times, back: c.BackTo,
	}
	return correctedAlong(n, inverse, onesOf(n.K()), n.closePairs())
}

// framedGrams are K, J and Σᵢ Dᵢ, see framed.
func framedGrams[T gcg.Real](w model.Weights, left, right *gcg.FactorOf[T]) (k, j *gcg.Factor, all float64) {
	for i := range w.ObservedRows.Rows {
		all += w.ObservedRows.Row(i)[0]
	}
	gram := func(f *gcg.FactorOf[T], weights *gcg.Factor) *gcg.Factor {
		x := gcg.FactorIn[float64](f)
		if any(x) == any(f) {
			x = x.Clone()
		}
		for i := range x.Rows {
			kernel.Scale(math.Sqrt(weights.Row(i)[0]), x.Row(i))
		}
		defer gcg.Repay(x)
		return gcg.TMul(x, x)
	}
	k, j = gram(left, w.ObservedRows), gram(right, w.ObservedColumns)
	j.Scale(1 / all)
	return k, j, all
}

// CoreTo writes the preconditioned M.
func (f *framed[T]) CoreTo(z, r *gcg.Factor) { f.core.solveTo(z, r) }

// blocksTo writes the preconditioned dU and dV.
func (f *framed[T]) blocksTo(z, r tangent[T]) {
	xa, wa := f.a.begin(r.a)
	xb, wb := f.b.begin(r.b)
	f.back(z.a, z.b, wa, wb)
	gcg.Repay(wa, wb)
	f.a.solveListed(z.a, xa)
	f.b.solveListed(z.b, xb)
	ya, yb := f.times(z.a, z.b)
	f.a.end(z.a, xa, ya)
	f.b.end(z.b, xb, yb)
}

// along has the diagonals of the approximation for each pair of a vector and an eigenvector of xᵀNx C, the sum of both sides'
// for the mean of the vectors. The columns of U and V have much in common, popularity first: along a combination of them in
// which that cancels the Hessian is a hundredth of its diagonal.
func (f *framed[T]) along(x, y *gcg.Factor) (da, db *gcg.Factor, turn *model.Spectrum[T]) {
	wx, wy := gcg.FactorIn[T](x), gcg.FactorIn[T](y)
	left, right := f.times(wx, wy)
	factor.RepayIn(wx, x)
	factor.RepayIn(wy, y)
	nx, ny := f.a.lengths(left), f.b.lengths(right)
	gcg.Repay(left, right)
	sum := f.a.of.Clone()
	sum.Scale(floats.Sum(nx))
	sum.AddScaled(floats.Sum(ny), f.b.of)
	s := model.NewSpectrum(sum)
	gcg.Repay(sum)
	to := model.SpectrumIn[T](s)
	return f.a.along(nx, s.Vectors), f.b.along(ny, s.Vectors), &to
}

// repay gives its memory back.
func (f *framed[T]) repay() {
	if f.a != nil {
		f.a.repay()
		f.b.repay()
	}
}

// A gramSide inverts X ↦ LᵀDL X C + λX for L = [diag(α) L₂] and C = YΔYᵀ (k×k), column c of X Y by itself. For the rows of
// indicators that takes B = diag(1/(Δ_c α²D + λ)), and with these eliminated
//
//	λ + Δ_c L₂ᵀ D λB L₂ = λ(I + L₂ᵀ diag(φ/α²) L₂),   φ = Δ_c α²D B
//
// is left for those of features, which is about λ + λφ_c N for the mean φ_c of φ, and N = diag(d) + F Fᵀ of the Gram. With
// E = diag(1/(λφ_c d + λ)) its inverse is E - E F (I/(λφ_c) + FᵀE F)⁻¹ Fᵀ E. To eliminate takes a product with L₂ᵀ, and one with
// L₂ afterwards.
type gramSide[T gcg.Real] struct {
	gram   *model.Gram
	of     *gcg.Factor        // C
	lambda float64            // with its floor
	y, yt  *gcg.FactorOf[T]   // Y and Yᵀ
	own    *gcg.FactorOf[T]   // B, a column each
	couple *gcg.FactorOf[T]   // Δ_c αD B, likewise
	f      *gcg.FactorOf[T]   // F (q×r)
	listed *gcg.FactorOf[T]   // E, likewise
	small  []*gcg.FactorOf[T] // (I/(λφ_c) + FᵀE F)⁻¹
}

// newGramSide is for a Gram and C.
func newGramSide[T gcg.Real](g *model.Gram, c *gcg.Factor, lambda float64) *gramSide[T] {
	s := model.NewSpectrum(c)
	var top float64
	for i, d := range g.Weights {
		top = math.Max(top, d*g.Scale[i]*g.Scale[i])
	}
	q := &gramSide[T]{gram: g, of: c, lambda: lambda + flatFloor*top*s.Top() + 1e-300,
		y: gcg.FactorIn[T](s.Vectors), yt: gcg.FactorIn[T](s.VectorsT), f: gcg.FactorIn[T](g.F)}
	phi := q.eliminate(s.Values)
	wide := gcg.NewFactor(len(g.Own), len(phi))
	for i, d := range g.Own {
		row := wide.Row(i)
		for c, t := range phi {
			row[c] = 1 / (q.lambda*t*d + q.lambda)
		}
	}
	work := g.F.Clone()
	for c, t := range phi {
		q.small = append(q.small, smallInverse[T](work, g.F, wide, c, q.lambda*t))
	}
	q.listed = gcg.FactorIn[T](wide)
	factor.RepayIn(wide, q.listed)
	gcg.Repay(work)
	return q
}

// eliminate sets what takes the rows of indicators out for each Δ_c, and returns the φ_c.
func (s *gramSide[T]) eliminate(delta []float64) (phi []float64) {
	g, observed := s.gram, 0.0
	s.own, s.couple = gcg.NewFactorOf[T](len(g.Weights), len(delta)), gcg.NewFactorOf[T](len(g.Weights), len(delta))
	phi = make([]float64, len(delta))
	for i, d := range g.Weights {
		if d > 0 {
			observed++
		}
		own, couple := s.own.Row(i), s.couple.Row(i)
		for c, t := range delta {
			bend := t * g.Scale[i] * g.Scale[i] * d
			own[c], couple[c] = T(1/(bend+s.lambda)), T(bend/(bend+s.lambda)/g.Scale[i])
			phi[c] += bend / (bend + s.lambda)
		}
	}
	for c := range phi {
		phi[c] /= math.Max(observed, 1)
	}
	return phi
}

// smallInverse is (I/t + FᵀBF)⁻¹ for B = diag(inverse_c). work is work space of the size of F.
func smallInverse[T gcg.Real](work, f, inverse *gcg.Factor, c int, t float64) *gcg.FactorOf[T] {
	r := f.K
	if r == 0 {
		return nil
	}
	factor.Copy(work, f)
	work.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			kernel.Scale(math.Sqrt(t*inverse.Row(i)[c]), work.Row(i))
		}
	})
	h := gcg.TMul(work, work)
	defer gcg.Repay(h)
	for i := range r {
		h.Row(i)[i]++
	}
	_, root, ok := linalg.InverseRoot(h.Data, r, h.Stride, 0) // its eigenvalues are 1 and more
	small := gcg.SmallIn[T](r, r)
	if !ok {
		return small
	}
	x := gcg.NewFactor(r, r)
	for i := range r {
		copy(x.Row(i), root[i*r:(i+1)*r])
	}
	inverted := gcg.TMul(x, x)
	for i := range r {
		kernel.Scale(t, inverted.Row(i))
		kernel.Convert(small.Row(i), inverted.Row(i))
	}
	gcg.Repay(x, inverted)
	return small
}

// begin returns x = r Y, and the w whose L₂ᵀw the rows of features lose.
func (s *gramSide[T]) begin(r *gcg.FactorOf[T]) (x, w *gcg.FactorOf[T]) {
	x, w = gcg.Mul(r, s.y), gcg.Room[T](s.own.Rows, s.own.K)
	factor.Multiply(w, x, s.couple)
	return x, w
}

// solveListed solves for the rows of features of x less those of z. It leaves zeros in the others of z.
func (s *gramSide[T]) solveListed(z, x *gcg.FactorOf[T]) {
	m := s.own.Rows
	clear(z.Data[:m*z.Stride])
	z, x = model.Behind(z, m), model.Behind(x, m)
	x.AddScaled(-1, z)
	factor.Multiply(z, x, s.listed)
	if s.f.K == 0 {
		return
	}
	t := gcg.TMul(s.f, z) // r×k
	rows := factor.Transposed(t, s.f.K)
	out := gcg.SmallIn[T](s.f.K, x.K)
	for c, w := range s.small {
		for i := range s.f.K {
			out.Row(i)[c] = T(-kernel.Dot(w.Row(i), rows.Row(c)))
		}
	}
	x.AddMul(s.f, out)
	factor.Multiply(z, x, s.listed)
	gcg.Repay(t, rows, out)
}

// end solves for the rows of indicators, where y is L₂ times the others of z, and turns all back. It takes the memory of x and y.
func (s *gramSide[T]) end(z, x, y *gcg.FactorOf[T]) {
	m := s.own.Rows
	own := &gcg.FactorOf[T]{Rows: m, K: x.K, Stride: x.Stride, Data: x.Data[:m*x.Stride]}
	factor.Multiply(own, own, s.own)
	factor.Multiply(y, y, s.couple)
	own.AddScaled(-1, y)
	factor.Copy(model.Behind(x, m), model.Behind(z, m))
	z.MulTo(x, s.yt)
	gcg.Repay(x, y)
}

// lengths are xᵀLᵀDLx for each column of L X.
func (s *gramSide[T]) lengths(seen *gcg.FactorOf[T]) []float64 {
	lengths := make([]float64, seen.K)
	for i, d := range s.gram.Weights {
		for c, v := range seen.Row(i)[:seen.K] {
			lengths[c] += d * float64(v) * float64(v)
		}
	}
	return lengths
}

// along is n zᵀC z + λ for each n = xᵀN x and each column z of Z (k×k).
func (s *gramSide[T]) along(lengths []float64, z *gcg.Factor) *gcg.Factor {
	cz := gcg.Mul(s.of, z)
	defer gcg.Repay(cz)
	d := gcg.Small(len(lengths), z.K)
	for l, n := range lengths {
		for c, t := range cz.ColumnDots(z) {
			d.Row(l)[c] = n*t + s.lambda
		}
	}
	return d
}

// repay gives its memory back.
func (s *gramSide[T]) repay() { gcg.Repay(s.own, s.couple, s.listed) }
