package inductive

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Lister multiplies with cells B (m×n) of zeros and ones, by passes over them: operator.Sampling. A row of B lists the columns
// where it is one, and a column the rows.
type Lister interface {
	Dims() (m, n, nobs int)
	// ListsTo writes gu = B v and gv = Bᵀ u in one pass; what is nil is left out.
	ListsTo(gu, gv, u, v *gcg.Factor)
	// Lists32To is ListsTo in float32.
	Lists32To(gu, gv, u, v *gcg.Factor32)
}

// lists multiplies with B in the precision of the factors.
func lists[T gcg.Real](o *Operator, gu, gv, u, v *gcg.FactorOf[T]) {
	switch gu := any(gu).(type) {
	case *gcg.Factor:
		o.lister.ListsTo(gu, any(gv).(*gcg.Factor), any(u).(*gcg.Factor), any(v).(*gcg.Factor))
	case *gcg.Factor32:
		o.lister.Lists32To(gu, any(gv).(*gcg.Factor32), any(u).(*gcg.Factor32), any(v).(*gcg.Factor32))
	}
}

// listed is the part of a factor of all rows of W that lists have, and nil where there is none.
func listed[T gcg.Real](s *Side, w *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	if w == nil || s.Listed == nil {
		return nil
	}
	return &gcg.FactorOf[T]{Rows: s.Lists, K: w.K, Stride: w.Stride, Data: w.Data[(s.N+s.P)*w.Stride:]}
}

// timesBoth is S W for both sides, in new factors; one of them may be nil, and is then left out.
func timesBoth[T gcg.Real](o *Operator, u, v *gcg.FactorOf[T]) (left, right *gcg.FactorOf[T]) {
	if u != nil {
		left = times(o.left, u)
	}
	if v != nil {
		right = times(o.right, v)
	}
	ofLeft, ofRight := listed(o.left, u), listed(o.right, v)
	if ofLeft == nil && ofRight == nil {
		return left, right
	}
	var gu, gv *gcg.FactorOf[T]
	if ofLeft != nil { // the features of a row are columns
		gu = gcg.Room[T](o.left.N, u.K)
	}
	if ofRight != nil {
		gv = gcg.Room[T](o.right.N, v.K)
	}
	lists(o, gu, gv, ofRight, ofLeft)
	addRows(left, gu, o.left.Listed)
	addRows(right, gv, o.right.Listed)
	return left, right
}

// addRows adds to each row of x its weight times that of y, nil for none, which it gives back.
func addRows[T gcg.Real](x, y *gcg.FactorOf[T], weight []float64) {
	if y == nil {
		return
	}
	x.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			kernel.Axpy(T(weight[i]), y.Row(i), x.Row(i))
		}
	})
	gcg.Repay(y)
}

// weighted is rows of x times their weights, in a new factor.
func weighted[T gcg.Real](x *gcg.FactorOf[T], weight []float64) *gcg.FactorOf[T] {
	y := gcg.Room[T](x.Rows, x.K)
	x.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(y.Row(i), x.Row(i))
			kernel.Scale(T(weight[i]), y.Row(i))
		}
	})
	return y
}

// transposeBoth writes gu = Lᵀ X and gv = Rᵀ Y; one of the pairs may be nil, and is then left out.
func transposeBoth[T gcg.Real](o *Operator, gu, gv, x, y *gcg.FactorOf[T]) {
	if gu != nil {
		transposeTo(o.left, gu, x)
	}
	if gv != nil {
		transposeTo(o.right, gv, y)
	}
	ofLeft, ofRight := listed(o.left, gu), listed(o.right, gv)
	if ofLeft == nil && ofRight == nil {
		return
	}
	var wx, wy *gcg.FactorOf[T]
	if ofLeft != nil {
		wx = weighted(x, o.left.Listed)
	}
	if ofRight != nil {
		wy = weighted(y, o.right.Listed)
	}
	lists(o, ofRight, ofLeft, wx, wy)
	for _, f := range []*gcg.FactorOf[T]{wx, wy} {
		if f != nil {
			gcg.Repay(f)
		}
	}
}
