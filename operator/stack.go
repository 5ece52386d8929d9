package operator

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
)

// Stack is W ↦ (A₁ W, A₂ W, …): the observations of the second operator follow those of the first. With a loss.Stack it makes
// L(A W) + g(B W), or views with losses of their own, a problem of one operator and one loss. Its adjoint is the sum of those of
// the parts, a gcg.Sum.
//
// What all parts can do the stack can: single columns (Columns), and the passes for the squared loss of Sampling. Where some
// parts name the constants of an intercept (gcg.InterceptOperator), so does the stack, and the others keep those of their loss.
// It passes on none of the other capabilities, which have no sum or are of one factor's rows. It refuses no parts, parts of
// different sizes, and a gcg.Squares, which shows no observations.
func Stack(parts ...gcg.Operator) (gcg.Operator, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("operator: a stack has at least one part")
	}
	s := &stack{parts: parts, cut: make([]int, len(parts)+1)}
	s.m, s.n, _ = parts[0].Dims()
	for i, p := range parts {
		m, n, nobs := p.Dims()
		if m != s.m || n != s.n {
			return nil, fmt.Errorf("operator: part %d of the stack takes %d×%d matrices, the first one %d×%d", i+1, m, n,
				s.m, s.n)
		}
		if _, ok := p.(interface {
			Move(u, v *gcg.Factor) float64
		}); ok {
			return nil, fmt.Errorf("operator: part %d of the stack is a %T, which shows no observations", i+1, p)
		}
		s.cut[i+1] = s.cut[i] + nobs
	}
	s.findIntercepts()
	c, f := stackColumns{s, gcg.Every[columned](parts)}, stackPasses{s, gcg.Every[fused](parts)}
	switch {
	case c.parts != nil && f.parts != nil:
		return &struct {
			*stack
			stackColumns
			stackPasses
		}{s, c, f}, nil
	case c.parts != nil:
		return &struct {
			*stack
			stackColumns
		}{s, c}, nil
	case f.parts != nil:
		return &struct {
			*stack
			stackPasses
		}{s, f}, nil
	}
	return s, nil
}

// What a stack asks of its parts, once: of all of them, or it does not have it.
type (
	columned interface {
		Columns(rows, cols []int32) []gcg.Column
	}
	fused interface {
		ResidualTo(r, y []float64, u, v *gcg.Factor) float64
		CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor)
		Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32)
		NormalTo(gu, x, v *gcg.Factor)
		Normal32To(gu, x, v *gcg.Factor32)
		DiagonalTo(du, dv, u2, v2 *gcg.Factor)
	}
)

// A stack has the methods that every operator has.
type stack struct {
	parts     []gcg.Operator
	cut       []int // part i has the observations from cut[i] to cut[i+1]
	m, n      int
	constants int     // of the parts that name some
	of        []int32 // the constant of each observation, -1 where the part names none; nil where no part does
}

// findIntercepts numbers the constants of the parts in their order.
func (s *stack) findIntercepts() {
	for i, p := range s.parts {
		op, ok := p.(interface {
			Intercepts() (count int, of []int32)
		})
		if !ok {
			continue
		}
		count, of := op.Intercepts()
		if of == nil {
			continue
		}
		if s.of == nil {
			s.of = make([]int32, s.cut[len(s.parts)])
			for t := range s.of {
				s.of[t] = -1
			}
		}
		for t, c := range of {
			if c >= 0 {
				s.of[s.cut[i]+t] = int32(s.constants) + c
			}
		}
		s.constants += count
	}
}

func (s *stack) Intercepts() (count int, of []int32) { return s.constants, s.of }

// Parts are the operators, in the order of their observations.
func (s *stack) Parts() []gcg.Operator { return s.parts }

// Dims is the size m×n of W and the number of all observations.
func (s *stack) Dims() (m, n, nobs int) { return s.m, s.n, s.cut[len(s.parts)] }

// each calls f for the parts that the observations of z, from lo on, reach into, with those of the part and the number of its
// first.
func (s *stack) each(z []float64, lo int, f func(p gcg.Operator, z []float64, lo int)) {
	for i, p := range s.parts {
		if from, to := max(lo, s.cut[i]), min(lo+len(z), s.cut[i+1]); from < to {
			f(p, z[from-lo:to-lo], from-s.cut[i])
		}
	}
}

func (s *stack) AtomTo(z []float64, lo int, a *gcg.Atom) {
	s.each(z, lo, func(p gcg.Operator, z []float64, lo int) { p.AtomTo(z, lo, a) })
}

func (s *stack) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	s.each(z, lo, func(p gcg.Operator, z []float64, lo int) { p.FactoredTo(z, lo, u, v) })
}

// Adjoint is A₁*(r₁) + A₂*(r₂) + ….
func (s *stack) Adjoint(r []float64) gcg.Map {
	maps := make([]gcg.Map, len(s.parts))
	for i, p := range s.parts {
		maps[i] = p.Adjoint(r[s.cut[i]:s.cut[i+1]])
	}
	return gcg.Sum(maps...)
}

// stackColumns are the columns of a stack whose parts have them.
type stackColumns struct {
	s     *stack
	parts []columned
}

// Columns lists the observations of all parts; the values are copied.
func (c stackColumns) Columns(rows, cols []int32) []gcg.Column {
	all := make([]gcg.Column, len(rows))
	for t := range all {
		all[t].Stride = 1
		all[t].Index = []int32{}
	}
	for i, p := range c.parts {
		for t, part := range p.Columns(rows, cols) {
			for e, x := range part.Values {
				all[t].Index = append(all[t].Index, int32(c.s.cut[i]+part.At(e)))
				all[t].Values = append(all[t].Values, x)
			}
		}
	}
	return all
}

// stackPasses are the passes of a stack whose parts have them: sums over the parts.
type stackPasses struct {
	s     *stack
	parts []fused
}

func (f stackPasses) ResidualTo(r, y []float64, u, v *gcg.Factor) (sum float64) {
	for i, part := range f.parts {
		lo, hi := f.s.cut[i], f.s.cut[i+1]
		sum += part.ResidualTo(r[lo:hi], y[lo:hi], u, v)
	}
	return sum
}

func (f stackPasses) CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor) {
	sumParts(f.s, gu, gv, func(i int, gu, gv *gcg.Factor) {
		f.parts[i].CurvatureTo(gu, gv, r[f.s.cut[i]:f.s.cut[i+1]], u, v, du, dv)
	})
}

func (f stackPasses) Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32) {
	sumParts(f.s, gu, gv, func(i int, gu, gv *gcg.Factor32) {
		f.parts[i].Curvature32To(gu, gv, r[f.s.cut[i]:f.s.cut[i+1]], u, v, du, dv)
	})
}

func (f stackPasses) NormalTo(gu, x, v *gcg.Factor) {
	sumParts(f.s, gu, nil, func(i int, gu, _ *gcg.Factor) { f.parts[i].NormalTo(gu, x, v) })
}

func (f stackPasses) Normal32To(gu, x, v *gcg.Factor32) {
	sumParts(f.s, gu, nil, func(i int, gu, _ *gcg.Factor32) { f.parts[i].Normal32To(gu, x, v) })
}

func (f stackPasses) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	sumParts(f.s, du, dv, func(i int, du, dv *gcg.Factor) { f.parts[i].DiagonalTo(du, dv, u2, v2) })
}

// sumParts overwrites gu, and gv if it is not nil, with the sum of what add writes for each part, in their order.
func sumParts[T gcg.Real](s *stack, gu, gv *gcg.FactorOf[T], add func(i int, gu, gv *gcg.FactorOf[T])) {
	add(0, gu, gv)
	if len(s.parts) == 1 {
		return
	}
	mu := gcg.Room[T](gu.Rows, gu.K)
	var mv *gcg.FactorOf[T]
	if gv != nil {
		mv = gcg.Room[T](gv.Rows, gv.K)
	}
	defer gcg.Repay(mu, mv)
	for i := 1; i < len(s.parts); i++ {
		add(i, mu, mv)
		if gu.AddScaled(1, mu); gv != nil {
			gv.AddScaled(1, mv)
		}
	}
}
