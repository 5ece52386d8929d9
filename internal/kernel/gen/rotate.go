package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rotate writes chains of rotations: some columns of all rows go from the last row to the first, with the one that the next
// rotation changes again in registers.
func rotate(s *isa) {
	TEXT("rotate"+s.suffix, NOSPLIT, strings.ReplaceAll("func(z []T, k int, c, s []T)", "T", s.typ))
	Pragma("noescape")
	k := s.scaled("k")
	z, left := Load(Param("z").Base(), GP64()), GP64()
	MOVQ(k, left)
	least := 8 * s.elem / s.size
	for chunks := 4; chunks >= least; chunks -= least { // few in hand wait for each other: what is left over is taken at once
		name, next := fmt.Sprint("by", chunks), fmt.Sprint("by", chunks-least)
		if chunks == least {
			next = "end"
		}
		Label(name)
		CMPQ(left, U32(chunks*s.size))
		JL(LabelRef(next))
		s.rotateColumns(name, z, k, chunks)
		ADDQ(U32(chunks*s.size), z)
		SUBQ(U32(chunks*s.size), left)
		JMP(LabelRef(name))
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// rotateColumns does the columns of some vectors.
func (s *isa) rotateColumns(name string, z, k reg.Register, chunks int) {
	c, sine, i, at := Load(Param("c").Base(), GP64()), Load(Param("s").Base(), GP64()), Load(Param("c").Len(), GP64()), GP64()
	MOVQ(k, at)
	IMULQ(i, at)
	ADDQ(z, at)
	y := s.vecs(chunks)
	for q, v := range y {
		s.mov(Mem{Base: at, Disp: q * s.size}, v)
	}
	Label(name + "_row")
	SUBQ(U32(1), i)
	JB(LabelRef(name + "_done"))
	cos, sin := s.vec(), s.vec()
	s.bcast(Mem{Base: c, Index: i, Scale: uint8(s.elem)}, cos)
	s.bcast(Mem{Base: sine, Index: i, Scale: uint8(s.elem)}, sin)
	above := GP64()
	MOVQ(at, above)
	SUBQ(k, above)
	for q, v := range y {
		x, low := s.vec(), s.vec()
		s.mov(Mem{Base: above, Disp: q * s.size}, x)
		s.mul(v, cos, low)
		s.fma(x, sin, low)
		s.mov(low, Mem{Base: at, Disp: q * s.size})
		s.mul(x, cos, x)
		s.fnma(v, sin, x)
		s.mov(x, v)
	}
	MOVQ(above, at)
	JMP(LabelRef(name + "_row"))
	Label(name + "_done")
	for q, v := range y {
		s.mov(v, Mem{Base: at, Disp: q * s.size})
	}
}
