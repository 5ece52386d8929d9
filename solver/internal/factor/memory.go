package factor

import (
	"github.com/seed-b18ef778/gcg"
)

// RepayIn ends g, which gcg.FactorIn made of f, unless it is f itself.
func RepayIn[T, S gcg.Real](g *gcg.FactorOf[T], f *gcg.FactorOf[S]) {
	if any(g) != any(f) {
		gcg.Repay(g)
	}
}

// RepayNarrow ends what gcg.FactorIn made of factors in float64, which is nothing where T is float64.
func RepayNarrow[T gcg.Real](all ...*gcg.FactorOf[T]) {
	if narrow, made := any(all).([]*gcg.Factor32); made {
		gcg.Repay(narrow...)
	}
}

// RepayFormer ends the factors u, v that W had, unless W still has the memory of one of them, be it behind another header.
func RepayFormer(u, v *gcg.Factor, w *gcg.Iterate) {
	if !shared(u, w.U) && !shared(u, w.V) && !shared(v, w.U) && !shared(v, w.V) {
		gcg.Repay(u, v)
	}
}

// shared says that two factors are in the same memory.
func shared(f, g *gcg.Factor) bool {
	return f == g || f != nil && g != nil && len(f.Data) > 0 && len(g.Data) > 0 && &f.Data[0] == &g.Data[0]
}
