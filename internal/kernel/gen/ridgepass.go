package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pass adds Pᵀ P d to to, or, where there is a square to take, Pᵀ(x - P d), a group of blocks at a time: first the products of its entries, then
// their part of every coordinate, a vector of sums each until the end.
func (g *ridge) pass(name string, d, to reg.Register, square *Mem) {
	w := g.widened()
	block := ridgeBlock * g.elem // bytes of a coordinate of a block
	p := &ridgePass{ridge: g, wide: w, name: name, d: d, per: block / w.size, size: GP64(), three: GP64(), at: Load(Param("p").Base(), GP64())}
	MOVQ(g.dims, p.size)
	SHLQ(Imm(ridgeShift), p.size)
	LEAQ(Mem{Base: p.size, Index: p.size, Scale: 2}, p.three)
	p.sums = Load(Param("work").Base(), GP64())
	LEAQ(Mem{Base: p.sums, Index: g.k, Scale: 4}, p.sums)
	if square != nil {
		p.x, p.squares = Load(Param("x").Base(), GP64()), register(w.size)
		w.zero(p.squares)
	}
	p.clear()
	left := Load(Param("x").Len(), GP64())
	SHRQ(Imm(ridgeShift), left)
	if count := ridgeVectors / p.per; count > 1 {
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

// ridgeVectors is how many vectors of entries a group has, and ridgeChains how many sums their products are split into, to hide the latency of
// an addition. With more than ridgeNear coordinates a group of so many would not stay in the nearest cache between its two loops.
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
	t := w.vecs(ridgeChains)
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
