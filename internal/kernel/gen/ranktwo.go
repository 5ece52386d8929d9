package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rankTwo writes changes of rank two with a product: two rows at a time, which share what is read of v, w and x.
func rankTwo(s *isa) {
	TEXT("rankTwo"+s.suffix, NOSPLIT, strings.ReplaceAll("func(p, a []T, lda int, v, w, x, vr, wr []T)", "T", s.typ))
	Pragma("noescape")
	a, lda, i := Load(Param("a").Base(), GP64()), s.scaled("lda"), GP64()
	XORQ(i, i)
	for l, rows := range []int{2, 1} {
		name, next := []string{"two", "one"}[l], []string{"one", "end"}[l]
		Label(name)
		left := Load(Param("p").Len(), GP64())
		SUBQ(i, left)
		CMPQ(left, U32(rows))
		JL(LabelRef(next))
		s.rankTwoRows(name, a, lda, i, rows)
		for range rows {
			ADDQ(lda, a)
		}
		ADDQ(U32(rows), i)
		JMP(LabelRef(name))
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// rankTwoRows does rows from i on, which a points to.
func (s *isa) rankTwoRows(name string, a, lda, i reg.Register, rows int) {
	base := func(param string) reg.Register { return Load(Param(param).Base(), GP64()) }
	at := func(r, disp int) Mem {
		if r == 0 {
			return Mem{Base: a, Disp: disp}
		}
		return Mem{Base: a, Index: lda, Scale: 1, Disp: disp}
	}
	vr, wr, sum := s.vecs(rows), s.vecs(rows), s.vecs(rows)
	pv, pw := base("vr"), base("wr")
	for r := range rows {
		s.bcast(Mem{Base: pv, Index: i, Scale: uint8(s.elem), Disp: r * s.elem}, vr[r])
		s.bcast(Mem{Base: pw, Index: i, Scale: uint8(s.elem), Disp: r * s.elem}, wr[r])
		s.zero(sum[r])
	}
	v, w, x, left := base("v"), base("w"), base("x"), Load(Param("x").Len(), GP64())
	back := GP64()
	MOVQ(a, back)
	Label(name + "_chunk")
	SUBQ(U32(8), left)
	JL(LabelRef(name + "_done"))
	for disp := 0; disp < 8*s.elem; disp += s.size {
		vc, wc, xc := s.vec(), s.vec(), s.vec()
		s.mov(Mem{Base: v, Disp: disp}, vc)
		s.mov(Mem{Base: w, Disp: disp}, wc)
		s.mov(Mem{Base: x, Disp: disp}, xc)
		for r := range rows {
			t := s.vec()
			s.mov(at(r, disp), t)
			s.fnma(wc, vr[r], t)
			s.fnma(vc, wr[r], t)
			s.mov(t, at(r, disp))
			s.fma(xc, t, sum[r])
		}
	}
	for _, pointer := range []reg.Register{a, v, w, x} {
		ADDQ(U32(8*s.elem), pointer)
	}
	JMP(LabelRef(name + "_chunk"))
	Label(name + "_done")
	MOVQ(back, a)
	p := base("p")
	for r := range rows {
		s.movs(s.sumLanes(sum[r]), Mem{Base: p, Index: i, Scale: uint8(s.elem), Disp: r * s.elem})
	}
}
