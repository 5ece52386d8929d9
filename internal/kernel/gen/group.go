package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group is a loop over groups of count entries; with fewer than atLeast left it goes on to next. A group has two halves, each
// a loop over chunks of the rows: the dot products of all its rows, and, when they are known, the updates. Working on
// several rows at once keeps independent sums and cache misses in flight, and needs one load of the row's own vectors.
type group struct {
	*rowGen
	name           string
	count, atLeast int
	far            bool // the rows of the next group, which there must be, are prefetched
	next           string
}

func (g *group) loop() {
	Label(g.name)
	e, left := GP64(), GP64()
	MOVQ(g.done(), e)
	MOVQ(g.end, left)
	SUBQ(e, left)
	CMPQ(left, U32(g.atLeast))
	JL(LabelRef(g.next))
	rows := g.pointers(e)
	var p reg.VecVirtual
	if len(g.dots) > 0 {
		p = g.products(rows)
	}
	e = GP64()
	MOVQ(g.done(), e)
	coefs := g.coefficients(p, e)
	if len(g.gather)+len(g.scatter) > 0 {
		g.updates(rows, coefs)
	}
	ADDQ(U32(g.count), g.done())
	JMP(LabelRef(g.name))
}

// pointers returns the addresses of the group's rows in the base matrix. A column outside it ends the kernel.
func (g *group) pointers(e reg.GPVirtual) []reg.GPVirtual {
	base, cols := Load(Param(g.base).Base(), GP64()), Load(Param("cols").Base(), GP64())
	rows := make([]reg.GPVirtual, g.count)
	for i := range rows {
		rows[i] = GP64()
		MOVLQSX(Mem{Base: cols, Index: e, Scale: 4, Disp: 4 * i}, rows[i])
		IMULQ(g.stride, rows[i])
		CMPQ(rows[i], g.limit)
		JHI(LabelRef("end"))
		ADDQ(base, rows[i])
	}
	if g.far {
		g.lookAhead(base, cols, e)
	}
	return rows
}

// lookAhead keeps pointers to the rows of the next group. They are only prefetched, which cannot fault, so that columns
// need no check here.
func (g *group) lookAhead(base, cols reg.Register, e reg.GPVirtual) {
	t := GP64()
	for i := range g.count {
		MOVLQSX(Mem{Base: cols, Index: e, Scale: 4, Disp: 4 * (g.count + i)}, t)
		IMULQ(g.stride, t)
		ADDQ(base, t)
		MOVQ(t, g.ahead.Offset(8*i))
	}
}

// chunks writes a loop over the chunks of a row; at(matrix or vector, i) is the operand in row i of the group.
func (g *group) chunks(name string, rows []reg.GPVirtual, names []string, body func(at func(of string, i int) Mem)) {
	c := GP64()
	XORQ(c, c)
	index := map[string]reg.Register{}
	var ahead []string
	if g.far {
		ahead = g.aheadIn(name)
		names = append(names, ahead...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, of := range names {
		switch {
		case of == g.base:
			index[of] = c
		case g.isMatrix(of):
			d := Load(Param(of).Base(), GP64()).(reg.GPVirtual)
			SUBQ(must(Param(g.base).Base().Resolve()), d)
			index[of] = d
		default:
			p := GP64()
			MOVQ(g.own[of], p)
			index[of] = p
		}
	}
	Label(g.name + name)
	unroll := 1
	if g.lanes() == 4 {
		unroll = 2
	}
	for sub := range unroll {
		body(func(of string, i int) Mem {
			if g.isMatrix(of) {
				return Mem{Base: rows[i], Index: index[of], Scale: 1, Disp: sub * g.size}
			}
			return Mem{Base: index[of], Index: c, Scale: 1, Disp: sub * g.size}
		})
	}
	g.prefetch(ahead, index)
	ADDQ(U32(unroll*g.size), c)
	for _, of := range names {
		if g.isMatrix(of) && of != g.base {
			ADDQ(U32(unroll*g.size), index[of])
		}
	}
	CMPQ(c, g.stride)
	JB(LabelRef(g.name + name))
}

// aheadIn lists the matrices to prefetch beside a loop: those the next group needs first beside the first loop.
func (g *group) aheadIn(loop string) (names []string) {
	for _, of := range g.matrices() {
		if len(g.dots) == 0 || (of == "gv") == (loop == "_update") {
			names = append(names, of)
		}
	}
	return names
}

// prefetch fetches a chunk of the next group's rows.
func (g *group) prefetch(names []string, index map[string]reg.Register) {
	for _, of := range names {
		for i := range g.count {
			t := GP64()
			MOVQ(g.ahead.Offset(8*i), t)
			PREFETCHT0(Mem{Base: t, Index: index[of], Scale: 1})
		}
	}
}

func (g *group) isMatrix(name string) bool {
	return name == "v" || name == "dv" || name == "gv" || name == "q"
}

// products returns the dot products of the group, one to a lane.
func (g *group) products(rows []reg.GPVirtual) reg.VecVirtual {
	var names []string
	for _, d := range g.dots {
		names = append(names, d[0], d[1])
	}
	sums := g.vecs(len(rows))
	for _, s := range sums {
		g.zero(s)
	}
	g.chunks("_dot", rows, names, func(at func(string, int) Mem) {
		for _, d := range g.dots {
			x := g.vec()
			g.mov(at(d[0], 0), x)
			for i, s := range sums {
				g.fma(at(d[1], i), x, s)
			}
		}
	})
	return g.reduce(sums)
}

// coefficients returns what multiplies the rows of the group, each in all lanes, after storing what is to be stored.
func (g *group) coefficients(p reg.VecVirtual, e reg.GPVirtual) map[coefficient][]reg.VecVirtual {
	coefs := map[coefficient][]reg.VecVirtual{}
	for _, c := range g.coefs {
		switch c {
		case product:
			if g.store != "" {
				g.write(p, g.entry(g.store, e))
			}
		case residual:
			x := register(max(16, g.count*g.elem))
			g.read(g.entry("x", e), x)
			if g.count == 1 {
				g.subs(p, x, p)
			} else {
				g.sub(p, x, p)
			}
			g.write(p, g.entry(g.store, e))
			g.square(p)
		}
		if len(g.gather)+len(g.scatter) == 0 {
			continue
		}
		if c != given {
			coefs[c] = g.spread(p, g.count)
			continue
		}
		r := g.entry("r", e)
		for i := range g.count {
			x := g.vec()
			g.bcast(r.Offset(i*g.elem), x)
			coefs[c] = append(coefs[c], x)
		}
	}
	return coefs
}

func (g *group) entry(name string, e reg.GPVirtual) Mem {
	return Mem{Base: Load(Param(name).Base(), GP64()), Index: e, Scale: uint8(g.elem)}
}

func (g *group) write(p reg.VecVirtual, to Mem) {
	if g.count == 1 {
		g.movs(p, to)
	} else {
		g.mov(p, to)
	}
}

func (g *group) read(from Mem, x reg.VecVirtual) {
	if g.count == 1 {
		g.movs(from, x)
	} else {
		g.mov(from, x)
	}
}

// square adds the squares of a group's residuals to the sums, in float64.
func (g *group) square(p reg.VecVirtual) {
	if g.count == 1 {
		if g.f32 {
			wide := XMM()
			VCVTSS2SD(p, p, wide)
			p = wide
		}
		VFMADD231SD(p, p, g.sums[1])
		return
	}
	if g.f32 {
		wide := register(8 * g.count)
		VCVTPS2PD(p, wide)
		p = wide
	}
	VFMADD231PD(p, p, g.sums[g.count])
}

// updates adds the gather terms to the accumulator and the scatter terms to the rows of gv. Rows of gv are updated in the order
// of the entries, so that a column may occur twice in a group.
func (g *group) updates(rows []reg.GPVirtual, coefs map[coefficient][]reg.VecVirtual) {
	var names []string
	if g.acc != "" {
		names = append(names, g.acc)
	}
	for _, t := range append(append([]term(nil), g.gather...), g.scatter...) {
		names = append(names, t.of)
	}
	if len(g.scatter) > 0 {
		names = append(names, "gv")
	}
	g.chunks("_update", rows, names, func(at func(string, int) Mem) {
		if g.acc != "" {
			g.gatherChunk(at, coefs)
		}
		if len(g.scatter) > 0 {
			g.scatterChunk(at, coefs)
		}
	})
}

// gatherChunk sums into two registers, to halve the chain of dependent additions, and then into memory.
func (g *group) gatherChunk(at func(string, int) Mem, coefs map[coefficient][]reg.VecVirtual) {
	var sums [2]reg.VecVirtual
	minus := [2]bool{}
	for i := range g.count {
		for l, t := range g.gather {
			slot := (i + l) % 2
			if len(g.gather) > 1 {
				slot = l
			}
			minus[slot] = t.minus
			if sums[slot] == nil {
				sums[slot] = g.vec()
				g.mul(at(t.of, i), coefs[t.coef][i], sums[slot])
			} else {
				g.fma(at(t.of, i), coefs[t.coef][i], sums[slot])
			}
		}
	}
	total := g.vec()
	g.mov(at(g.acc, 0), total)
	for slot, s := range sums {
		switch {
		case s == nil:
		case minus[slot]:
			g.sub(s, total, total)
		default:
			g.add(s, total, total)
		}
	}
	g.mov(total, at(g.acc, 0))
}

func (g *group) scatterChunk(at func(string, int) Mem, coefs map[coefficient][]reg.VecVirtual) {
	vectors := make([]reg.VecVirtual, len(g.scatter))
	for l, t := range g.scatter {
		vectors[l] = g.vec()
		g.mov(at(t.of, 0), vectors[l])
	}
	for i := range g.count {
		row := g.vec()
		g.mov(at("gv", i), row)
		for l, t := range g.scatter {
			if t.minus {
				g.fnma(vectors[l], coefs[t.coef][i], row)
			} else {
				g.fma(vectors[l], coefs[t.coef][i], row)
			}
		}
		g.mov(row, at("gv", i))
	}
}
