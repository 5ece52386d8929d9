package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// probes writes what the limits of a machine are measured with: independent fused multiply-adds in registers, and loads that
// do nothing else. They are for float64; an element more or less makes no difference to a byte or a vector.
func probes(s *isa) {
	const chains = 12
	TEXT("fma"+s.suffix, NOSPLIT, "func(n int)") // n·chains vectors
	Pragma("noescape")
	n := Load(Param("n"), GP64())
	sums := s.vecs(chains)
	for _, x := range sums {
		s.zero(x)
	}
	a := s.vec()
	s.zero(a)
	Label("more")
	for _, x := range sums {
		s.fma(a, a, x)
	}
	DECQ(n)
	JNZ(LabelRef("more"))
	VZEROUPPER()
	RET()

	TEXT("load"+s.suffix, NOSPLIT, "func(x []float64)") // whole groups of 8 vectors
	Pragma("noescape")
	p, left := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	group := 8 * s.lanes()
	Label("group")
	CMPQ(left, U32(group))
	JL(LabelRef("end"))
	for i := range 8 {
		s.mov(Mem{Base: p, Disp: i * s.size}, s.vec())
	}
	ADDQ(U32(group*s.elem), p)
	SUBQ(U32(group), left)
	JMP(LabelRef("group"))
	Label("end")
	VZEROUPPER()
	RET()
}
