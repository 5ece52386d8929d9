package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exp writes dst[i] = exp(x[i] - shift), returning the sum. With n = x log₂e rounded, and r = x - n ln 2 subtracted
// in two parts, exp(x) = 2ⁿ exp(r), where |r| ≤ ln(2)/2. All in the type of the storage, but the sum, which is in float64.
type exp struct {
	*isa
	wide   *isa        // of the sum
	consts Mem         // a table of vectors
	at     map[int]int // bits of a constant → offset in the table
	x, dst reg.GPVirtual

	least, most     float64 // clamps at which exp is 0 and +Inf
	ln2High, ln2Low float64 // ln 2 rounded, and the rest
	magic           float64 // added to a small integer, leaves it in the low bits
	exponent        uint64  // where the exponent begins
	degree          int     // of the series: on |r| ≤ ln(2)/2 the next term is below a tenth of a unit in the last place

	min, round, scalef, fma213, and, shiftLeft, addInts func(...Op)
}

func newExp(s *isa) *exp {
	g := &exp{isa: s.widened(), wide: newISA(s.avx512, false), at: map[int]int{}}
	if s.f32 {
		g.least, g.most, g.ln2High, g.ln2Low = -105, 89, float64(float32(math.Ln2)), math.Ln2-float64(float32(math.Ln2))
		g.magic, g.exponent, g.degree = 3<<22, 23, 7
		g.min, g.scalef, g.fma213, g.and, g.shiftLeft, g.addInts = VMINPS, VSCALEFPS, VFMADD213PS, VANDPS, VPSLLD, VPADDD
		g.round = func(ops ...Op) { VROUNDPS(ops[0], ops[1], ops[2]) }
		if s.avx512 {
			g.round = VRNDSCALEPS
		}
		return g
	}
	g.least, g.most, g.ln2High, g.ln2Low = -746, 710, math.Ln2, 2.319046813846299558e-17
	g.magic, g.exponent, g.degree = 3<<51, 52, 13
	g.min, g.scalef, g.fma213, g.and, g.shiftLeft, g.addInts = VMINPD, VSCALEFPD, VFMADD213PD, VANDPD, VPSLLQ, VPADDQ
	g.round = func(ops ...Op) { VROUNDPD(ops[0], ops[1], ops[2]) }
	if s.avx512 {
		g.round = VRNDSCALEPD
	}
	return g
}

func exponential(s *isa) {
	g := newExp(s)
	g.table()
	TEXT("exp"+s.suffix, NOSPLIT, "func(dst, x []"+s.typ+", shift "+s.typ+") float64")
	Pragma("noescape")
	shift, sum := g.vec(), g.wide.vec()
	g.bcast(must(Param("shift").Resolve()), shift)
	g.zero(sum)
	g.x = Load(Param("x").Base(), GP64()).(reg.GPVirtual)
	g.dst = Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("x").Len(), GP64())
	Label("vectors")
	CMPQ(n, U32(g.lanes()))
	JL(LabelRef("tail"))
	y := g.vec()
	g.mov(Mem{Base: g.x}, y)
	g.sub(shift, y, y)
	y = g.vector(y)
	g.addTo(sum, y)
	g.mov(y, Mem{Base: g.dst})
	ADDQ(U32(g.size), g.x)
	ADDQ(U32(g.size), g.dst)
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
	Store(g.wide.sumLanes(sum), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// table writes each constant as a whole vector, so that it can be an operand in memory.
func (g *exp) table() {
	list := []float64{g.least, g.most, math.Log2E, g.ln2High, g.ln2Low, 0.5, g.magic}
	factorial := 1.0
	for d := 0; d <= g.degree; d++ {
		factorial *= float64(max(d, 1))
		list = append(list, 1/factorial)
	}
	g.consts = GLOBL("exp"+g.suffix+"Table", RODATA|NOPTR)
	for i, c := range list {
		g.at[int(math.Float64bits(c))] = i * g.size
		for lane := range g.lanes() {
			if g.f32 {
				DATA(i*g.size+4*lane, U32(math.Float32bits(float32(c))))
			} else {
				DATA(i*g.size+8*lane, U64(math.Float64bits(c)))
			}
		}
	}
	for at := 0; at < 2*g.size; at += 8 { // a sliding mask
		DATA(len(list)*g.size+at, U64(map[bool]uint64{true: math.MaxUint64}[at < g.size]))
	}
	g.at[0] = (len(list) + 1) * g.size // where the mask turns to zeros
}

func (g *exp) constant(c float64) Mem { return g.consts.Offset(g.at[int(math.Float64bits(c))]) }

// addTo adds to the sum.
func (g *exp) addTo(sum, y reg.VecVirtual) {
	if !g.f32 {
		VADDPD(y, sum, sum)
		return
	}
	for _, half := range []reg.VecVirtual{low(y, g.size/2), g.high(y, g.size)} {
		t := g.wide.vec()
		VCVTPS2PD(half, t)
		VADDPD(t, sum, sum)
	}
}

// vector returns exp(a) of a whole vector. Clamping keeps NaN: of two operands, the second is kept if one is NaN.
func (g *exp) vector(a reg.VecVirtual) reg.VecVirtual {
	bound, n, p := g.vec(), g.vec(), g.vec()
	g.mov(g.constant(g.least), bound)
	g.max(a, bound, a)
	g.mov(g.constant(g.most), bound)
	g.min(a, bound, a)
	g.mul(g.constant(math.Log2E), a, n)
	g.round(Imm(8), n, n)
	g.fnma(g.constant(g.ln2High), n, a)
	g.fnma(g.constant(g.ln2Low), n, a)
	factorial := 1.0
	for d := 2; d <= g.degree; d++ {
		factorial *= float64(d)
	}
	g.mov(g.constant(1/factorial), p)
	for d := g.degree - 1; d >= 0; d-- {
		factorial /= float64(d + 1)
		g.fma213(g.constant(1/factorial), a, p)
	}
	if g.avx512 {
		g.scalef(n, p, p)
	} else {
		g.scale(p, n)
	}
	return p
}

// scale multiplies p by 2ⁿ in two steps, each a normal number, so that a subnormal result is rounded once.
func (g *exp) scale(p, n reg.VecVirtual) {
	half, t := g.vec(), g.vec()
	g.mul(g.constant(0.5), n, half)
	g.round(Imm(8), half, half)
	g.sub(half, n, n)
	for _, power := range []reg.VecVirtual{half, n} {
		g.add(g.constant(g.magic), power, t)
		g.shiftLeft(Imm(g.exponent), t, t)
		g.addInts(g.constant(1), t, t) // the exponent of 1 is the bias
		g.mul(t, p, p)
	}
}

// tail512 does the last n elements under a mask.
func (g *exp) tail512(n reg.Register, shift, sum reg.VecVirtual) {
	bits, k, a, kept := GP32(), K(), g.vec(), g.vec()
	masked := VMOVUPD_Z
	if g.f32 {
		masked = VMOVUPS_Z
	}
	MOVL(U32(1<<g.lanes()-1), bits)
	BZHIL(n.(reg.GP).As32(), bits, bits)
	KMOVW(bits, k)
	masked(Mem{Base: g.x}, k, a)
	g.sub(shift, a, a)
	y := g.vector(a)
	masked(y, k, kept)
	g.addTo(sum, kept)
	g.mov(y, k, Mem{Base: g.dst})
}

// tail2 does the last n elements under a mask that slides over a table.
func (g *exp) tail2(n reg.Register, shift, sum reg.VecVirtual) {
	from, mask, a, kept := GP64(), g.vec(), g.vec(), g.vec()
	move := VMASKMOVPD
	if g.f32 {
		move = VMASKMOVPS
	}
	LEAQ(g.consts.Offset(g.at[0]), from)
	NEGQ(n)
	g.mov(Mem{Base: from, Index: n, Scale: uint8(g.elem)}, mask)
	move(Mem{Base: g.x}, mask, a)
	g.sub(shift, a, a)
	y := g.vector(a)
	g.and(mask, y, kept)
	g.addTo(sum, kept)
	move(y, mask, Mem{Base: g.dst})
}
