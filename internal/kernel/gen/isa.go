package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// isa is an instruction set and a storage type: what a vector is, and the instructions that differ.
type isa struct {
	avx512 bool
	f32    bool
	elem   int // bytes of an element
	size   int // bytes of a vector
	typ    string
	suffix string // of function names

	mov, add, sub, mul, max, fma, fnma, bcast, unpckl, unpckh func(...Op) // on vectors
	movs, adds, subs, muls, fmas                              func(...Op) // on single elements
}

// newISA picks vectors for the row kernels: 64 bytes for float64 on AVX-512, 32 otherwise. Rows are multiples of
// 8 elements, so that 32 bytes suit float32 without masks; on processors with two 256-bit pipes they are as fast as 64.
func newISA(avx512, f32 bool) *isa {
	s := &isa{avx512: avx512, f32: f32, elem: 8, size: 32, typ: "float64"}
	s.mov, s.add, s.sub, s.mul, s.max = VMOVUPD, VADDPD, VSUBPD, VMULPD, VMAXPD
	s.fma, s.fnma, s.bcast = VFMADD231PD, VFNMADD231PD, VBROADCASTSD
	s.unpckl, s.unpckh = VUNPCKLPD, VUNPCKHPD
	s.movs, s.adds, s.subs, s.muls, s.fmas = VMOVSD, VADDSD, VSUBSD, VMULSD, VFMADD231SD
	if avx512 {
		s.suffix = "AVX512"
	} else {
		s.suffix = "AVX2"
	}
	if f32 {
		s.elem, s.typ, s.suffix = 4, "float32", "32"+s.suffix
		s.mov, s.add, s.sub, s.mul, s.max = VMOVUPS, VADDPS, VSUBPS, VMULPS, VMAXPS
		s.fma, s.fnma, s.bcast = VFMADD231PS, VFNMADD231PS, VBROADCASTSS
		s.unpckl, s.unpckh = VUNPCKLPS, VUNPCKHPS
		s.movs, s.adds, s.subs, s.muls, s.fmas = VMOVSS, VADDSS, VSUBSS, VMULSS, VFMADD231SS
	} else if avx512 {
		s.size = 64
	}
	return s
}

// widened is s with the widest vectors, for kernels whose lengths are free.
func (s *isa) widened() *isa {
	w := *s
	if w.avx512 {
		w.size = 64
	}
	return &w
}

func (s *isa) lanes() int { return s.size / s.elem }

// vec allocates a vector register.
func (s *isa) vec() reg.VecVirtual {
	return register(s.size)
}

func (s *isa) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vec()
	}
	return v
}

// zero clears a register of any width. avo does not know that VPXORQ of a register with itself reads nothing; told so, it
// does not keep the register busy from the start of the function.
func (s *isa) zero(x reg.VecVirtual) {
	if !s.avx512 {
		VXORPD(x, x, x)
		return
	}
	i, err := x86.VPXORQ(x, x, x)
	if err != nil {
		panic(err)
	}
	i.CancellingInputs = true
	Instruction(i)
}

// register allocates a vector register of 16, 32 or 64 bytes.
func register(size int) reg.VecVirtual {
	switch size {
	case 16:
		return XMM()
	case 32:
		return YMM()
	}
	return ZMM()
}

// low returns the lowest size bytes of a register, 16, 32 or 64.
func low(x reg.VecVirtual, size int) reg.VecVirtual {
	switch size {
	case 16:
		return x.AsX().(reg.VecVirtual)
	case 32:
		return x.AsY().(reg.VecVirtual)
	}
	return x.AsZ().(reg.VecVirtual)
}

// high returns the upper half of a vector of size bytes, 64 or 32, as a new register of half that size.
func (s *isa) high(x reg.VecVirtual, size int) reg.VecVirtual {
	y := XMM()
	switch {
	case size == 64:
		y = YMM()
		VEXTRACTF64X4(Imm(1), x.AsZ(), y)
	case s.avx512:
		VEXTRACTF64X2(Imm(1), x.AsY(), y)
	default:
		VEXTRACTF128(Imm(1), x.AsY(), y)
	}
	return y
}
