package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exp writes dst[i] = exp(x[i] - shift), returning the sum. With n = x log₂e rounded, and r = x - n ln 2 subtracted
// in two parts, exp(x) = 2ⁿ exp(r), where |r| ≤ ln(2)/2. All in float64; float32 is widened and rounded back.
type exp struct {
	*isa               // of float64
	s      *isa        // of the storage
	consts Mem         // a table of vectors
	at     map[int]int // bits of a constant → offset in the table
	x, dst reg.GPVirtual
}

// taylorDegree: on |r| ≤ ln(2)/2 the next term of the series is below 2^-57.
const taylorDegree = 13

func exponential(s *isa) {
	g := &exp{isa: newISA(s.avx512, false), s: s}
	g.table()
	TEXT("exp"+s.suffix, NOSPLIT, "func(dst, x []"+s.typ+", shift "+s.typ+") float64")
	Pragma("noescape")
	shift, sum := g.vec(), g.vec()
	if s.f32 {
		t := XMM()
		VMOVSS(must(Param("shift").Resolve()), t)
		VCVTSS2SD(t, t, t)
		VBROADCASTSD(t, shift)
	} else {
		VBROADCASTSD(must(Param("shift").Resolve()), shift)
	}
	g.zero(sum)
	g.x = Load(Param("x").Base(), GP64()).(reg.GPVirtual)
	g.dst = Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("x").Len(), GP64())
	Label("vectors")
	CMPQ(n, U32(g.lanes()))
	JL(LabelRef("tail"))
	y := g.load()
	VSUBPD(shift, y, y)
	y = g.vector(y)
	VADDPD(y, sum, sum)
	g.save(y)
	ADDQ(U32(g.lanes()*s.elem), g.x)
	ADDQ(U32(g.lanes()*s.elem), g.dst)
	SUBQ(U32(g.lanes()), n)
	JMP(LabelRef("vectors"))
	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("end"))
	if s.avx512 {
		g.tail512(n, shift, sum)
	} else {
		g.tail2(n, shift, sum)
	}
	Label("end")
	Store(g.sumLanes(sum), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// The constants: clamps at which exp is 0 and +Inf, the reduction, the series.
const (
	expLow  = -746
	expHigh = 710
	magic   = 3 << 51 // added to a small integer, leaves it in the low bits
	ln2High = math.Ln2
	ln2Low  = 2.319046813846299558e-17 // ln 2 - float64(ln 2)
)

// table writes each constant as a whole vector, so that it can be an operand in memory.
func (g *exp) table() {
	list := []float64{expLow, expHigh, math.Log2E, ln2High, ln2Low, 0.5, magic}
	factorial := 1.0
	for d := 0; d <= taylorDegree; d++ {
		factorial *= float64(max(d, 1))
		list = append(list, 1/factorial)
	}
	g.consts, g.at = GLOBL("exp"+g.s.suffix+"Table", RODATA|NOPTR), map[int]int{}
	for i, c := range list {
		g.at[int(math.Float64bits(c))] = i * g.size
		for lane := range g.lanes() {
			DATA(i*g.size+8*lane, U64(math.Float64bits(c)))
		}
	}
	for lane := range 2 * g.lanes() { // a sliding mask
		DATA(len(list)*g.size+8*lane, U64(map[bool]uint64{true: math.MaxUint64}[lane < g.lanes()]))
	}
	g.at[0] = (len(list) + 1) * g.size // where the mask turns to zeros
}

func (g *exp) constant(c float64) Mem { return g.consts.Offset(g.at[int(math.Float64bits(c))]) }

// vector returns exp(a) of a whole vector. Clamping keeps NaN: of two operands, the second is kept if one is NaN.
func (g *exp) vector(a reg.VecVirtual) reg.VecVirtual {
	bound, n, p := g.vec(), g.vec(), g.vec()
	VMOVUPD(g.constant(expLow), bound)
	VMAXPD(a, bound, a)
	VMOVUPD(g.constant(expHigh), bound)
	VMINPD(a, bound, a)
	VMULPD(g.constant(math.Log2E), a, n)
	if g.avx512 {
		VRNDSCALEPD(Imm(8), n, n)
	} else {
		VROUNDPD(Imm(8), n, n)
	}
	VFNMADD231PD(g.constant(ln2High), n, a)
	VFNMADD231PD(g.constant(ln2Low), n, a)
	factorial := 1.0
	for d := 2; d <= taylorDegree; d++ {
		factorial *= float64(d)
	}
	VMOVUPD(g.constant(1/factorial), p)
	for d := taylorDegree - 1; d >= 0; d-- {
		factorial /= float64(d + 1)
		VFMADD213PD(g.constant(1/factorial), a, p)
	}
	if g.avx512 {
		VSCALEFPD(n, p, p)
	} else {
		g.scale(p, n)
	}
	return p
}

// scale multiplies p by 2ⁿ in two steps, each a normal number, so that a subnormal result is rounded once.
func (g *exp) scale(p, n reg.VecVirtual) {
	half, t := g.vec(), g.vec()
	VMULPD(g.constant(0.5), n, half)
	VROUNDPD(Imm(8), half, half)
	VSUBPD(half, n, n)
	for _, power := range []reg.VecVirtual{half, n} {
		VADDPD(g.constant(magic), power, t)
		VPSLLQ(Imm(52), t, t)
		VPADDQ(g.constant(1), t, t) // the exponent of 1 is the bias
		VMULPD(t, p, p)
	}
}

func (g *exp) load() reg.VecVirtual {
	a := g.vec()
	if g.s.f32 {
		VCVTPS2PD(Mem{Base: g.x}, a)
	} else {
		VMOVUPD(Mem{Base: g.x}, a)
	}
	return a
}

func (g *exp) save(y reg.VecVirtual) {
	if g.s.f32 {
		VMOVUPS(g.narrow(y), Mem{Base: g.dst})
	} else {
		VMOVUPD(y, Mem{Base: g.dst})
	}
}

func (g *exp) narrow(y reg.VecVirtual) reg.VecVirtual {
	t := register(g.size / 2)
	if g.avx512 {
		VCVTPD2PS(y, t)
	} else {
		VCVTPD2PSY(y, t)
	}
	return t
}

// tail512 does the last n elements under a mask.
func (g *exp) tail512(n reg.Register, shift, sum reg.VecVirtual) {
	bits, k, a := GP32(), K(), g.vec()
	MOVL(U32(255), bits)
	BZHIL(n.(reg.GP).As32(), bits, bits)
	KMOVW(bits, k)
	if g.s.f32 {
		VCVTPS2PD_Z(Mem{Base: g.x}, k, a)
	} else {
		VMOVUPD_Z(Mem{Base: g.x}, k, a)
	}
	VSUBPD(shift, a, a)
	y, kept := g.vector(a), g.vec()
	VMOVUPD_Z(y, k, kept)
	VADDPD(kept, sum, sum)
	if g.s.f32 {
		VMOVUPS(g.narrow(y), k, Mem{Base: g.dst})
	} else {
		VMOVUPD(y, k, Mem{Base: g.dst})
	}
}

// tail2 does the last n elements under a mask that slides over a table.
func (g *exp) tail2(n reg.Register, shift, sum reg.VecVirtual) {
	from, mask, a := GP64(), g.vec(), g.vec()
	short := mask // for elements of the storage's size
	LEAQ(g.consts.Offset(g.at[0]), from)
	NEGQ(n)
	VMOVUPD(Mem{Base: from, Index: n, Scale: 8}, mask)
	if g.s.f32 {
		short = XMM()
		VMOVUPS(Mem{Base: from, Index: n, Scale: 4}, short)
		t := XMM()
		VMASKMOVPS(Mem{Base: g.x}, short, t)
		VCVTPS2PD(t, a)
	} else {
		VMASKMOVPD(Mem{Base: g.x}, mask, a)
	}
	VSUBPD(shift, a, a)
	y, kept := g.vector(a), g.vec()
	VANDPD(mask, y, kept)
	VADDPD(kept, sum, sum)
	if g.s.f32 {
		VMASKMOVPS(g.narrow(y), short, Mem{Base: g.dst})
	} else {
		VMASKMOVPD(y, mask, Mem{Base: g.dst})
	}
}
