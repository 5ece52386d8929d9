package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// first adds Pᵀ(x - P u) to g, and writes ‖x - P u‖².
func (g *ridge) first(u reg.Register, square Mem) {
	p := g.newPass("first", u)
	p.x, p.to = Load(Param("x").Base(), GP64()), g.g
	p.squared()
	p.run()
	VMOVSD(p.total(), square)
}

// hessian adds PᵀP d to h.
func (g *ridge) hessian() {
	p := g.newPass("pass", g.d)
	p.to = g.h
	p.run()
}

// predicted is ‖P d‖², for half of the work.
func (g *ridge) predicted() reg.VecVirtual {
	p := g.newPass("predicted", g.d)
	p.squared()
	p.run()
	return p.total()
}

func (g *ridge) newPass(name string, d reg.Register) *ridgePass {
	w := g.widened()
	p := &ridgePass{ridge: g, wide: w, name: name, d: d, per: ridgeBlock * g.elem / w.size, size: GP64(), three: GP64(), at: Load(Param("p").Base(), GP64())}
	MOVQ(g.dims, p.size)
	SHLQ(Imm(ridgeShift), p.size)
	LEAQ(Mem{Base: p.size, Index: p.size, Scale: 2}, p.three)
	return p
}

// run takes a group of blocks at a time: first the products of its entries, then their part of every coordinate, a vector of sums each until
// the end.
func (p *ridgePass) run() {
	if p.to != nil {
		p.sums = Load(Param("work").Base(), GP64())
		LEAQ(Mem{Base: p.sums, Index: p.k, Scale: 4}, p.sums)
		p.clear()
	}
	left := Load(Param("x").Len(), GP64())
	SHRQ(Imm(ridgeShift), left)
	if count := ridgeVectors / p.per; count > 1 {
		CMPQ(p.ridge.k, U32(ridgeNear*p.elem))
		JA(LabelRef(fmt.Sprintf("%s_%d", p.name, count/2)))
	}
	for count := ridgeVectors / p.per; count > 0; count /= 2 {
		p.loop(count, left)
	}
	Label(p.name + "_0")
	if p.to != nil {
		p.reduce()
	}
}

// ridgeVectors is how many vectors of entries a group has, and ridgeChains how many sums their products are split into, to hide the latency of
// an addition. With more than ridgeNear coordinates a group of so many would not stay in the nearest cache between its two loops.
const (
	ridgeVectors = 4
	ridgeChains  = 8
	ridgeNear    = 64
)

// A ridgePass takes the products of entries with d, or targets less them, and adds up their squares, or P's rows by them, or both.
type ridgePass struct {
	*ridge
	wide        *isa
	name        string
	d           reg.Register
	per         int            // vectors of a block
	size, three reg.GPVirtual  // bytes of a block, and three times as many
	at          reg.Register   // block
	x           reg.Register   // targets of the entries, or nil
	to          reg.Register   // what Pᵀ times the products is added to, or nil
	sums        reg.Register   // a vector for each coordinate of that
	squares     reg.VecVirtual // sums of squares, in float64, or nil
}

// squared makes the pass add up squares.
func (p *ridgePass) squared() {
	p.squares = register(p.wide.size)
	p.wide.zero(p.squares)
}

// total is the sum of them.
func (p *ridgePass) total() reg.VecVirtual {
	return (&isa{avx512: p.avx512, size: p.wide.size, add: VADDPD}).sumLanes(p.squares)
}

// each writes a loop over the sums, if there are any, of which c counts the coordinates.
func (p *ridgePass) each(name string, step int, end Op, body func(c, sums reg.Register)) {
	c, sums := GP64(), GP64()
	XORQ(c, c)
	if p.sums != nil {
		MOVQ(p.sums, sums)
	}
	Label(p.name + name)
	body(c, sums)
	ADDQ(U32(step*p.elem), c)
	if p.sums != nil {
		ADDQ(U32(step*p.wide.size), sums)
	}
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
	if p.squares != nil {
		p.square(t)
	}
	if p.x != nil {
		ADDQ(U32(len(t)*w.size), p.x)
	}
	if p.to != nil {
		p.update(name, t)
	}
	for range count {
		ADDQ(p.size, p.at)
	}
	SUBQ(U32(count), left)
	JMP(LabelRef(p.name + name))
}

// update adds the rows of P, each times its product, to the sums.
func (p *ridgePass) update(name string, t []reg.VecVirtual) {
	w := p.wide
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

// square adds the squares of products.
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

// reduce adds the lanes of the sums to what they are for.
func (p *ridgePass) reduce() {
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
			sum, at := short.reduce(y), Mem{Base: p.to, Index: c, Scale: 1, Disp: i * p.elem}
			short.add(at, sum, sum)
			short.mov(sum, at)
		}
	})
}
