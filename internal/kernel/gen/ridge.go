package main

import (
	"maps"
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A regression writes a loop over the rows of ridge regressions. Each row has vectors of k elements: the unknowns u, the negative
// gradient g, the direction d, and h, the Hessian times d. And it has a number each in ridge, counts and old.
type regression struct {
	*isa
	name    string
	k       reg.Register            // bytes of a vector
	vectors map[string]reg.Register // of the present row; mean is that of all rows
	numbers map[string]reg.Register // elements of the present row
	left    reg.Register            // rows
	gain    reg.VecVirtual          // twice the sum of what steps gain, in float64, or nil
}

// regressions writes beginRows, stepRows and lastRows, see ridge.go of the package.
func regressions(s *isa) {
	beginRows(s)
	stepRows(s)
	lastRows(s)
}

func newRegression(s *isa, name, args string, vectors, numbers []string, gains bool) *regression {
	result := ""
	if gains {
		result = " (gain float64)"
	}
	TEXT(name+s.suffix, NOSPLIT, "func("+args+")"+result)
	Pragma("noescape")
	g := &regression{isa: s, name: name, k: s.scaled("k"), left: Load(Param("ridge").Len(), GP64()),
		vectors: map[string]reg.Register{}, numbers: map[string]reg.Register{}}
	for _, v := range vectors {
		g.vectors[v] = Load(Param(v).Base(), GP64())
	}
	for _, n := range numbers {
		g.numbers[n] = Load(Param(n).Base(), GP64())
	}
	if gains {
		g.gain = XMM()
		g.zero(g.gain)
	}
	return g
}

// rows writes the loop; body may go on to the next row by a jump to "next".
func (g *regression) rows(body func()) {
	Label("row")
	TESTQ(g.left, g.left)
	JZ(LabelRef("end"))
	body()
	Label("next")
	for _, of := range slices.Sorted(maps.Keys(g.vectors)) {
		if of != "mean" {
			ADDQ(g.k, g.vectors[of])
		}
	}
	for _, of := range slices.Sorted(maps.Keys(g.numbers)) {
		ADDQ(U32(g.elem), g.numbers[of])
	}
	DECQ(g.left)
	JMP(LabelRef("row"))
	Label("end")
	if g.gain != nil {
		half := XMM()
		VMOVSD(constant(0.5, g.name+"Half"+g.suffix), half)
		VMULSD(half, g.gain, g.gain)
		Store(g.gain, Return("gain"))
	}
	VZEROUPPER()
	RET()
}

// constant is a float64 in memory.
func constant(x float64, name string) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(x)))
	return m
}

// number is that of the present row.
func (g *regression) number(of string) Mem { return Mem{Base: g.numbers[of]} }

// broadcast is a number in all lanes.
func (g *regression) broadcast(m Op) reg.VecVirtual {
	x := g.vec()
	g.bcast(m, x)
	return x
}

// loop runs over the elements of the vectors.
func (g *regression) loop(name string, body func(at func(of string) Mem)) {
	c := GP64()
	XORQ(c, c)
	Label(name)
	for b := 0; b < 8*g.elem; b += g.size {
		body(func(of string) Mem { return Mem{Base: g.vectors[of], Index: c, Scale: 1, Disp: b} })
	}
	ADDQ(U32(8*g.elem), c)
	CMPQ(c, g.k)
	JB(LabelRef(name))
}

// inverse is 1/(ridge + count·mean), the preconditioner.
func (g *regression) inverse(at func(of string) Mem, one, ridge, count reg.VecVirtual) reg.VecVirtual {
	y := g.vec()
	g.mov(ridge, y)
	g.fma(at("mean"), count, y)
	VDIVPS(y, one, y)
	return y
}

// beginRows completes the gradients, g -= ridge u, and takes the first directions: d = Mg, h = ridge d, old = gᵀMg.
func beginRows(s *isa) {
	g := newRegression(s, "beginRows", "u, g, d, h, mean []float32, k int, counts, ridge, old []float32",
		[]string{"u", "g", "d", "h", "mean"}, []string{"counts", "ridge", "old"}, false)
	one := g.broadcast(g.one())
	g.rows(func() {
		ridge, count, sum := g.broadcast(g.number("ridge")), g.broadcast(g.number("counts")), g.vec()
		g.zero(sum)
		g.loop("begin", func(at func(of string) Mem) {
			x, t := g.vec(), g.inverse(at, one, ridge, count)
			g.mov(at("g"), x)
			g.fnma(at("u"), ridge, x)
			g.mov(x, at("g"))
			g.mul(x, t, t)
			g.fma(x, t, sum)
			g.mov(t, at("d"))
			g.mul(ridge, t, t)
			g.mov(t, at("h"))
		})
		g.movs(g.sumLanes(sum), g.number("old"))
	})
}

// one is 1 in memory.
func (g *regression) one() Mem {
	m := GLOBL(g.name+"One"+g.suffix, RODATA|NOPTR)
	DATA(0, U64(math.Float32bits(1)))
	return m
}

// curve is dᵀh.
func (g *regression) curve() reg.VecVirtual {
	sum := g.vec()
	g.zero(sum)
	g.loop("curve", func(at func(of string) Mem) {
		x := g.vec()
		g.mov(at("d"), x)
		g.fma(at("h"), x, sum)
	})
	return g.sumLanes(sum)
}

// length is old/curve in all lanes; it adds old²/curve to the gain. Where either is at most the least normal number it goes on to
// the next row.
func (g *regression) length(curve reg.VecVirtual) reg.VecVirtual {
	old, won, nothing := XMM(), XMM(), XMM()
	least := GLOBL(g.name+"Least"+g.suffix, RODATA|NOPTR)
	DATA(0, U64(math.Float32bits(0x1p-126)))
	g.movs(least, nothing)
	g.movs(g.number("old"), old)
	for _, x := range []reg.VecVirtual{old, curve} {
		VUCOMISS(nothing, x)
		JLS(LabelRef("next"))
	}
	alpha := XMM()
	VDIVSS(curve, old, alpha)
	g.muls(old, alpha, won)
	VCVTSS2SD(won, won, won)
	VADDSD(won, g.gain, g.gain)
	return g.broadcast(alpha)
}

// stepRows moves along the directions, u += alpha d and g -= alpha h, and turns to the next: d = Mg + beta d, h = ridge d.
func stepRows(s *isa) {
	g := newRegression(s, "stepRows", "u, g, d, h, mean []float32, k int, counts, ridge, old []float32",
		[]string{"u", "g", "d", "h", "mean"}, []string{"counts", "ridge", "old"}, true)
	one := g.broadcast(g.one())
	g.rows(func() {
		alpha := g.length(g.curve())
		ridge, count, sum := g.broadcast(g.number("ridge")), g.broadcast(g.number("counts")), g.vec()
		g.zero(sum)
		g.loop("move", func(at func(of string) Mem) {
			x, y, t := g.vec(), g.vec(), g.inverse(at, one, ridge, count)
			g.mov(at("u"), y)
			g.fma(at("d"), alpha, y)
			g.mov(y, at("u"))
			g.mov(at("g"), x)
			g.fnma(at("h"), alpha, x)
			g.mov(x, at("g"))
			g.mul(x, t, t)
			g.fma(x, t, sum)
			g.mov(t, at("h"))
		})
		next, beta := g.sumLanes(sum), XMM()
		VDIVSS(g.number("old"), next, beta)
		g.movs(next, g.number("old"))
		b := g.broadcast(beta)
		g.loop("turn", func(at func(of string) Mem) {
			x := g.vec()
			g.mov(at("h"), x)
			g.fma(at("d"), b, x)
			g.mov(x, at("d"))
			g.mul(ridge, x, x)
			g.mov(x, at("h"))
		})
	})
}

// lastRows moves along the directions alone: squares, those of what the entries of each row have along it, stand for what
// stepRows finds in h.
func lastRows(s *isa) {
	g := newRegression(s, "lastRows", "u, d, h []float32, k int, ridge, old, squares []float32",
		[]string{"u", "d", "h"}, []string{"old", "squares"}, true)
	g.rows(func() {
		curve := g.curve()
		g.adds(g.number("squares"), curve, curve)
		alpha := g.length(curve)
		g.loop("last", func(at func(of string) Mem) {
			y := g.vec()
			g.mov(at("u"), y)
			g.fma(at("d"), alpha, y)
			g.mov(y, at("u"))
		})
	})
}
