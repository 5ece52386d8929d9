package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxChunks is the width of the widest tile in vectors: 8×3 or 4×3 sums fill the registers but for a row and a broadcast.
const maxChunks = 3

// tileRows is the height of a tile.
func (s *isa) tileRows() int {
	if s.avx512 {
		return 8
	}
	return 4
}

// sums are the registers of a tile.
type sums [][]reg.VecVirtual

func (s *isa) newSums(chunks int) sums {
	t := make(sums, s.tileRows())
	for i := range t {
		t[i] = s.vecs(chunks)
		for _, x := range t[i] {
			s.zero(x)
		}
	}
	return t
}

// addOuter adds the product of a column, given by the operands of its elements, and a row in registers.
func (s *isa) addOuter(t sums, column func(i int) Mem, row []reg.VecVirtual) {
	for i := range t {
		x := s.vec()
		s.bcast(column(i), x)
		for q := range row {
			s.fma(row[q], x, t[i][q])
		}
	}
}

// addTo adds the tile to memory; step is the distance of its rows in bytes.
func (s *isa) addTo(t sums, at, step reg.Register) {
	for i := range t {
		for q, x := range t[i] {
			m := Mem{Base: at, Disp: q * s.size}
			s.add(m, x, x)
			s.mov(x, m)
		}
		if i+1 < len(t) {
			ADDQ(step, at)
		}
	}
}

// scaled loads an integer argument, multiplied by the size of an element.
func (s *isa) scaled(name string) reg.GPVirtual {
	x := Load(Param(name), GP64()).(reg.GPVirtual)
	IMUL3Q(U32(s.elem), x, x)
	return x
}

// gemmTiles writes the inner kernels of the dense products.
func gemmTiles(s *isa) {
	for chunks := 1; chunks <= maxChunks; chunks++ {
		TEXT(fmt.Sprintf("tile%dx%s", chunks, s.suffix), NOSPLIT,
			fmt.Sprintf("func(c []%s, ldc int, a []%[1]s, rs, cs int, b []%[1]s, ldb, depth int)", s.typ))
		Pragma("noescape")
		t := s.newSums(chunks)
		a, b := Load(Param("a").Base(), GP64()), Load(Param("b").Base(), GP64())
		rs, cs, ldb := s.scaled("rs"), s.scaled("cs"), s.scaled("ldb")
		depth := Load(Param("depth"), GP64())
		rs3, a1 := GP64(), GP64()
		LEAQ(Mem{Base: rs, Index: rs, Scale: 2}, rs3)
		LEAQ(Mem{Base: a, Index: rs, Scale: 1}, a1)
		column := func(i int) Mem {
			return []Mem{{Base: a}, {Base: a1}, {Base: a, Index: rs, Scale: 2}, {Base: a, Index: rs3, Scale: 1},
				{Base: a, Index: rs, Scale: 4}, {Base: a1, Index: rs, Scale: 4}, {Base: a, Index: rs3, Scale: 2},
				{Base: a1, Index: rs3, Scale: 2}}[i]
		}
		s.prefetchTile(chunks)
		TESTQ(depth, depth)
		JZ(LabelRef("end"))
		Label("loop")
		row := s.vecs(chunks)
		for q, x := range row {
			s.mov(Mem{Base: b, Disp: q * s.size}, x)
		}
		s.addOuter(t, column, row)
		ADDQ(cs, a)
		ADDQ(cs, a1)
		ADDQ(ldb, b)
		DECQ(depth)
		JNZ(LabelRef("loop"))
		Label("end")
		s.addTo(t, Load(Param("c").Base(), GP64()), s.scaled("ldc"))
		VZEROUPPER()
		RET()
	}
}

// prefetchTile asks for the tile of C, which is read only when the sums are complete.
func (s *isa) prefetchTile(chunks int) {
	at, step := Load(Param("c").Base(), GP64()).(reg.GPVirtual), s.scaled("ldc")
	for i := range s.tileRows() {
		for byte := 0; byte < chunks*s.size; byte += 64 {
			PREFETCHT0(Mem{Base: at, Disp: byte})
		}
		if i+1 < s.tileRows() {
			ADDQ(step, at)
		}
	}
}

// gramTiles writes the inner kernels of GramRow. A row of the tile is scaled by the entry's weight; where there are no weights,
// every entry reads the same 1.
func gramTiles(s *isa) {
	one := GLOBL("one"+s.suffix, RODATA|NOPTR)
	if s.f32 {
		DATA(0, U32(math.Float32bits(1)))
	} else {
		DATA(0, U64(math.Float64bits(1)))
	}
	for chunks := 1; chunks <= maxChunks; chunks++ {
		TEXT(fmt.Sprintf("gram%dx%s", chunks, s.suffix), NOSPLIT,
			fmt.Sprintf("func(g, v []%s, k int, cols []int32, w []%[1]s, i, c int) (done int)", s.typ))
		Pragma("noescape")
		done := must(Return("done").Resolve())
		MOVQ(U32(0), done)
		limit := Load(Param("v").Len(), GP64())
		SUBQ(must(Param("k").Resolve()), limit)
		JB(LabelRef("end"))
		IMUL3Q(U32(s.elem), limit, limit)
		t := s.newSums(chunks)
		v, cols := Load(Param("v").Base(), GP64()), Load(Param("cols").Base(), GP64())
		w, step := Load(Param("w").Base(), GP64()), GP64()
		MOVQ(U32(s.elem), step)
		TESTQ(w, w)
		JNZ(LabelRef("weighted"))
		LEAQ(one, w)
		XORQ(step, step)
		Label("weighted")
		k, i, c, e := s.scaled("k"), s.scaled("i"), s.scaled("c"), GP64()
		XORQ(e, e)
		CMPQ(e, must(Param("cols").Len().Resolve()))
		JGE(LabelRef("end"))
		Label("loop")
		at := GP64()
		MOVLQSX(Mem{Base: cols, Index: e, Scale: 4}, at)
		IMULQ(k, at)
		CMPQ(at, limit)
		JHI(LabelRef("stop"))
		ADDQ(v, at)
		weight, row := s.vec(), s.vecs(chunks)
		s.bcast(Mem{Base: w}, weight)
		for q, x := range row {
			s.mul(Mem{Base: at, Index: c, Scale: 1, Disp: q * s.size}, weight, x)
		}
		s.addOuter(t, func(l int) Mem { return Mem{Base: at, Index: i, Scale: 1, Disp: l * s.elem} }, row)
		ADDQ(step, w)
		INCQ(e)
		CMPQ(e, must(Param("cols").Len().Resolve()))
		JLT(LabelRef("loop"))
		Label("stop")
		MOVQ(e, done)
		g := Load(Param("g").Base(), GP64()).(reg.GPVirtual)
		corner := Load(Param("i"), GP64()).(reg.GPVirtual)
		IMULQ(k, corner)
		ADDQ(corner, g)
		ADDQ(c, g)
		s.addTo(t, g, k)
		Label("end")
		VZEROUPPER()
		RET()
	}
}
