package main

import (
	"fmt"

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
