package main

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A coefficient is what multiplies a row in the second half of a kernel.
type coefficient int

const (
	none     coefficient = iota
	product              // the dot products
	residual             // x minus the dot products
	given                // r, an argument
)

// term is coef times a vector, or minus that.
type term struct {
	coef  coefficient
	minus bool
	of    string
}

// rowKernel describes one kernel of rows. Let p_e = Σ over dots of (vector · row of a matrix). Every entry e of a row adds its
// gather terms (rows of matrices) to gu, and its scatter terms (vectors) to row j of gv. u, du and gu advance from row to row.
// The entries of a row lie between offsets in ptr.
type rowKernel struct {
	name, args string
	base       string      // the matrix that pointers point into; the others lie at fixed distances from it
	dots       [][2]string // vector, matrix
	store      string      // where to write products or residuals
	loss       bool        // return Σ of squares
	coefs      []coefficient
	acc        string // what gather terms are added to
	gather     []term
	scatter    []term
}

func rowKernels(s *isa) {
	for _, k := range []rowKernel{
		{name: "dotRows", args: "z, u, v []T, k int, ptr []int64, cols []int32", base: "v",
			dots: [][2]string{{"u", "v"}}, coefs: []coefficient{product}, store: "z"},
		{name: "residualRows", args: "r, u, v []T, k int, ptr []int64, cols []int32, x []T", base: "v",
			dots: [][2]string{{"u", "v"}}, coefs: []coefficient{residual}, store: "r", loss: true},
		{name: "gradientRows", args: "r, u, gu, v []T, k int, ptr []int64, cols []int32, x []T", base: "v",
			dots: [][2]string{{"u", "v"}}, coefs: []coefficient{residual}, store: "r", loss: true,
			acc: "gu", gather: []term{{residual, false, "v"}}},
		{name: "hessRows", args: "gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T", base: "v",
			dots: [][2]string{{"du", "v"}, {"u", "dv"}}, coefs: []coefficient{product, given},
			acc: "gu", gather: []term{{product, false, "v"}, {given, true, "dv"}},
			scatter: []term{{product, false, "u"}, {given, true, "du"}}},
		{name: "coreRows", args: "gu, pu, q []T, k int, ptr []int64, cols []int32", base: "q",
			dots: [][2]string{{"pu", "q"}}, coefs: []coefficient{product},
			acc: "gu", gather: []term{{product, false, "q"}}},
		{name: "columnRows", args: "gv, u, v []T, k int, ptr []int64, cols []int32", base: "v",
			dots: [][2]string{{"u", "v"}}, coefs: []coefficient{product}, scatter: []term{{product, false, "u"}}},
		{name: "spmmRows", args: "gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T", base: "v", coefs: []coefficient{given},
			acc: "gu", gather: []term{{given, false, "v"}}, scatter: []term{{given, false, "u"}}},
		{name: "gatherRows", args: "gu, v []T, k int, ptr []int64, cols []int32, r []T", base: "v", coefs: []coefficient{given},
			acc: "gu", gather: []term{{given, false, "v"}}},
		{name: "scatterRows", args: "gv, u []T, k int, ptr []int64, cols []int32, r []T", base: "gv", coefs: []coefficient{given},
			scatter: []term{{given, false, "u"}}},
	} {
		(&rowGen{isa: s, rowKernel: k}).function()
	}
}

// rowGen holds what is fixed over a row kernel while it is written.
type rowGen struct {
	*isa
	rowKernel
	stride, limit Mem                    // bytes of a row; the largest offset of a row in its matrix
	ahead         Mem                    // pointers of the next group, for prefetching
	sums          map[int]reg.VecVirtual // by size of group: Σ of squares in float64
	end           Mem                    // the first entry beyond the row
	row           Mem                    // the number of rows done
	own           map[string]Mem         // where the pointer to a vector of the row lies
}

// function writes the kernel: entries in groups as large as the registers allow, then one by one.
func (g *rowGen) function() {
	result := "(done int)"
	if g.loss {
		result = "(loss float64, done int)"
	}
	TEXT(g.name+g.suffix, NOSPLIT, "func("+strings.ReplaceAll(g.args, "T", g.typ)+") "+result)
	Pragma("noescape")
	g.stride, g.limit = AllocLocal(8), AllocLocal(8)
	g.ahead = AllocLocal(64)
	g.prologue()
	g.startRow()
	g.choose()
	for i, size := range g.sizes() {
		next := "nextRow"
		if i+1 < len(g.sizes()) {
			next = label("group", g.sizes()[i+1])
		}
		if i == 0 {
			(&group{g, "far", size, 2 * size, true, label("group", size)}).loop()
		}
		(&group{g, label("group", size), size, size, false, next}).loop()
	}
	g.nextRow()
	Label("end")
	g.epilogue()
}

// farBytes is the total size of matrices from which prefetching pays. Below, it costs a tenth. Above, where rows come from
// memory, it saves up to four tenths (measured with 1 MB of level-2 and 32 MB of level-3 cache).
const farBytes = 12 << 20

// matrices lists those whose rows are touched.
func (k *rowKernel) matrices() []string {
	names := []string{k.base}
	for _, d := range k.dots {
		names = append(names, d[1])
	}
	if len(k.scatter) > 0 {
		names = append(names, "gv")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sizes of groups, largest first.
func (g *rowGen) sizes() []int {
	if g.avx512 {
		return []int{8, 4, 1}
	}
	return []int{4, 1}
}

func label(name string, size int) string { return fmt.Sprintf("%s%d", name, size) }

func (g *rowGen) prologue() {
	k, top := Load(Param("k"), GP64()), Load(Param(g.base).Len(), GP64())
	if g.loss {
		g.sums = map[int]reg.VecVirtual{}
		for _, size := range g.sizes() {
			g.sums[size] = register(max(16, 8*size))
			g.zero(g.sums[size])
		}
	}
	g.places()
	SUBQ(k, top)
	JB(LabelRef("end"))
	IMUL3Q(U32(g.elem), k, k)
	IMUL3Q(U32(g.elem), top, top)
	MOVQ(k, g.stride)
	MOVQ(top, g.limit)
}

// choose goes on to the first loop over groups.
func (g *rowGen) choose() {
	CMPQ(g.limit, U32(farBytes/len(g.matrices())))
	JL(LabelRef(label("group", g.sizes()[0])))
}

// places settles where the row's end and vectors are found: in local copies of the arguments, which change with the row.
func (g *rowGen) places() {
	g.own = map[string]Mem{}
	for _, v := range g.vectors() {
		g.own[v] = must(Param(v).Base().Resolve())
	}
	g.end, g.row = AllocLocal(8), AllocLocal(8)
	MOVQ(U32(0), g.row)
	t := GP64()
	MOVQ(Mem{Base: Load(Param("ptr").Base(), GP64())}, t)
	MOVQ(t, g.done())
	for _, v := range g.vectors() {
		local := AllocLocal(8)
		MOVQ(g.own[v], t)
		MOVQ(t, local)
		g.own[v] = local
	}
}

// startRow takes the next row, if there is one.
func (g *rowGen) startRow() {
	Label("row")
	i, end := GP64(), GP64()
	MOVQ(g.row, i)
	INCQ(i)
	CMPQ(i, must(Param("ptr").Len().Resolve()))
	JGE(LabelRef("end"))
	MOVQ(i, g.row)
	MOVQ(Mem{Base: Load(Param("ptr").Base(), GP64()), Index: i, Scale: 8}, end)
	MOVQ(end, g.end)
}

func (g *rowGen) nextRow() {
	Label("nextRow")
	stride := GP64()
	MOVQ(g.stride, stride)
	for _, v := range g.vectors() {
		ADDQ(stride, g.own[v])
	}
	JMP(LabelRef("row"))
}

// vectors lists those that belong to the row.
func (k *rowKernel) vectors() (names []string) {
	for _, d := range k.dots {
		names = append(names, d[0])
	}
	for _, t := range k.scatter {
		names = append(names, t.of)
	}
	if k.acc != "" {
		names = append(names, k.acc)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (g *rowGen) epilogue() {
	if g.loss {
		total := g.sums[1]
		for _, size := range g.sizes()[:len(g.sizes())-1] {
			t := (&isa{avx512: g.avx512, size: 8 * size, add: VADDPD}).sumLanes(g.sums[size])
			VADDSD(t, total, total)
		}
		Store(total, Return("loss"))
	}
	VZEROUPPER()
	RET()
}

// done is the number of entries done so far, kept where it is returned.
func (g *rowGen) done() Mem { return must(Return("done").Resolve()) }

func must(b *gotypes.Basic, err error) Mem {
	if err != nil {
		panic(err)
	}
	return b.Addr
}
