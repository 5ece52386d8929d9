package main

import (
	"fmt"
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ridgeBlock is how many entries of a row lie side by side, for each coordinate, and ridgeStep how many coordinates are done at a time.
const (
	ridgeBlock = 16
	ridgeStep  = 4
)

// packRow writes packRow: rows of v that lie apart become columns of blocks, 32 bytes of entries at a time. Entries beyond the last are rows of
// zeros. A column outside v ends it.
func packRow(s *isa) {
	TEXT("packRow"+s.suffix, NOSPLIT, strings.ReplaceAll("func(p, v, none []T, k, dims int, cols []int32) (done int)", "T", s.typ))
	Pragma("noescape")
	g := &packing{isa: s, rows: make([]reg.GPVirtual, 32/s.elem), limit: AllocLocal(8)}
	done := must(Return("done").Resolve())
	MOVQ(U32(0), done)
	limit := Load(Param("v").Len(), GP64())
	SUBQ(must(Param("k").Resolve()), limit)
	JB(LabelRef("end"))
	IMUL3Q(U32(s.elem), limit, limit)
	MOVQ(limit, g.limit)
	g.k, g.dims, g.to, g.e = s.scaled("k"), AllocLocal(8), Load(Param("p").Base(), GP64()), GP64()
	XORQ(g.e, g.e)
	MOVQ(s.scaled("dims"), g.dims)
	for i := range g.rows {
		g.rows[i] = GP64()
	}
	CMPQ(g.limit, U32(packFar))
	JL(LabelRef("group"))
	for i, name := range []string{"far", "group"} {
		next := []string{"group", "rest"}[i]
		Label(name)
		left := Load(Param("cols").Len(), GP64())
		SUBQ(g.e, left)
		CMPQ(left, U32((2-i)*len(g.rows)))
		JL(LabelRef(next))
		for l := range g.rows {
			if name == "far" {
				g.fetch(l + len(g.rows))
			}
			g.find(l)
		}
		g.turn(name)
		JMP(LabelRef(name))
	}

	Label("rest")
	left := Load(Param("cols").Len(), GP64())
	CMPQ(g.e, left)
	JL(LabelRef("some"))
	TESTQ(U32(ridgeBlock-1), g.e)
	JZ(LabelRef("all"))
	Label("some")
	for l := range g.rows {
		name := fmt.Sprintf("found%d", l)
		MOVQ(must(Param("none").Base().Resolve()), g.rows[l])
		at := GP64()
		LEAQ(Mem{Base: g.e, Disp: l}, at)
		CMPQ(at, must(Param("cols").Len().Resolve()))
		JGE(LabelRef(name))
		g.find(l)
		Label(name)
	}
	g.turn("rest")
	JMP(LabelRef("rest"))

	Label("all")
	MOVQ(must(Param("cols").Len().Resolve()), g.e)
	Label("stop")
	MOVQ(g.e, done)
	Label("end")
	VZEROUPPER()
	RET()
}

// packFar is the size of v above which rows of the next group are prefetched.
const packFar = 1 << 20

// packing is the state of packRow: the rows of a group, and where in p the group begins.
type packing struct {
	*isa
	rows  []reg.GPVirtual
	k     reg.Register // bytes of a row
	dims  Mem          // of which so many count
	limit Mem          // of the last row of v, in bytes
	to, e reg.Register
}

// find is the address of the row of entry e+l.
func (g *packing) find(l int) {
	at := Load(Param("cols").Base(), GP64())
	MOVLQSX(Mem{Base: at, Index: g.e, Scale: 4, Disp: 4 * l}, g.rows[l])
	IMULQ(g.k, g.rows[l])
	CMPQ(g.rows[l], g.limit)
	JHI(LabelRef("stop"))
	ADDQ(must(Param("v").Base().Resolve()), g.rows[l])
}

// fetch has the first lines of the row of entry e+l brought nearer. A prefetch cannot fault, so that columns need no check here.
func (g *packing) fetch(l int) {
	at, row := Load(Param("cols").Base(), GP64()), GP64()
	MOVLQSX(Mem{Base: at, Index: g.e, Scale: 4, Disp: 4 * l}, row)
	IMULQ(g.k, row)
	ADDQ(must(Param("v").Base().Resolve()), row)
	PREFETCHT0(Mem{Base: row})
	PREFETCHT0(Mem{Base: row, Disp: 64})
}

// turn writes the group and moves on to the next: a half-vector of coordinates of two rows side by side, and these transposed.
func (g *packing) turn(name string) {
	c := GP64()
	XORQ(c, c)
	Label(name + "_turn")
	side := 16 / g.elem
	for first := 0; first < ridgeStep; first += side {
		x := make([]reg.VecVirtual, side)
		for l := range x {
			half := XMM()
			at := func(row int) Mem { return Mem{Base: g.rows[row], Index: c, Scale: 1, Disp: first * g.elem} }
			VMOVUPD(at(l), half)
			x[l] = YMM()
			VINSERTF128(Imm(1), at(l+side), half.AsY(), x[l])
		}
		for i, y := range g.transpose(x) {
			VMOVUPD(y, Mem{Base: g.to, Disp: (first + i) * ridgeBlock * g.elem})
		}
	}
	ADDQ(U32(ridgeStep*g.elem), c)
	ADDQ(U32(ridgeStep*ridgeBlock*g.elem), g.to)
	CMPQ(c, g.dims)
	JB(LabelRef(name + "_turn"))
	ADDQ(U32(len(g.rows)), g.e)
	SUBQ(U32(ridgeBlock*g.elem-32), g.to) // to the next block
	TESTQ(U32(ridgeBlock-1), g.e)
	JZ(LabelRef(name + "_next"))
	SHLQ(Imm(4), c)
	SUBQ(c, g.to) // or the next part of this one
	ADDQ(U32(ridgeBlock*g.elem), g.to)
	Label(name + "_next")
}

// transpose does so with the elements of each half.
func (s *isa) transpose(x []reg.VecVirtual) []reg.VecVirtual {
	join := func(lo, hi func(...Op), a, b reg.VecVirtual) (l, h reg.VecVirtual) {
		l, h = YMM(), YMM()
		lo(b, a, l)
		hi(b, a, h)
		return l, h
	}
	y := make([]reg.VecVirtual, len(x))
	if len(x) == 2 {
		y[0], y[1] = join(VUNPCKLPD, VUNPCKHPD, x[0], x[1])
		return y
	}
	a, b := join(VUNPCKLPS, VUNPCKHPS, x[0], x[1])
	c, d := join(VUNPCKLPS, VUNPCKHPS, x[2], x[3])
	y[0], y[1] = join(VUNPCKLPD, VUNPCKHPD, a, c)
	y[2], y[3] = join(VUNPCKLPD, VUNPCKHPD, b, d)
	return y
}

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
	g.pass("first", Load(Param("u").Base(), GP64()), g.g, &square)
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
	g.pass("pass", g.d, g.h, nil)
	curve := g.curve()
	s.compare(nothing, curve)
	JLS(LabelRef("end"))
	g.turn("next", g.move(curve, gain))
	DECQ(steps)
	JMP(LabelRef("step"))
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
func (g *ridge) curve() reg.VecVirtual {
	sum := g.vec()
	g.zero(sum)
	g.loop("curve", func(at func(reg.Register) Mem) {
		x := g.vec()
		g.mov(at(g.d), x)
		g.fma(at(g.h), x, sum)
	})
	return g.sumLanes(sum)
}

// move takes the step alpha = gᵀ M g / curve, u += alpha d and g -= alpha h, adds twice what it gains to gain, and returns the part
// beta of d that is to stay in the next direction.
func (g *ridge) move(curve reg.VecVirtual, gain Mem) (beta reg.VecVirtual) {
	alpha, won := XMM(), XMM()
	g.movs(g.old, alpha)
	g.op(VDIVSS, VDIVSD)(curve, alpha, alpha)
	g.op(VMULSS, VMULSD)(g.old, alpha, won)
	if g.f32 {
		VCVTSS2SD(won, won, won)
	}
	VADDSD(gain, won, won)
	VMOVSD(won, gain)
	a, u := g.vec(), Load(Param("u").Base(), GP64())
	g.bcast(alpha, a)
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

// pass adds Pᵀ P d to to, or, where there is a square to take, Pᵀ(x - P d), a group of blocks at a time: first the products of its entries, then
// their part of every coordinate, a vector of sums each until the end.
func (g *ridge) pass(name string, d, to reg.Register, square *Mem) {
	w := g.widened()
	block := ridgeBlock * g.elem // bytes of a coordinate of a block
	p := &ridgePass{ridge: g, wide: w, name: name, d: d, per: block / w.size, size: GP64(), three: GP64(), at: Load(Param("p").Base(), GP64())}
	MOVQ(g.dims, p.size)
	SHLQ(Imm(4), p.size)
	LEAQ(Mem{Base: p.size, Index: p.size, Scale: 2}, p.three)
	p.sums = Load(Param("work").Base(), GP64())
	LEAQ(Mem{Base: p.sums, Index: g.k, Scale: 4}, p.sums)
	if square != nil {
		p.x, p.squares = Load(Param("x").Base(), GP64()), register(w.size)
		w.zero(p.squares)
	}
	p.clear()
	left := Load(Param("x").Len(), GP64())
	SHRQ(Imm(4), left)
	if count := ridgeVectors / p.per; count > 1 { // a group that does not stay in the nearest cache would come from the next one twice
		CMPQ(g.k, U32(ridgeNear*g.elem))
		JA(LabelRef(fmt.Sprintf("%s_%d", name, count/2)))
	}
	for count := ridgeVectors / p.per; count > 0; count /= 2 {
		p.loop(count, left)
	}
	Label(name + "_0")
	p.reduce(to)
	if square != nil {
		total := (&isa{avx512: g.avx512, size: w.size, add: VADDPD}).sumLanes(p.squares)
		VMOVSD(total, *square)
	}
}

// ridgeVectors is how many vectors of entries a group has, ridgeChains how many sums their products are split into.
const (
	ridgeVectors = 4
	ridgeChains  = 8
	ridgeNear    = 64
)

// ridgePass is the state of a pass.
type ridgePass struct {
	*ridge
	wide        *isa
	name        string
	d           reg.Register
	per         int            // vectors of a block
	size, three reg.GPVirtual  // bytes of a block, and three times as many
	at          reg.Register   // block
	sums        reg.Register   // a vector for each coordinate
	x           reg.Register   // targets of the entries, or nil
	squares     reg.VecVirtual // sums of squares, in float64
}

// each writes a loop over the sums, of which c counts the coordinates.
func (p *ridgePass) each(name string, step int, end Op, body func(c, sums reg.Register)) {
	c, sums := GP64(), GP64()
	XORQ(c, c)
	MOVQ(p.sums, sums)
	Label(p.name + name)
	body(c, sums)
	ADDQ(U32(step*p.elem), c)
	ADDQ(U32(step*p.wide.size), sums)
	CMPQ(c, end)
	JB(LabelRef(p.name + name))
}

// along is each where the block moves on too.
func (p *ridgePass) along(name string, body func(c, sums reg.Register)) {
	p.each(name, ridgeStep, p.dims, func(c, sums reg.Register) {
		body(c, sums)
		ADDQ(U32(ridgeStep*ridgeBlock*p.elem), p.at)
	})
	SUBQ(p.size, p.at)
}

// entry is vector v of a group at coordinate i of a step.
func (p *ridgePass) entry(v, i int) Mem {
	m := []Mem{{Base: p.at}, {Base: p.at, Index: p.size, Scale: 1}, {Base: p.at, Index: p.size, Scale: 2}, {Base: p.at, Index: p.three, Scale: 1}}[v/p.per]
	return m.Offset(i*ridgeBlock*p.elem + v%p.per*p.wide.size)
}

func (p *ridgePass) clear() {
	zero := p.wide.vec()
	p.wide.zero(zero)
	p.each("_clear", 8, p.k, func(_, sums reg.Register) {
		for i := range 8 {
			p.wide.mov(zero, Mem{Base: sums, Disp: i * p.wide.size})
		}
	})
}

// loop does groups of count blocks while there are so many left.
func (p *ridgePass) loop(count int, left reg.Register) {
	w, name := p.wide, fmt.Sprintf("_%d", count)
	Label(p.name + name)
	CMPQ(left, U32(count))
	JL(LabelRef(fmt.Sprintf("%s_%d", p.name, count/2)))
	t := p.products(name, count*p.per)
	if p.x != nil {
		p.square(t)
		ADDQ(U32(len(t)*w.size), p.x)
	}
	p.along(name+"_update", func(_, sums reg.Register) {
		y := w.vecs(ridgeStep)
		for i := range y {
			w.mov(Mem{Base: sums, Disp: i * w.size}, y[i])
		}
		for v := range t {
			for i := range y {
				w.fma(p.entry(v, i), t[v], y[i])
			}
		}
		for i := range y {
			w.mov(y[i], Mem{Base: sums, Disp: i * w.size})
		}
	})
	for range count {
		ADDQ(p.size, p.at)
	}
	SUBQ(U32(count), left)
	JMP(LabelRef(p.name + name))
}

// products are those of the entries of n vectors with d, or x less them.
func (p *ridgePass) products(name string, n int) []reg.VecVirtual {
	w, add := p.wide, p.wide.fma
	if p.x != nil {
		add = w.fnma
	}
	t := w.vecs(ridgeChains) // that many sums hide the latency of an addition
	for v := range t {
		if v < n && p.x != nil {
			w.mov(Mem{Base: p.x, Disp: v * w.size}, t[v])
		} else {
			w.zero(t[v])
		}
	}
	p.along(name+"_dot", func(c, _ reg.Register) {
		for i := range ridgeStep {
			y := w.vec()
			w.bcast(Mem{Base: p.d, Index: c, Scale: 1, Disp: i * p.elem}, y)
			for v := range n {
				add(p.entry(v, i), y, t[(v+i*n)%len(t)])
			}
		}
	})
	for len(t) > n {
		half := len(t) / 2
		for i := range half {
			w.add(t[half+i], t[i], t[i])
		}
		t = t[:half]
	}
	return t
}

// square adds the squares of residuals.
func (p *ridgePass) square(t []reg.VecVirtual) {
	for _, r := range t {
		if !p.f32 {
			VFMADD231PD(r, r, p.squares)
			continue
		}
		for _, half := range []reg.VecVirtual{low(r, p.wide.size/2), p.high(r, p.wide.size)} {
			x := p.wide.vec()
			VCVTPS2PD(half, x)
			VFMADD231PD(x, x, p.squares)
		}
	}
}

// reduce adds the lanes of the sums to to.
func (p *ridgePass) reduce(to reg.Register) {
	short := *p.isa
	short.size = 32
	p.each("_lanes", 8, p.k, func(c, sums reg.Register) {
		for i := 0; i < 8; i += short.lanes() {
			y := short.vecs(short.lanes())
			for l := range y {
				at := Mem{Base: sums, Disp: (i + l) * p.wide.size}
				short.mov(at, y[l])
				if p.wide.size == 64 {
					short.add(at.Offset(32), y[l], y[l])
				}
			}
			sum, at := short.reduce(y), Mem{Base: to, Index: c, Scale: 1, Disp: i * p.elem}
			short.add(at, sum, sum)
			short.mov(sum, at)
		}
	})
}
