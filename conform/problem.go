// Package conform holds the checks that every implementation of an interface passes: [Operator], [Loss], [Gauge], a whole
// [Problem], and the [State] that a method leaves. The tests of this module run them, and gcg check runs them on the user's own
// data.
package conform

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A Check is one property, with its error relative to the quantities in it, and the largest error that passes.
type Check struct {
	Name  string
	Error float64
	Limit float64
}

// OK reports whether Error ≤ Limit.
func (c Check) OK() bool { return c.Error <= c.Limit }

func (c Check) String() string {
	word := "ok"
	if !c.OK() {
		word = "FAILED"
	}
	return fmt.Sprintf("%-6s  %.1e of %.0e  %s", word, c.Error, c.Limit, c.Name)
}

// Problem checks the adjoint identity, the gradient and the polar of a problem at random points.
func Problem(ctx context.Context, p *gcg.Problem, seed uint64) ([]Check, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	var checks []Check
	if _, _, nobs := p.Operator.Dims(); nobs > 0 {
		checks = append(Operator(p.Operator, rng), Loss(p.Loss, rng)...)
	} else { // squares that keep no predictions
		c, err := slope(p, rng)
		if err != nil {
			return nil, err
		}
		checks = []Check{c}
	}
	w := randomIterate(p.Operator, rng)
	s, err := gcg.NewState(p, w)
	if err != nil {
		return nil, err
	}
	more, err := Gauge(ctx, p.Gauge, s.Gradient(p), rng)
	return append(checks, more...), err
}

// slope checks ⟨a, G⟩, G = -∇L at a random W, against the central difference of L along an atom, which is exact of squares.
func slope(p *gcg.Problem, rng *rand.Rand) (Check, error) {
	w := randomIterate(p.Operator, rng)
	m, n := w.M, w.N
	a := gcg.RankOne(unit(rng, m), unit(rng, n))
	s, err := gcg.NewState(p, w.Clone())
	if err != nil {
		return Check{}, err
	}
	along := a.Dot(s.Gradient(p)) // before the squares move
	var value [2]float64
	for k, by := range []float64{1, -1} {
		there := w.Clone()
		there.Add([]gcg.Atom{a}, []float64{by})
		if s, err = gcg.NewState(p, there); err != nil {
			return Check{}, err
		}
		value[k] = s.Loss
	}
	off := math.Abs((value[0]-value[1])/2+along) / math.Max(math.Abs(along), 1e-300)
	return Check{"gradient: ⟨a, G⟩ equals the difference of L", off, 1e-6}, nil
}

func randomIterate(op gcg.Operator, rng *rand.Rand) *gcg.Iterate {
	m, n, _ := op.Dims()
	w := &gcg.Iterate{M: m, N: n}
	for range 2 {
		w.Add([]gcg.Atom{gcg.RankOne(unit(rng, m), unit(rng, n))}, []float64{1 + rng.Float64()})
	}
	return w
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func unit(rng *rand.Rand, n int) []float64 {
	x := normals(rng, n)
	norm := gcg.Norm(x)
	for i := range x {
		x[i] /= norm
	}
	return x
}

// Operator checks ⟨A(a), r⟩ = ⟨a, A*(r)⟩ for rank-one and sparse atoms, and that blocks agree with the whole. The optional
// products of the adjoint must agree with its plain ones, and so must an Applier's predictions and the columns of single entries
// where the operator gives them.
func Operator(op gcg.Operator, rng *rand.Rand) []Check {
	m, n, nobs := op.Dims()
	r := normals(rng, nobs)
	g := op.Adjoint(r)
	var worst, blocks float64
	for _, a := range []gcg.Atom{gcg.RankOne(unit(rng, m), unit(rng, n)), sparseAtom(rng, m, n)} {
		z := make([]float64, nobs)
		op.AtomTo(z, 0, &a)
		left, right := dot(z, r), a.Dot(g)
		worst = math.Max(worst, math.Abs(left-right)/math.Max(gcg.Norm(z)*gcg.Norm(r), 1e-300))
		cut, scale := nobs/3, math.Max(gcg.Norm(z), 1e-300)
		part := make([]float64, nobs-cut)
		op.AtomTo(part, cut, &a)
		for i, x := range part {
			blocks = math.Max(blocks, math.Abs(x-z[cut+i])/scale)
		}
	}
	checks := []Check{
		{"adjoint: ⟨A(a), r⟩ = ⟨a, A*(r)⟩", worst, 1e-10},
		{"operator: a block equals its part of the whole", blocks, 1e-12},
		{"adjoint: block products equal single ones", blockProducts(g, rng), 1e-11},
	}
	if whole, is := op.(gcg.Applier); is {
		checks = append(checks, Check{"operator: ApplyTo equals FactoredTo", applied(whole, rng), 1e-11})
	}
	if c := view.OfOperator(op).Columns; c != nil {
		checks = append(checks, Check{"operator: columns equal A at unit matrices", columns(c, rng), 1e-12})
	}
	if b := view.OfOperator(op).Bounding; b != nil {
		checks = append(checks, Check{"operator: bounds of gradients hold", bounds(b, rng), 1e-12})
	}
	return checks
}

// applied is how far the predictions of some factors that are made at once are from those that are made as a block.
func applied(op gcg.Applier, rng *rand.Rand) float64 {
	m, n, nobs := op.Dims()
	u, v := gcg.NewFactor(m, 2), gcg.NewFactor(n, 2)
	for c := range 2 {
		u.SetColumn(c, normals(rng, m), 1)
		v.SetColumn(c, normals(rng, n), 1)
	}
	z, want := make([]float64, nobs), make([]float64, nobs)
	op.ApplyTo(z, u, v)
	op.FactoredTo(want, 0, u, v)
	return distance(want, z)
}

func sparseAtom(rng *rand.Rand, m, n int) gcg.Atom {
	i, j := int32(rng.IntN(m)), int32(rng.IntN(n))
	return gcg.Atom{Rows: []int32{i}, Cols: []int32{j}, Vals: []float64{1}}
}

func blockProducts(g gcg.Map, rng *rand.Rand) float64 {
	m, n := g.Dims()
	u, v := gcg.NewFactor(m, 3), gcg.NewFactor(n, 3)
	for c := range 3 {
		u.SetColumn(c, normals(rng, m), 1)
		v.SetColumn(c, normals(rng, n), 1)
	}
	gv, gu := gcg.Both(g, u, v)
	var worst float64
	x, y, out, want := make([]float64, n), make([]float64, m), make([]float64, m), make([]float64, m)
	back, wantBack := make([]float64, n), make([]float64, n)
	for c := range 3 {
		v.ColumnTo(x, c)
		u.ColumnTo(y, c)
		g.MulTo(out, x)
		g.TMulTo(back, y)
		gv.ColumnTo(want, c)
		gu.ColumnTo(wantBack, c)
		worst = math.Max(worst, math.Max(distance(out, want), distance(back, wantBack)))
	}
	return worst
}

func distance(a, b []float64) float64 {
	var d float64
	for i := range a {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d / math.Max(gcg.Norm(a), 1e-300)
}

// differenceStep is the step of central differences: its square, their error, is far below the tolerances, and the rounding of
// values over it still is.
const differenceStep = 1e-5

// Loss checks the derivative against differences, convexity along a line, and the second derivative against differences of the
// first. The conjugate must attain Fenchel's inequality at a gradient. Nothing may be beyond the conjugate, the infimum and the
// curvature, on which certificates and steps rely.
func Loss(l gcg.Loss, rng *rand.Rand) []Check {
	n := observed(l)
	z, d := normals(rng, n), normals(rng, n)
	r, scratch := make([]float64, n), make([]float64, n)
	at := func(t float64) float64 {
		for i := range scratch {
			scratch[i] = z[i] + t*d[i]
		}
		return l.Eval(0, scratch, nil)
	}
	f := l.Eval(0, z, r)
	slope := (at(differenceStep) - at(-differenceStep)) / (2 * differenceStep)
	scale := math.Max(math.Abs(f), math.Max(gcg.Norm(r)*gcg.Norm(d), 1e-300))
	checks := []Check{
		{"loss: derivative equals differences", math.Abs(slope+dot(r, d)) / scale, 1e-6},
		{"loss: convex along a line", math.Max(0, 2*f-at(1)-at(-1)) / scale, 1e-12},
	}
	can := view.OfLoss(l)
	if _, bent := l.(interface {
		HessTo(dst []float64, lo int, z, e []float64)
	}); bent && can.Curved == nil {
		checks = append(checks, Check{"loss: HessTo comes with Curvature, for Newton steps", 1, 0})
	}
	if can.Single != nil {
		checks = append(checks, single(can.Single, z, r, f)...)
	}
	if c := can.Conjugate; c != nil {
		// Equality at p = ∇L(z): L(z) + L*(p) = ⟨p, z⟩.
		gap := f + c.Conjugate(0, r, 1) + dot(r, z)
		checks = append(checks, Check{"loss: L(z) + L*(∇L(z)) = ⟨∇L(z), z⟩", math.Abs(gap) / scale, 1e-9})
	}
	if can.Curved != nil {
		checks = append(checks, curved(l, z, d, r)...)
	}
	return append(checks, lossBounds(l, z, r, rng)...)
}

// curved checks the second derivative along d, in all its forms, against differences of the first; r is -∇L(z).
func curved(l gcg.Loss, z, d, r []float64) []Check {
	can, n := view.OfLoss(l), len(z)
	hess, up, down, at := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	can.Curved.HessTo(hess, 0, z, d)
	gradientTo := func(r []float64, t float64) {
		for i := range at {
			at[i] = z[i] + t*d[i]
		}
		l.Eval(0, at, r)
	}
	gradientTo(up, differenceStep)
	gradientTo(down, -differenceStep)
	const rounding = 4 * 0x1p-52 / differenceStep // of differences, relative to what is subtracted: targets may be far larger than z
	var off float64
	for i := range up {
		off = math.Max(off, math.Abs((down[i]-up[i])/(2*differenceStep)-hess[i])-rounding*math.Abs(up[i]))
	}
	checks := []Check{{"loss: second derivative equals differences", off / math.Max(gcg.Norm(hess), 1e-300), 1e-5}}
	if can.Separable {
		checks = append(checks, separable(can.Curved, z, d, hess))
	}
	if memo := can.Outer; memo != nil {
		from := slices.Clone(d)
		memo.HessFromTo(from, 0, r, from)
		checks = append(checks, Check{"loss: second derivative of the residual is that of z", distance(from, hess), 1e-9})
		checks = append(checks, memoized(memo, r, d, hess)...)
	}
	return checks
}

// observed is the number of observations that are checked: of the first 64 rows, or all where a loss has several segments.
func observed(l gcg.Loss) int {
	if _, several := gcg.Segments(l); several {
		return l.Len()
	}
	return min(l.Len(), 64*l.Stride())
}

// single checks the residual r and the loss f at z in float32.
func single(l view.Single, z, r []float64, f float64) []Check {
	z32, got := make([]float32, len(z)), make([]float64, len(z))
	for i := range z {
		z32[i] = float32(z[i])
	}
	value := l.Residual32(0, z32)
	for i := range z {
		got[i] = float64(z32[i])
	}
	return []Check{
		{"loss: the value in float32 equals that in float64", math.Abs(value-f) / math.Max(math.Abs(f), 1e-300), 1e-6},
		{"loss: the derivative in float32 equals that in float64", distance(r, got), 1e-5},
	}
}

// memoized checks what else a residual r gives, at a direction d with H d = hess.
func memoized(l gcg.OuterLoss, r, d, hess []float64) []Check {
	n := len(r)
	r32, d32 := make([]float32, n), make([]float32, n)
	for i := range r {
		r32[i], d32[i] = float32(r[i]), float32(d[i])
	}
	l.HessFrom32To(d32, 0, r32, d32)
	got, diagonal, want := make([]float64, n), make([]float64, n), make([]float64, n)
	l.DiagonalFromTo(diagonal, 0, r)
	column := make([]float64, n)
	for i := range got {
		got[i] = float64(d32[i])
	}
	for j := range l.Stride() { // one place of every group
		clear(column)
		for i := j; i < n; i += l.Stride() {
			column[i] = 1
		}
		l.HessFromTo(column, 0, r, column)
		for i := j; i < n; i += l.Stride() {
			want[i] = column[i]
		}
	}
	return []Check{
		{"loss: second derivative in float32 equals the one in float64", distance(got, hess), 1e-4},
		{"loss: diagonal of the second derivative equals its columns", distance(diagonal, want), 1e-9},
	}
}

// separable checks that second derivatives of one observation are the same without the others.
func separable(l gcg.CurvedLoss, z, d, hess []float64) Check {
	half, alone := make([]float64, len(d)), make([]float64, len(d))
	for i := 0; i < len(d); i += 2 {
		half[i] = d[i]
	}
	l.HessTo(alone, 0, z, half)
	want := make([]float64, len(d))
	for i := 0; i < len(d); i += 2 {
		want[i] = hess[i]
	}
	return Check{"loss: separable: no two observations are coupled", distance(alone, want), 1e-15}
}

func dot(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
