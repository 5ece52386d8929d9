package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packRows writes packRows: rows of v that lie apart become columns of blocks, 32 bytes of entries at a time, and behind them
// their targets. The last block of a row is filled up with zeros. A column outside v ends it.
func packRows(s *isa) {
	TEXT("packRows"+s.suffix, NOSPLIT, "func(p, v, none, x []float32, k, dims int, ptr []int64, cols []int32) (done int)")
	Pragma("noescape")
	g := &packing{isa: s, rows: make([]reg.GPVirtual, 32/s.elem), limit: AllocLocal(8), dims: AllocLocal(8), row: AllocLocal(8),
		end: AllocLocal(8), part: AllocLocal(8)}
	g.prologue()
	Label("row")
	g.start()
	CMPQ(g.limit, U32(packFar))
	JL(LabelRef("near"))
	g.groups("far", "near", 2)
	g.groups("near", "rest", 1)
	g.rest()
	JMP(LabelRef("row"))
	Label("stop")
	MOVQ(g.e, g.done())
	Label("end")
	VZEROUPPER()
	RET()
}

// packing is the state of packRows: the rows of v of a group of entries, and where in p the group's part of its block begins.
type packing struct {
	*isa
	rows     []reg.GPVirtual
	k        reg.Register // bytes of a row
	dims     Mem          // of which so many count
	limit    Mem          // of the last row of v, in bytes
	row, end Mem          // the number of rows begun, and the end of the present one
	part     Mem          // bytes of the block before the group
	to, e    reg.Register
}

// done is the number of entries done, where it is returned.
func (g *packing) done() Mem { return must(Return("done").Resolve()) }

func (g *packing) prologue() {
	t := GP64()
	MOVQ(Mem{Base: Load(Param("ptr").Base(), GP64())}, t)
	MOVQ(t, g.done())
	limit := Load(Param("v").Len(), GP64())
	SUBQ(must(Param("k").Resolve()), limit)
	JB(LabelRef("end"))
	IMUL3Q(U32(g.elem), limit, limit)
	MOVQ(limit, g.limit)
	MOVQ(g.scaled("dims"), g.dims)
	MOVQ(U32(0), g.row)
	g.k, g.to, g.e = g.scaled("k"), Load(Param("p").Base(), GP64()), GP64()
	MOVQ(t, g.e)
	for l := range g.rows {
		g.rows[l] = GP64()
	}
}

// start takes the next row, if there is one.
func (g *packing) start() {
	i, end := GP64(), GP64()
	MOVQ(g.row, i)
	INCQ(i)
	CMPQ(i, must(Param("ptr").Len().Resolve()))
	JGE(LabelRef("stop"))
	MOVQ(i, g.row)
	MOVQ(Mem{Base: Load(Param("ptr").Base(), GP64()), Index: i, Scale: 8}, end)
	MOVQ(end, g.end)
	MOVQ(U32(0), g.part)
}

// groups packs whole groups while as many as count are left; of two, the rows of the second are prefetched.
func (g *packing) groups(name, next string, count int) {
	Label(name)
	t := GP64()
	LEAQ(Mem{Base: g.e, Disp: count * len(g.rows)}, t)
	CMPQ(t, g.end)
	JG(LabelRef(next))
	v, cols := Load(Param("v").Base(), GP64()), Load(Param("cols").Base(), GP64())
	for l := range g.rows {
		if count > 1 {
			g.fetch(len(g.rows)+l, v, cols)
		}
		g.find(l, v, cols)
	}
	g.turn(name)
	targets := YMM()
	VMOVUPD(Mem{Base: Load(Param("x").Base(), GP64()), Index: g.e, Scale: uint8(g.elem)}, targets)
	VMOVUPD(targets, Mem{Base: g.to})
	g.next(name)
	JMP(LabelRef(name))
}

// packFar is the size of v above which rows of the next group are prefetched.
const packFar = 1 << 20

// rest packs what is less than a group, and fills the last block up.
func (g *packing) rest() {
	Label("rest")
	CMPQ(g.e, g.end)
	JL(LabelRef("some"))
	CMPQ(g.part, U32(0))
	JE(LabelRef("row"))
	Label("some")
	for l := range g.rows {
		found := fmt.Sprintf("found%d", l)
		MOVQ(must(Param("none").Base().Resolve()), g.rows[l])
		g.beyond(l, found)
		g.find(l, Load(Param("v").Base(), GP64()), Load(Param("cols").Base(), GP64()))
		Label(found)
	}
	g.turn("rest")
	zero := YMM()
	g.zero(zero)
	VMOVUPD(zero, Mem{Base: g.to})
	for l := range g.rows {
		target := XMM()
		g.beyond(l, "targets")
		g.movs(Mem{Base: Load(Param("x").Base(), GP64()), Index: g.e, Scale: uint8(g.elem), Disp: l * g.elem}, target)
		g.movs(target, Mem{Base: g.to, Disp: l * g.elem})
	}
	Label("targets")
	g.next("rest")
	t := GP64() // not beyond the end, where the next row begins
	MOVQ(g.end, t)
	CMPQ(g.e, t)
	CMOVQGT(t, g.e)
	JMP(LabelRef("rest"))
}

// beyond goes on to a label where entry e+l is not of the row.
func (g *packing) beyond(l int, to string) {
	t := GP64()
	LEAQ(Mem{Base: g.e, Disp: l}, t)
	CMPQ(t, g.end)
	JGE(LabelRef(to))
}

// find is the address of the row of entry e+l.
func (g *packing) find(l int, v, cols reg.Register) {
	MOVLQSX(Mem{Base: cols, Index: g.e, Scale: 4, Disp: 4 * l}, g.rows[l])
	IMULQ(g.k, g.rows[l])
	CMPQ(g.rows[l], g.limit)
	JHI(LabelRef("stop"))
	ADDQ(v, g.rows[l])
}

// fetch has the first lines of the row of entry e+l brought nearer. A prefetch cannot fault, so that columns need no check here.
func (g *packing) fetch(l int, v, cols reg.Register) {
	row := GP64()
	MOVLQSX(Mem{Base: cols, Index: g.e, Scale: 4, Disp: 4 * l}, row)
	IMULQ(g.k, row)
	PREFETCHT0(Mem{Base: v, Index: row, Scale: 1})
}

// turn writes the group's coordinates: a half-vector of those of two rows side by side, and these transposed. It ends where the
// targets go.
func (g *packing) turn(name string) {
	c := GP64()
	XORQ(c, c)
	Label(name + "Turn")
	const step = 4 // coordinates in 16 bytes
	var x [step]reg.VecVirtual
	for l := range x {
		half := XMM()
		at := func(row int) Mem { return Mem{Base: g.rows[row], Index: c, Scale: 1} }
		VMOVUPD(at(l), half)
		x[l] = YMM()
		VINSERTF128(Imm(1), at(l+step), half.AsY(), x[l])
	}
	for i, y := range transpose(x) {
		VMOVUPD(y, Mem{Base: g.to, Disp: i * blockBytes})
	}
	ADDQ(U32(step*g.elem), c)
	ADDQ(U32(step*blockBytes), g.to)
	CMPQ(c, g.dims)
	JB(LabelRef(name + "Turn"))
}

// next goes to the group after this one: the other half of its block, or the first of the next.
func (g *packing) next(name string) {
	ADDQ(U32(len(g.rows)), g.e)
	XORQ(U32(32), g.part)
	ADDQ(U32(32), g.to)
	CMPQ(g.part, U32(0))
	JE(LabelRef(name + "Next"))
	t := GP64()
	MOVQ(g.dims, t)
	IMUL3Q(U32(blockBytes/g.elem), t, t)
	SUBQ(t, g.to)
	Label(name + "Next")
}

// transpose does so with the elements of each half.
func transpose(x [4]reg.VecVirtual) (y [4]reg.VecVirtual) {
	join := func(lo, hi func(...Op), a, b reg.VecVirtual) (l, h reg.VecVirtual) {
		l, h = YMM(), YMM()
		lo(b, a, l)
		hi(b, a, h)
		return l, h
	}
	a, b := join(VUNPCKLPS, VUNPCKHPS, x[0], x[1])
	c, d := join(VUNPCKLPS, VUNPCKHPS, x[2], x[3])
	y[0], y[1] = join(VUNPCKLPD, VUNPCKHPD, a, c)
	y[2], y[3] = join(VUNPCKLPD, VUNPCKHPD, b, d)
	return y
}
