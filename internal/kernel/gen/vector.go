package main

import (
	"math"
	"strconv"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unroll is how many vectors the vector kernels handle at once, to cover the latency of an addition.
const unroll = 4

// pointer moves on by elem bytes an element.
type pointer struct {
	reg.Register
	elem int
}

// pointers are those to elements of s.
func (s *isa) pointers(registers ...reg.Register) (all []pointer) {
	for _, r := range registers {
		all = append(all, pointer{r, s.elem})
	}
	return all
}

// sweep writes loops over n elements: unroll vectors at a time, then one, then single elements.
func sweep(n reg.Register, lanes int, vector func(i int), single func(), pointers []pointer) {
	loop := func(name, next string, elements int, body func()) {
		Label(name)
		CMPQ(n, U32(elements))
		JL(LabelRef(next))
		body()
		for _, p := range pointers {
			ADDQ(U32(elements*p.elem), p.Register)
		}
		SUBQ(U32(elements), n)
		JMP(LabelRef(name))
	}
	loop("vectors", "vector", unroll*lanes, func() {
		for i := range unroll {
			vector(i)
		}
	})
	loop("vector", "single", lanes, func() { vector(0) })
	loop("single", "end", 1, single)
	Label("end")
}

// vectors writes the kernels over contiguous elements.
func vectors(s *isa) {
	dotVector(s)
	axpyVector(s)
	axpyFourVector(s)
	scaleVector(s)
	hadamardVector(s)
	maxVector(s)
	if s.f32 {
		convert(s, "widen", "float32", "float64")
		convert(s, "narrow", "float64", "float32")
	} else {
		clampVector(s)
		apartVector(s)
	}
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
	sweep(n, wide.lanes(), func(i int) {
		a := wide.vec()
		at := func(base reg.Register) Mem { return Mem{Base: base, Disp: i * wide.lanes() * s.elem} }
		if !s.f32 {
			s.mov(at(x), a)
			s.fma(at(y), a, total[i])
			return
		}
		b := wide.vec()
		VCVTPS2PD(at(x), a)
		VCVTPS2PD(at(y), b)
		wide.fma(a, b, total[i])
	}, func() {
		a, b := XMM(), XMM()
		s.movs(Mem{Base: x}, a)
		s.movs(Mem{Base: y}, b)
		if s.f32 {
			VCVTSS2SD(a, a, a)
			VCVTSS2SD(b, b, b)
		}
		VFMADD231SD(a, b, tail)
	}, s.pointers(x, y))
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
	sweep(n, s.lanes(), func(i int) {
		t := s.vec()
		s.mov(Mem{Base: y, Disp: i * s.size}, t)
		s.fma(Mem{Base: x, Disp: i * s.size}, a, t)
		s.mov(t, Mem{Base: y, Disp: i * s.size})
	}, func() {
		t := XMM()
		s.movs(Mem{Base: y}, t)
		s.fmas(Mem{Base: x}, low(a, 16), t)
		s.movs(t, Mem{Base: y})
	}, s.pointers(x, y))
	VZEROUPPER()
	RET()
}

// axpyFourVector writes the addition of four vectors, which reads and writes y once for the four.
func axpyFourVector(s *isa) {
	TEXT("axpyFour"+s.suffix, NOSPLIT, strings.ReplaceAll("func(a0, a1, a2, a3 T, x0, x1, x2, x3, y []T)", "T", s.typ))
	Pragma("noescape")
	a, x := s.vecs(4), s.pointers(GP64(), GP64(), GP64(), GP64())
	for r := range a {
		s.bcast(must(Param("a"+strconv.Itoa(r)).Resolve()), a[r])
		Load(Param("x"+strconv.Itoa(r)).Base(), x[r].Register)
	}
	y, n := Load(Param("y").Base(), GP64()), Load(Param("y").Len(), GP64())
	sweep(n, s.lanes(), func(i int) {
		t := s.vec()
		s.mov(Mem{Base: y, Disp: i * s.size}, t)
		for r := range a {
			s.fma(Mem{Base: x[r].Register, Disp: i * s.size}, a[r], t)
		}
		s.mov(t, Mem{Base: y, Disp: i * s.size})
	}, func() {
		t := XMM()
		s.movs(Mem{Base: y}, t)
		for r := range a {
			s.fmas(Mem{Base: x[r].Register}, low(a[r], 16), t)
		}
		s.movs(t, Mem{Base: y})
	}, append(x, s.pointers(y)...))
	VZEROUPPER()
	RET()
}

func scaleVector(s *isa) {
	TEXT("scale"+s.suffix, NOSPLIT, "func(a "+s.typ+", x []"+s.typ+")")
	Pragma("noescape")
	a := s.vec()
	s.bcast(must(Param("a").Resolve()), a)
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	sweep(n, s.lanes(), func(i int) {
		t := s.vec()
		s.mul(Mem{Base: x, Disp: i * s.size}, a, t)
		s.mov(t, Mem{Base: x, Disp: i * s.size})
	}, func() {
		t := XMM()
		s.movs(Mem{Base: x}, t)
		s.muls(t, low(a, 16), t)
		s.movs(t, Mem{Base: x})
	}, s.pointers(x))
	VZEROUPPER()
	RET()
}

func hadamardVector(s *isa) {
	TEXT("hadamard"+s.suffix, NOSPLIT, "func(z, x, y []"+s.typ+")")
	Pragma("noescape")
	z, x, y, n := Load(Param("z").Base(), GP64()), Load(Param("x").Base(), GP64()),
		Load(Param("y").Base(), GP64()), Load(Param("x").Len(), GP64())
	sweep(n, s.lanes(), func(i int) {
		t := s.vec()
		s.mov(Mem{Base: x, Disp: i * s.size}, t)
		s.mul(Mem{Base: y, Disp: i * s.size}, t, t)
		s.mov(t, Mem{Base: z, Disp: i * s.size})
	}, func() {
		t := XMM()
		s.movs(Mem{Base: x}, t)
		s.muls(Mem{Base: y}, t, t)
		s.movs(t, Mem{Base: z})
	}, s.pointers(z, x, y))
	VZEROUPPER()
	RET()
}

// clampVector writes x = max(-a, min(a, x)). NaN stays: of two operands the second, here that of x, is kept if one is NaN.
func clampVector(s *isa) {
	TEXT("clamp"+s.suffix, NOSPLIT, "func(a float64, x []float64)")
	Pragma("noescape")
	a, least := s.vec(), s.vec()
	s.bcast(must(Param("a").Resolve()), a)
	s.zero(least)
	s.sub(a, least, least)
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	sweep(n, s.lanes(), func(i int) {
		t := s.vec()
		VMINPD(Mem{Base: x, Disp: i * s.size}, a, t)
		s.max(t, least, t)
		s.mov(t, Mem{Base: x, Disp: i * s.size})
	}, func() {
		t := XMM()
		VMINSD(Mem{Base: x}, low(a, 16), t)
		VMAXSD(t, low(least, 16), t)
		s.movs(t, Mem{Base: x})
	}, s.pointers(x))
	VZEROUPPER()
	RET()
}

// apartVector writes the sum of |x-y|, which is max(x-y, y-x).
func apartVector(s *isa) {
	TEXT("apart"+s.suffix, NOSPLIT, "func(x, y []float64) float64")
	Pragma("noescape")
	x, y, n := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64()), Load(Param("x").Len(), GP64())
	total := s.vecs(unroll)
	for _, t := range total {
		s.zero(t)
	}
	tail := XMM()
	s.zero(tail)
	sweep(n, s.lanes(), func(i int) {
		a, b, d := s.vec(), s.vec(), s.vec()
		s.mov(Mem{Base: x, Disp: i * s.size}, a)
		s.mov(Mem{Base: y, Disp: i * s.size}, b)
		s.sub(b, a, d)
		s.sub(a, b, b)
		s.max(d, b, b)
		s.add(b, total[i], total[i])
	}, func() {
		a, b, d := XMM(), XMM(), XMM()
		s.movs(Mem{Base: x}, a)
		s.movs(Mem{Base: y}, b)
		s.subs(b, a, d)
		s.subs(a, b, b)
		VMAXSD(d, b, b)
		s.adds(b, tail, tail)
	}, s.pointers(x, y))
	s.add(total[1], total[0], total[0])
	s.add(total[3], total[2], total[2])
	s.add(total[2], total[0], total[0])
	sum := s.sumLanes(total[0])
	s.adds(tail, sum, sum)
	Store(sum, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// convert writes y = x in the other storage type.
func convert(s *isa, name, from, to string) {
	wide := newISA(s.avx512, false)
	TEXT(name+wide.suffix, NOSPLIT, "func(y []"+to+", x []"+from+")")
	Pragma("noescape")
	in, out := 4, 8
	if from == "float64" {
		in, out = 8, 4
	}
	x, y, n := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64()), Load(Param("x").Len(), GP64())
	sweep(n, wide.lanes(), func(i int) {
		a, half := wide.vec(), register(wide.size/2)
		x, y := Mem{Base: x, Disp: i * wide.lanes() * in}, Mem{Base: y, Disp: i * wide.lanes() * out}
		switch {
		case from == "float32":
			VCVTPS2PD(x, a)
			wide.mov(a, y)
		case s.avx512:
			wide.mov(x, a)
			VCVTPD2PS(a, half)
			VMOVUPS(half, y)
		default:
			VCVTPD2PSY(x, half)
			VMOVUPS(half, y)
		}
	}, func() {
		a := XMM()
		if from == "float32" {
			VMOVSS(Mem{Base: x}, a)
			VCVTSS2SD(a, a, a)
			VMOVSD(a, Mem{Base: y})
		} else {
			VMOVSD(Mem{Base: x}, a)
			VCVTSD2SS(a, a, a)
			VMOVSS(a, Mem{Base: y})
		}
	}, []pointer{{x, in}, {y, out}})
	VZEROUPPER()
	RET()
}

// maxVector writes the maximum of x, -Inf if there is none. NaN is passed over: of two operands the second, here the maximum so
// far, is kept if one is NaN.
func maxVector(s *isa) {
	TEXT("max"+s.suffix, NOSPLIT, "func(x []"+s.typ+") "+s.typ)
	Pragma("noescape")
	low1 := GLOBL("low"+s.suffix, RODATA|NOPTR)
	if s.f32 {
		DATA(0, U32(math.Float32bits(float32(math.Inf(-1)))))
	} else {
		DATA(0, U64(math.Float64bits(math.Inf(-1))))
	}
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	top := s.vecs(unroll)
	for _, t := range top {
		s.bcast(low1, t)
	}
	sweep(n, s.lanes(), func(i int) {
		t := s.vec()
		s.mov(Mem{Base: x, Disp: i * s.size}, t)
		s.max(top[i], t, top[i])
	}, func() {
		t := s.vec()
		s.bcast(Mem{Base: x}, t)
		s.max(top[0], t, top[0])
	}, s.pointers(x))
	s.max(top[1], top[0], top[0])
	s.max(top[3], top[2], top[2])
	s.max(top[2], top[0], top[0])
	Store(s.maxLanes(top[0]), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
