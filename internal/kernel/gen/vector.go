package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unroll is how many vectors the vector kernels handle at once, to cover the latency of an addition.
const unroll = 4

// sweep writes a loop over n elements in steps of whole·lanes, then one by one.
func sweep(n reg.Register, lanes int, vectors func(), single func(), advance func(elements int)) {
	Label("vectors")
	CMPQ(n, U32(lanes))
	JL(LabelRef("singles"))
	vectors()
	advance(lanes)
	SUBQ(U32(lanes), n)
	JMP(LabelRef("vectors"))
	Label("singles")
	TESTQ(n, n)
	JZ(LabelRef("end"))
	single()
	advance(1)
	DECQ(n)
	JMP(LabelRef("singles"))
	Label("end")
}

// vectors writes the kernels over contiguous elements.
func vectors(s *isa) {
	dotVector(s)
	axpyVector(s)
	scaleVector(s)
}

// dotVector writes a dot product with sums in float64: float32 elements are widened first.
func dotVector(s *isa) {
	TEXT("dot"+s.suffix, NOSPLIT, "func(x, y []"+s.typ+") float64")
	Pragma("noescape")
	x, y, n := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64()), Load(Param("x").Len(), GP64())
	wide := newISA(s.avx512, false)
	total := wide.vecs(unroll)
	for _, t := range total {
		wide.zero(t)
	}
	tail := XMM()
	wide.zero(tail)
	sweep(n, unroll*wide.lanes(), func() {
		for i, t := range total {
			a := wide.vec()
			at := func(base reg.Register) Mem { return Mem{Base: base, Disp: i * wide.lanes() * s.elem} }
			if !s.f32 {
				s.mov(at(x), a)
				s.fma(at(y), a, t)
				continue
			}
			b := wide.vec()
			VCVTPS2PD(at(x), a)
			VCVTPS2PD(at(y), b)
			wide.fma(a, b, t)
		}
	}, func() {
		a, b := XMM(), XMM()
		s.movs(Mem{Base: x}, a)
		s.movs(Mem{Base: y}, b)
		if s.f32 {
			VCVTSS2SD(a, a, a)
			VCVTSS2SD(b, b, b)
		}
		VFMADD231SD(a, b, tail)
	}, func(elements int) {
		ADDQ(U32(elements*s.elem), x)
		ADDQ(U32(elements*s.elem), y)
	})
	VADDPD(total[1], total[0], total[0])
	VADDPD(total[3], total[2], total[2])
	VADDPD(total[2], total[0], total[0])
	sum := wide.sumLanes(total[0])
	VADDSD(tail, sum, sum)
	Store(sum, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func axpyVector(s *isa) {
	TEXT("axpy"+s.suffix, NOSPLIT, "func(a "+s.typ+", x, y []"+s.typ+")")
	Pragma("noescape")
	a := s.vec()
	s.bcast(must(Param("a").Resolve()), a)
	x, y, n := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64()), Load(Param("x").Len(), GP64())
	sweep(n, unroll*s.lanes(), func() {
		for i := range unroll {
			t := s.vec()
			s.mov(Mem{Base: y, Disp: i * s.size}, t)
			s.fma(Mem{Base: x, Disp: i * s.size}, a, t)
			s.mov(t, Mem{Base: y, Disp: i * s.size})
		}
	}, func() {
		t := XMM()
		s.movs(Mem{Base: y}, t)
		s.fmas(Mem{Base: x}, low(a, 16), t)
		s.movs(t, Mem{Base: y})
	}, func(elements int) {
		ADDQ(U32(elements*s.elem), x)
		ADDQ(U32(elements*s.elem), y)
	})
	VZEROUPPER()
	RET()
}

func scaleVector(s *isa) {
	TEXT("scale"+s.suffix, NOSPLIT, "func(a "+s.typ+", x []"+s.typ+")")
	Pragma("noescape")
	a := s.vec()
	s.bcast(must(Param("a").Resolve()), a)
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	sweep(n, unroll*s.lanes(), func() {
		for i := range unroll {
			t := s.vec()
			s.mul(Mem{Base: x, Disp: i * s.size}, a, t)
			s.mov(t, Mem{Base: x, Disp: i * s.size})
		}
	}, func() {
		t := XMM()
		s.movs(Mem{Base: x}, t)
		s.muls(t, low(a, 16), t)
		s.movs(t, Mem{Base: x})
	}, func(elements int) { ADDQ(U32(elements*s.elem), x) })
	VZEROUPPER()
	RET()
}
