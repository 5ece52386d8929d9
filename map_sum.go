package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Sum is G₁ + G₂ + …, of at least one map, all of one size. It keeps the capabilities that all of them have.
func Sum(parts ...Map) Map {
	if len(parts) == 1 {
		return parts[0]
	}
	sameDims(parts)
	return keep(&sumMap{parts}, parts...)
}

// sameDims panics where there are no maps, or two of them differ in size.
func sameDims(parts []Map) {
	if len(parts) == 0 {
		panic("gcg: no maps have no sum")
	}
	m, n := parts[0].Dims()
	for _, p := range parts[1:] {
		if k, l := p.Dims(); k != m || l != n {
			panic(fmt.Sprintf("gcg: a %d×%d map and a %d×%d map have no sum", m, n, k, l))
		}
	}
}

type sumMap struct{ parts []Map }

func (s *sumMap) Dims() (m, n int) { return s.parts[0].Dims() }

func (s *sumMap) MulTo(dst, x []float64) {
	addUp(dst, s.parts, func(g Map, dst []float64) { g.MulTo(dst, x) })
}

func (s *sumMap) TMulTo(dst, y []float64) {
	addUp(dst, s.parts, func(g Map, dst []float64) { g.TMulTo(dst, y) })
}

func (s *sumMap) RowsTo(dst []float64, lo int) {
	addUp(dst, s.parts, func(g Map, dst []float64) { RowsTo(g, dst, lo) })
}

// addUp overwrites dst with the sum of what f writes for each part, in their order.
func addUp(dst []float64, parts []Map, f func(g Map, dst []float64)) {
	f(parts[0], dst)
	more := memory.Borrow[float64](len(dst))
	defer memory.Repay(more)
	for _, g := range parts[1:] {
		f(g, more)
		par.Pieces(len(dst), func(lo, hi int) { kernel.Axpy(1, more[lo:hi], dst[lo:hi]) })
	}
}

func (s *sumMap) MulBlockTo(dst, x *Factor) {
	MulBlock(s.parts[0], dst, x)
	more := Room[float64](dst.Rows, dst.K)
	defer Repay(more)
	for _, g := range s.parts[1:] {
		MulBlock(g, more, x)
		dst.AddScaled(1, more)
	}
}

func (s *sumMap) TMulBlockTo(dst, y *Factor) {
	TMulBlock(s.parts[0], dst, y)
	more := Room[float64](dst.Rows, dst.K)
	defer Repay(more)
	for _, g := range s.parts[1:] {
		TMulBlock(g, more, y)
		dst.AddScaled(1, more)
	}
}

func (s *sumMap) BothTo(gv, gu, u, v *Factor) {
	bothTo(s.parts[0], gv, gu, u, v)
	mv, mu := Room[float64](gv.Rows, gv.K), Room[float64](gu.Rows, gu.K)
	defer Repay(mv, mu)
	for _, g := range s.parts[1:] {
		bothTo(g, mv, mu, u, v)
		gv.AddScaled(1, mv)
		gu.AddScaled(1, mu)
	}
}
