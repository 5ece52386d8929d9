package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spread copies each of the first n elements of p to all lanes of a vector. Shuffling is quicker than storing p and
// loading its elements, which has to wait for the store.
func (s *isa) spread(p reg.VecVirtual, n int) []reg.VecVirtual {
	switch {
	case n == 1:
		x := s.vec()
		s.bcast(low(p, 16), x)
		return []reg.VecVirtual{x}
	case s.f32:
		return s.spread32(p, n)
	}
	x := s.vecs(n)
	if s.size == 32 {
		for i := range x {
			VPERMPD(Imm(uint64(i*0x55)), p, x[i])
		}
		return x
	}
	for i := 0; i < n; i += 2 {
		pair := ZMM() // elements i and i+1 in every quarter
		VSHUFF64X2(Imm(uint64(i/2*0x55)), p.AsZ(), p.AsZ(), pair)
		VMOVDDUP(pair, x[i])
		VUNPCKHPD(pair, pair, x[i+1])
	}
	return x
}

// spread32 is spread for vectors of 8 float32.
func (s *isa) spread32(p reg.VecVirtual, n int) []reg.VecVirtual {
	x := s.vecs(n)
	for i := 0; i < n; i += 4 {
		four := YMM() // elements i … i+3 in both halves
		if s.avx512 {
			VSHUFF64X2(Imm(uint64(i/4*3)), p.AsY(), p.AsY(), four)
		} else {
			VPERM2F128(Imm(uint64(i/4*0x11)), p.AsY(), p.AsY(), four)
		}
		for l := range 4 {
			VPERMILPS(Imm(uint64(l*0x55)), four, x[i+l])
		}
	}
	return x
}
