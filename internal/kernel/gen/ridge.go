package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ridge writes ridgeRow: preconditioned conjugate gradient steps on ½‖x - P u‖² + ridge/2 ‖u‖², with g the negative gradient, m the
// inverse diagonal, d the direction and h the Hessian times d, all in work.
type ridge struct {
	*isa
	k          reg.Register // bytes of a vector, with its padding
	dims       Mem          // and without
	g, m, d, h reg.Register
	scale      Mem // ridge
	old        Mem // gᵀ M g, which the next is compared with
}

func ridgeRow(s *isa) {
	TEXT("ridgeRow"+s.suffix, NOSPLIT,
		strings.ReplaceAll("func(u, p, x, mean, work []T, k int, entries, ridge, part T, steps int) (square, gain float64)", "T", s.typ))
	Pragma("noescape")
	g := &ridge{isa: s, scale: must(Param("ridge").Resolve()), old: AllocLocal(8)}
	constants := GLOBL("ridge"+s.suffix, RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(0.5)))
	DATA(8, U64(0))
	if s.f32 {
		DATA(16, U64(math.Float32bits(1)))
	} else {
		DATA(16, U64(math.Float64bits(1)))
	}
	half, nothing, one := constants, constants.Offset(8), constants.Offset(16)
	gain, square := must(Return("gain").Resolve()), must(Return("square").Resolve())
	g.k, g.dims = s.scaled("k"), AllocLocal(8)
	MOVQ(g.k, g.dims)
	ADDQ(U32(7*s.elem), g.k)
	ANDQ(I32(-8*s.elem), g.k)
	g.g, g.m, g.d, g.h = Load(Param("work").Base(), GP64()), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: g.g, Index: g.k, Scale: 1}, g.m)
	LEAQ(Mem{Base: g.g, Index: g.k, Scale: 2}, g.d)
	LEAQ(Mem{Base: g.m, Index: g.k, Scale: 2}, g.h)
	sum, floor := XMM(), AllocLocal(8)
	g.zero(sum)
	VMOVSD(sum, gain)
	g.start(one)
	g.first(Load(Param("u").Base(), GP64()), square)
	first := g.square("first", nil)
	s.movs(first, g.old)
	s.op(VMULSS, VMULSD)(must(Param("part").Resolve()), first, first)
	s.movs(first, floor)
	g.turn("first", nil)

	steps := Load(Param("steps"), GP64())
	Label("step")
	TESTQ(steps, steps)
	JLE(LabelRef("end"))
	last := XMM()
	s.movs(g.old, last)
	s.compare(floor, last)
	JLS(LabelRef("end"))
	CMPQ(steps, Imm(1))
	JE(LabelRef("last"))
	g.hessian()
	curve := g.curve("curve")
	s.compare(nothing, curve)
	JLS(LabelRef("end"))
	g.turn("next", g.move(curve, gain))
	DECQ(steps)
	JMP(LabelRef("step"))
	Label("last")
	g.last(nothing, gain)
	Label("end")
	sum = XMM()
	VMOVSD(gain, sum)
	VMULSD(half, sum, sum)
	VMOVSD(sum, gain)
	VZEROUPPER()
	RET()
}

// start makes g = -ridge u and m = 1/(ridge + entries mean).
func (g *ridge) start(one Mem) {
	u, mean := Load(Param("u").Base(), GP64()), Load(Param("mean").Base(), GP64())
	scale, entries, ones, zero := g.broadcast(g.scale), g.broadcast(must(Param("entries").Resolve())), g.broadcast(one), g.vec()
	g.zero(zero)
	g.loop("start", func(at func(reg.Register) Mem) {
		x, y := g.vec(), g.vec()
		g.mov(scale, y)
		g.fma(at(mean), entries, y)
		g.op(VDIVPS, VDIVPD)(y, ones, y)
		g.mov(y, at(g.m))
		g.mul(at(u), scale, x)
		g.sub(x, zero, x)
		g.mov(x, at(g.g))
	})
}

// square is gᵀ M g; change may change the elements of g, in x, before.
func (g *ridge) square(name string, change func(at func(reg.Register) Mem, x reg.VecVirtual)) reg.VecVirtual {
	sum := g.vec()
	g.zero(sum)
	g.loop(name+"_square", func(at func(reg.Register) Mem) {
		x, y := g.vec(), g.vec()
		g.mov(at(g.g), x)
		if change != nil {
			change(at, x)
			g.mov(x, at(g.g))
		}
		g.mul(at(g.m), x, y)
		g.fma(y, x, sum)
	})
	return g.sumLanes(sum)
}

// curve is dᵀh.
func (g *ridge) curve(name string) reg.VecVirtual {
	sum := g.vec()
	g.zero(sum)
	g.loop(name, func(at func(reg.Register) Mem) {
		x := g.vec()
		g.mov(at(g.d), x)
		g.fma(at(g.h), x, sum)
	})
	return g.sumLanes(sum)
}

// last takes a step after which nothing is asked of the gradient: its curvature ‖P d‖² + dᵀh, h = ridge d, is all of the Hessian that it needs.
func (g *ridge) last(nothing, gain Mem) {
	curve := g.predicted()
	if g.f32 {
		VCVTSD2SS(curve, curve, curve)
	}
	g.op(VADDSS, VADDSD)(g.curve("bend"), curve, curve)
	g.compare(nothing, curve)
	JLS(LabelRef("end"))
	a, u := g.length(curve, gain), Load(Param("u").Base(), GP64())
	g.loop("last", func(at func(reg.Register) Mem) {
		y := g.vec()
		g.mov(at(u), y)
		g.fma(at(g.d), a, y)
		g.mov(y, at(u))
	})
}

// length is the alpha = gᵀ M g / curve of a step, in each lane; it adds twice what the step gains to gain.
func (g *ridge) length(curve reg.VecVirtual, gain Mem) reg.VecVirtual {
	alpha, won, a := XMM(), XMM(), g.vec()
	g.movs(g.old, alpha)
	g.op(VDIVSS, VDIVSD)(curve, alpha, alpha)
	g.op(VMULSS, VMULSD)(g.old, alpha, won)
	if g.f32 {
		VCVTSS2SD(won, won, won)
	}
	VADDSD(gain, won, won)
	VMOVSD(won, gain)
	g.bcast(alpha, a)
	return a
}

// move takes a step, u += alpha d and g -= alpha h, and returns the part beta of d that is to stay in the next direction.
func (g *ridge) move(curve reg.VecVirtual, gain Mem) (beta reg.VecVirtual) {
	a, u := g.length(curve, gain), Load(Param("u").Base(), GP64())
	next := g.square("move", func(at func(reg.Register) Mem, x reg.VecVirtual) {
		y := g.vec()
		g.mov(at(u), y)
		g.fma(at(g.d), a, y)
		g.mov(y, at(u))
		g.fnma(at(g.h), a, x)
	})
	beta = XMM()
	g.op(VDIVSS, VDIVSD)(g.old, next, beta)
	g.movs(next, g.old)
	return beta
}

// turn makes d = M g + beta d, or M g where there is no beta, and h = ridge d, to which the next pass adds.
func (g *ridge) turn(name string, beta reg.VecVirtual) {
	scale, b := g.broadcast(g.scale), g.vec()
	if beta != nil {
		g.bcast(beta, b)
	}
	g.loop(name+"_turn", func(at func(reg.Register) Mem) {
		x := g.vec()
		g.mov(at(g.g), x)
		g.mul(at(g.m), x, x)
		if beta != nil {
			g.fma(at(g.d), b, x)
		}
		g.mov(x, at(g.d))
		g.mul(x, scale, x)
		g.mov(x, at(g.h))
	})
}

// compare sets the flags as y beside x.
func (s *isa) compare(x, y Op) {
	if s.f32 {
		VUCOMISS(x, y)
	} else {
		VUCOMISD(x, y)
	}
}

// op is the instruction for float32 or that for float64.
func (s *isa) op(single, double func(...Op)) func(...Op) {
	if s.f32 {
		return single
	}
	return double
}

func (g *ridge) broadcast(m Mem) reg.VecVirtual {
	x := g.vec()
	g.bcast(m, x)
	return x
}

// loop runs over the elements of the vectors.
func (g *ridge) loop(name string, body func(at func(reg.Register) Mem)) {
	c := GP64()
	XORQ(c, c)
	Label(name + "_loop")
	step := 8 * g.elem
	for b := 0; b < step; b += g.size {
		body(func(base reg.Register) Mem { return Mem{Base: base, Index: c, Scale: 1, Disp: b} })
	}
	ADDQ(U32(step), c)
	CMPQ(c, g.k)
	JB(LabelRef(name + "_loop"))
}
