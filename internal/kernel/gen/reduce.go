package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reduce sums the lanes of each of 8, 4 or 1 vectors, and returns the sums in one short vector, in order.
func (s *isa) reduce(a []reg.VecVirtual) reg.VecVirtual {
	if len(a) == 1 {
		return s.sumLanes(a[0])
	}
	if s.f32 {
		return s.reduce32(a)
	}
	pairs := make([]reg.VecVirtual, len(a)/2) // each: lanes alternate between sums of the first and of the second
	for i := range pairs {
		pairs[i] = s.addShuffled(s.unpckl, s.unpckh, a[2*i], a[2*i+1])
	}
	if s.size == 32 {
		return s.joinHalves(pairs[0], pairs[1])
	}
	quads := make([]reg.VecVirtual, len(pairs)/2)
	for i := range quads {
		quads[i] = s.joinQuarters(pairs[2*i], pairs[2*i+1])
	}
	return low(s.joinQuarters(quads[0], quads[len(quads)-1]), 8*len(a))
}

// reduce32 is reduce for vectors of 8 float32.
func (s *isa) reduce32(a []reg.VecVirtual) reg.VecVirtual {
	quads := make([]reg.VecVirtual, len(a)/4)
	for i := range quads {
		p := s.addShuffled(s.unpckl, s.unpckh, a[4*i], a[4*i+1])
		q := s.addShuffled(s.unpckl, s.unpckh, a[4*i+2], a[4*i+3])
		quads[i] = s.addShuffled(VUNPCKLPD, VUNPCKHPD, p, q)
	}
	if len(quads) == 1 {
		return low(s.joinHalves(quads[0], quads[0]), 16)
	}
	return s.joinHalves(quads[0], quads[1])
}

// addShuffled returns lo(x, y) + hi(x, y).
func (s *isa) addShuffled(lo, hi func(...Op), x, y reg.VecVirtual) reg.VecVirtual {
	l, h := s.vec(), s.vec()
	lo(y, x, l)
	hi(y, x, h)
	s.add(h, l, l)
	return l
}

// joinHalves returns [x.lo+x.hi, y.lo+y.hi] in halves of 32 bytes.
func (s *isa) joinHalves(x, y reg.VecVirtual) reg.VecVirtual {
	pick := func(high uint64) func(...Op) {
		return func(ops ...Op) {
			if s.avx512 {
				VSHUFF64X2(Imm(3*high), ops[0], ops[1], ops[2])
			} else {
				VPERM2F128(Imm(0x20+0x11*high), ops[0], ops[1], ops[2])
			}
		}
	}
	return s.addShuffled(pick(0), pick(1), x, y)
}

// joinQuarters returns [x0+x1, x2+x3, y0+y1, y2+y3] in quarters of 64 bytes.
func (s *isa) joinQuarters(x, y reg.VecVirtual) reg.VecVirtual {
	pick := func(imm uint64) func(...Op) {
		return func(ops ...Op) { VSHUFF64X2(Imm(imm), ops[0], ops[1], ops[2]) }
	}
	return s.addShuffled(pick(0x88), pick(0xdd), x, y)
}

// sumLanes adds up a vector into the first lane.
func (s *isa) sumLanes(x reg.VecVirtual) reg.VecVirtual { return s.fold(x, s.add) }

// maxLanes is the same for the maximum.
func (s *isa) maxLanes(x reg.VecVirtual) reg.VecVirtual { return s.fold(x, s.max) }

// fold joins the upper half of a vector with the lower until one lane is left.
func (s *isa) fold(x reg.VecVirtual, join func(...Op)) reg.VecVirtual {
	for size := s.size; size > 16; size /= 2 {
		hi := s.high(x, size)
		join(hi, low(x, size/2), hi)
		x = hi
	}
	t := XMM()
	VUNPCKHPD(x, x, t)
	join(t, x, t)
	if s.f32 {
		u := XMM()
		VMOVSHDUP(t, u)
		join(u, t, t)
	}
	return t
}
