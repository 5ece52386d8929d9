package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A logarithm is natural. Let p = 2ᵏ m, m in [√½, √2), and s = (m-1)/(m+1). Then log p = k ln 2 + log m, with log m = 2 artanh s
// as fdlibm has it, for p that are not less than the least normal number. The table of constants is one for all that use it.
type logarithm struct {
	*isa
	consts Mem
	at     map[uint64]int // bits of a constant → offset in the table

	and, or func(...Op)
}

const (
	rootHalf  = 0x3fe6a09e667f3bcd // bits of √½
	mantissa  = 1<<52 - 1
	leastBits = 1 << 52 // of the least normal number
)

// logSeries are those of fdlibm's log [Sun Microsystems 1993].
var logSeries = []float64{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}

func logarithms(s *isa) {
	g := &logarithm{isa: s, at: map[uint64]int{}, and: VANDPD, or: VORPD}
	g.table()
	g.logTo()
	g.entropy()
}

// logTo writes dst[i] = log x[i].
func (g *logarithm) logTo() {
	TEXT("log"+g.suffix, NOSPLIT, "func(dst, x []"+g.typ+")")
	Pragma("noescape")
	dst := Load(Param("dst").Base(), GP64())
	g.sweep(func(p reg.VecVirtual) {
		g.mov(g.log(p), Mem{Base: dst})
		ADDQ(U32(g.size), dst)
	}, func(p reg.VecVirtual, store func(y reg.VecVirtual, to Mem)) { store(g.log(p), Mem{Base: dst}) })
	VZEROUPPER()
	RET()
}

// entropy writes Σ p and Σ p log p over p = scale·x[i] > 0. Where p is not positive, 0·log of the least number takes its place:
// no lane needs a mask. Of two operands, the first is kept if one is NaN.
func (g *logarithm) entropy() {
	TEXT("entropy"+g.suffix, NOSPLIT, "func(x []"+g.typ+", scale "+g.typ+") (sum, entropy float64)")
	Pragma("noescape")
	scale, sum, entropy := g.vec(), g.vec(), g.vec()
	g.bcast(must(Param("scale").Resolve()), scale)
	g.zero(sum)
	g.zero(entropy)
	add := func(p reg.VecVirtual) {
		q := g.vec()
		g.mul(scale, p, p)
		g.max(g.bits(leastBits), p, q)
		g.max(g.bits(0), p, p)
		g.add(p, sum, sum)
		g.fma(p, g.log(q), entropy)
	}
	g.sweep(add, func(p reg.VecVirtual, _ func(reg.VecVirtual, Mem)) { add(p) })
	Store(g.sumLanes(sum), ReturnIndex(0))
	Store(g.sumLanes(entropy), ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// sweep calls vector on each vector of x, and tail on the rest with zeros after it; store writes as many elements as that has.
func (g *logarithm) sweep(vector func(p reg.VecVirtual), tail func(p reg.VecVirtual, store func(y reg.VecVirtual, to Mem))) {
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	Label("vectors")
	CMPQ(n, U32(g.lanes()))
	JL(LabelRef("tail"))
	p := g.vec()
	g.mov(Mem{Base: x}, p)
	vector(p)
	ADDQ(U32(g.size), x)
	SUBQ(U32(g.lanes()), n)
	JMP(LabelRef("vectors"))
	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("end"))
	p = g.vec()
	if g.avx512 {
		bits, k := GP32(), K()
		MOVL(U32(1<<g.lanes()-1), bits)
		BZHIL(n.(reg.GP).As32(), bits, bits)
		KMOVW(bits, k)
		VMOVUPD_Z(Mem{Base: x}, k, p)
		tail(p, func(y reg.VecVirtual, to Mem) { g.mov(y, k, to) })
	} else {
		from, mask := GP64(), g.vec()
		LEAQ(g.bits(math.MaxUint64), from)
		NEGQ(n)
		g.mov(Mem{Base: from, Index: n, Scale: uint8(g.elem)}, mask)
		VMASKMOVPD(Mem{Base: x}, mask, p)
		tail(p, func(y reg.VecVirtual, to Mem) { VMASKMOVPD(y, mask, to) })
	}
	Label("end")
}

// table writes each constant as a whole vector, and a sliding mask.
func (g *logarithm) table() {
	list := []uint64{0, leastBits, 1<<62 - 1<<52 - rootHalf, rootHalf, mantissa, math.Float64bits(1 << 52),
		math.Float64bits(1<<52 + 1023),
		math.Float64bits(math.Ln2), math.Float64bits(1), math.Float64bits(2), math.Float64bits(0.5)}
	for _, c := range logSeries {
		list = append(list, math.Float64bits(c))
	}
	g.consts = GLOBL("log"+g.suffix+"Table", RODATA|NOPTR)
	for i, c := range list {
		g.at[c] = i * g.size
		for lane := range g.lanes() {
			DATA(i*g.size+8*lane, U64(c))
		}
	}
	for at := 0; at < 2*g.size; at += 8 {
		DATA(len(list)*g.size+at, U64(map[bool]uint64{true: math.MaxUint64}[at < g.size]))
	}
	g.at[math.MaxUint64] = (len(list) + 1) * g.size // where the mask turns to zeros
}

func (g *logarithm) bits(c uint64) Mem { return g.consts.Offset(g.at[c]) }

func (g *logarithm) constant(c float64) Mem { return g.bits(math.Float64bits(c)) }

// log is that of q, which it uses up.
func (g *logarithm) log(q reg.VecVirtual) reg.VecVirtual {
	k, s, z, r, half := g.vec(), g.vec(), g.vec(), g.vec(), g.vec()
	VPADDQ(g.bits(1<<62-1<<52-rootHalf), q, q)
	VPSRLQ(Imm(52), q, k)
	g.or(g.constant(1<<52), k, k)
	g.sub(g.constant(1<<52+1023), k, k)
	g.and(g.bits(mantissa), q, q)
	VPADDQ(g.bits(rootHalf), q, q)
	g.sub(g.constant(1), q, q) // m - 1
	g.add(g.constant(2), q, s)
	VDIVPD(s, q, s)
	g.mul(s, s, z)
	g.mov(g.constant(logSeries[len(logSeries)-1]), r)
	for i := len(logSeries) - 2; i >= 0; i-- {
		VFMADD213PD(g.constant(logSeries[i]), z, r)
	}
	g.mul(g.constant(0.5), q, half)
	g.mul(q, half, half)
	VFMADD213PD(half, z, r) // z·series + (m-1)²/2
	g.fnma(s, r, half)      // (m-1)²/2 - s(…)
	g.sub(half, q, q)
	g.fma(g.constant(math.Ln2), k, q)
	return q
}
