package operator

import "github.com/seed-b18ef778/gcg"

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
