package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockBytes is the size of a coordinate of a block of packed rows: as many entries lie side by side as the widest vector holds.
const blockBytes = 64

// packedDims are the numbers of coordinates for which there are kernels on packed rows.
var packedDims = []int{4, 8, 12, 16}

// packedRows writes a kernel for each number of coordinates: the sums of a row over its entries stay in registers where there are
// 32.
func packedRows(s *isa) {
	for _, dims := range packedDims {
		newPacked(s, "packedGradient", "g, p, u []float32, k int, ptr []int64", "u", "g", dims).gradient()
		newPacked(s, "packedCore", "h, p, d []float32, k int, ptr []int64", "d", "h", dims).core()
		newPacked(s, "packedSquare", "squares, p, d []float32, k int, ptr []int64", "d", "squares", dims).square()
	}
}

// packed is a loop over packed rows. Each has a vector of k elements, of which dims count, and a vector or a number that is
// written.
type packed struct {
	*isa
	dims       int
	p          reg.Register // the present block
	vector, to reg.Register // of the present row
	ptr, rows  reg.Register
	k          reg.Register   // bytes of a vector
	blocks     reg.GPVirtual  // left of the present row
	squares    reg.VecVirtual // sums of squares in float64, or nil
	sums       []reg.VecVirtual
	spread     []reg.VecVirtual // the row's vector, an element in all lanes of each, where there are registers for that
	spilled    Mem              // the sums, where registers are few
	single     bool             // a number is written for a row
}

func newPacked(s *isa, name, args, vector, to string, dims int) *packed {
	result := ""
	if to == "g" {
		result = " (square float64)"
	}
	TEXT(fmt.Sprintf("%s%dx%s", name, dims, s.suffix), NOSPLIT, "func("+args+")"+result)
	Pragma("noescape")
	g := &packed{isa: s.widened(), dims: dims, single: to == "squares"}
	g.p, g.vector, g.to = Load(Param("p").Base(), GP64()), Load(Param(vector).Base(), GP64()), Load(Param(to).Base(), GP64())
	g.ptr, g.rows, g.k = Load(Param("ptr").Base(), GP64()), Load(Param("ptr").Len(), GP64()), g.scaled("k")
	if !g.single && !g.avx512 {
		g.spilled = AllocLocal(16 * g.size)
	}
	return g
}

// each writes the loop over rows, and in it that over blocks.
func (g *packed) each(start, block, end func()) {
	Label("row")
	DECQ(g.rows)
	JLE(LabelRef("end"))
	g.blocks = GP64()
	MOVQ(Mem{Base: g.ptr, Disp: 8}, g.blocks)
	SUBQ(Mem{Base: g.ptr}, g.blocks)
	ADDQ(U32(blockBytes/g.elem-1), g.blocks)
	SHRQ(Imm(uint64(shiftOf(blockBytes/g.elem))), g.blocks)
	start()
	g.hold()
	Label("block")
	DECQ(g.blocks)
	JL(LabelRef("rowEnd"))
	block()
	ADDQ(U32((g.dims+1)*blockBytes), g.p)
	JMP(LabelRef("block"))
	Label("rowEnd")
	end()
	ADDQ(U32(8), g.ptr)
	ADDQ(g.k, g.vector)
	if g.single {
		ADDQ(U32(g.elem), g.to)
	} else {
		ADDQ(g.k, g.to)
	}
	JMP(LabelRef("row"))
	Label("end")
}

// hold spreads the row's vector out for all blocks.
func (g *packed) hold() {
	g.spread = nil
	if g.avx512 && len(g.sums)+g.dims <= 24 {
		for c := range g.dims {
			g.spread = append(g.spread, g.element(c))
		}
	}
}

// element is one of the row's vector in all lanes.
func (g *packed) element(c int) reg.VecVirtual {
	if c < len(g.spread) {
		return g.spread[c]
	}
	x := g.vec()
	g.bcast(Mem{Base: g.vector, Disp: c * g.elem}, x)
	return x
}

func shiftOf(n int) (shift int) {
	for ; n > 1; n /= 2 {
		shift++
	}
	return shift
}

// parts is the number of vectors of a coordinate.
func (g *packed) parts() int { return blockBytes / g.size }

// entries is coordinate c of the block, or the targets where c is dims.
func (g *packed) entries(c, part int) Mem { return Mem{Base: g.p, Disp: c*blockBytes + part*g.size} }

// clear is for the sums of a row.
func (g *packed) clear() {
	if g.avx512 {
		g.sums = g.vecs(g.dims)
		for _, x := range g.sums {
			g.zero(x)
		}
		return
	}
	zero := g.vec()
	g.zero(zero)
	for c := range g.dims {
		g.mov(zero, g.spilled.Offset(c*g.size))
	}
}

// chains are the sums that products of a block are split into, to hide the latency of an addition.
const chains = 2

// products are those of the entries of a block with the row's vector, or the targets less them.
func (g *packed) products(minus bool) []reg.VecVirtual {
	t := make([][chains]reg.VecVirtual, g.parts())
	for part := range t {
		for l := range t[part] {
			t[part][l] = g.vec()
			if minus && l == 0 {
				g.mov(g.entries(g.dims, part), t[part][l])
			} else {
				g.zero(t[part][l])
			}
		}
	}
	add := g.fma
	if minus {
		add = g.fnma
	}
	for c := range g.dims {
		y := g.element(c)
		for part := range t {
			add(g.entries(c, part), y, t[part][c%chains])
		}
	}
	out := make([]reg.VecVirtual, len(t))
	for part, x := range t {
		g.add(x[1], x[0], x[0])
		out[part] = x[0]
	}
	return out
}

// update adds the entries of a block, each times its product, to the sums.
func (g *packed) update(t []reg.VecVirtual) {
	for c := range g.dims {
		if g.avx512 {
			g.fma(g.entries(c, 0), t[0], g.sums[c])
			continue
		}
		x := g.vec()
		g.mov(g.spilled.Offset(c*g.size), x)
		for part, y := range t {
			g.fma(g.entries(c, part), y, x)
		}
		g.mov(x, g.spilled.Offset(c*g.size))
	}
}

// addSums adds the lanes of the sums to what is written.
func (g *packed) addSums() {
	short := *g.isa
	short.size = 32
	for c := 0; c < g.dims; {
		count := min(short.lanes(), g.dims-c)
		x := make([]reg.VecVirtual, count)
		for i := range x {
			if !g.avx512 {
				x[i] = g.vec()
				g.mov(g.spilled.Offset((c+i)*g.size), x[i])
			} else if x[i] = g.sums[c+i]; short.size < g.size {
				half := g.high(x[i], g.size)
				short.add(low(x[i], short.size), half, half)
				x[i] = half
			}
		}
		sum, at := low(short.reduce(x), count*g.elem), Mem{Base: g.to, Disp: c * g.elem}
		short.add(at, sum, sum)
		short.mov(sum, at)
		c += count
	}
}

// addSquares adds the squares of products in float64.
func (g *packed) addSquares(t []reg.VecVirtual) {
	for _, x := range t {
		for _, half := range []reg.VecVirtual{g.high(x, g.size), low(x, g.size/2)} {
			wide := g.vec()
			VCVTPS2PD(half, wide)
			VFMADD231PD(wide, wide, g.squares)
		}
	}
}

// total is the sum of the squares.
func (g *packed) total() reg.VecVirtual {
	return (&isa{avx512: g.avx512, size: g.size, add: VADDPD}).sumLanes(g.squares)
}

// gradient adds Pᵀ(x - P u) to g and returns Σ ‖x - P u‖².
func (g *packed) gradient() {
	g.squares = g.vec()
	g.zero(g.squares)
	g.each(g.clear, func() {
		t := g.products(true)
		g.addSquares(t)
		g.update(t)
	}, g.addSums)
	Store(g.total(), Return("square"))
	VZEROUPPER()
	RET()
}

// core adds PᵀP d to h.
func (g *packed) core() {
	g.each(g.clear, func() { g.update(g.products(false)) }, g.addSums)
	VZEROUPPER()
	RET()
}

// square writes ‖P d‖².
func (g *packed) square() {
	g.each(func() {
		g.squares = g.vec()
		g.zero(g.squares)
	}, func() {
		for _, t := range g.products(false) {
			g.fma(t, t, g.squares)
		}
	}, func() { g.movs(g.sumLanes(g.squares), Mem{Base: g.to}) })
	VZEROUPPER()
	RET()
}
