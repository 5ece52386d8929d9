package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ridgeBlock is how many entries of a row lie side by side, for each coordinate, and ridgeStep how many coordinates are done at a time.
const (
	ridgeShift = 4
	ridgeBlock = 1 << ridgeShift
	ridgeStep  = 4
)

// packRow writes packRow: rows of v that lie apart become columns of blocks, 32 bytes of entries at a time. Entries beyond the last are rows of
// zeros. A column outside v ends it.
func packRow(s *isa) {
	TEXT("packRow"+s.suffix, NOSPLIT, strings.ReplaceAll("func(p, v, none []T, k, dims int, cols []int32) (done int)", "T", s.typ))
	Pragma("noescape")
	g := &packing{isa: s, rows: make([]reg.GPVirtual, 32/s.elem), limit: AllocLocal(8), dims: AllocLocal(8)}
	g.prologue()
	CMPQ(g.limit, U32(packFar))
	JL(LabelRef("near"))
	g.groups("far", "near", 2)
	g.groups("near", "rest", 1)
	g.rest()
	Label("stop")
	MOVQ(g.e, g.done())
	Label("end")
	VZEROUPPER()
	RET()
}

// done is the number of entries done, where it is returned.
func (g *packing) done() Mem { return must(Return("done").Resolve()) }

func (g *packing) prologue() {
	MOVQ(U32(0), g.done())
	limit := Load(Param("v").Len(), GP64())
	SUBQ(must(Param("k").Resolve()), limit)
	JB(LabelRef("end"))
	IMUL3Q(U32(g.elem), limit, limit)
	MOVQ(limit, g.limit)
	MOVQ(g.scaled("dims"), g.dims)
	g.k, g.to, g.e = g.scaled("k"), Load(Param("p").Base(), GP64()), GP64()
	XORQ(g.e, g.e)
	for l := range g.rows {
		g.rows[l] = GP64()
	}
}

// groups packs whole groups while as many as count are left; of two, the second is prefetched.
func (g *packing) groups(name, next string, count int) {
	Label(name)
	left := Load(Param("cols").Len(), GP64())
	SUBQ(g.e, left)
	CMPQ(left, U32(count*len(g.rows)))
	JL(LabelRef(next))
	for l := range g.rows {
		if count > 1 {
			g.fetch(len(g.rows) + l)
		}
		g.find(l)
	}
	g.turn(name)
	JMP(LabelRef(name))
}

// rest fills the last block up.
func (g *packing) rest() {
	Label("rest")
	n := Load(Param("cols").Len(), GP64())
	CMPQ(g.e, n)
	JL(LabelRef("some"))
	TESTQ(U32(ridgeBlock-1), g.e)
	JZ(LabelRef("full"))
	Label("some")
	for l := range g.rows {
		found := fmt.Sprintf("found%d", l)
		MOVQ(must(Param("none").Base().Resolve()), g.rows[l])
		at := GP64()
		LEAQ(Mem{Base: g.e, Disp: l}, at)
		CMPQ(at, must(Param("cols").Len().Resolve()))
		JGE(LabelRef(found))
		g.find(l)
		Label(found)
	}
	g.turn("rest")
	JMP(LabelRef("rest"))
	Label("full")
	MOVQ(must(Param("cols").Len().Resolve()), g.e)
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
	SHLQ(Imm(ridgeShift), c)
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
