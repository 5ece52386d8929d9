package gcg

// keep is g with the capabilities that all of its parts have, and without the others: who finds a BlockMap may count on one
// pass for k vectors, and who finds a DenseMap on rows that cost no products. g has every product, with a fallback for those that
// its parts lack.
func keep(g interface {
	BilateralMap
	RowsTo(dst []float64, lo int)
}, parts ...Map) Map {
	blocks, both, rows := true, true, true
	for _, p := range parts {
		_, isBlock := p.(BlockMap)
		_, isBoth := p.(BilateralMap)
		_, isDense := p.(DenseMap)
		blocks, both, rows = blocks && isBlock, both && isBoth, rows && isDense
	}
	switch {
	case both && rows:
		return g
	case both:
		return struct {
			BilateralMap
			kept
		}{g, kept{g}}
	case blocks && rows:
		return struct {
			BlockMap
			kept
			keptRows
		}{g, kept{g}, keptRows{g}}
	case blocks:
		return struct {
			BlockMap
			kept
		}{g, kept{g}}
	case rows:
		return struct {
			DenseMap
			kept
		}{g, kept{g}}
	}
	return struct {
		Map
		kept
	}{g, kept{g}}
}

// kept remembers the map whose capabilities keep has narrowed, and passes on none of them.
type kept struct{ g Map }

func (k kept) whole() Map { return k.g }

// keptRows passes on RowsTo alone.
type keptRows struct{ g DenseMap }

func (k keptRows) RowsTo(dst []float64, lo int) { k.g.RowsTo(dst, lo) }

// rowsTo writes the rows of g from lo on: by RowsTo where it has that, else by products with unit vectors, one a row.
func rowsTo(g Map, dst []float64, lo int) {
	if d, ok := g.(DenseMap); ok {
		d.RowsTo(dst, lo)
		return
	}
	m, n := g.Dims()
	e := make([]float64, m)
	for i := range len(dst) / n {
		e[lo+i] = 1
		g.TMulTo(dst[i*n:(i+1)*n], e)
		e[lo+i] = 0
	}
}

// bothTo is Both into given factors.
func bothTo(g Map, gv, gu, u, v *Factor) {
	if b, ok := g.(BilateralMap); ok && u.K == v.K {
		b.BothTo(gv, gu, u, v)
		return
	}
	MulBlock(g, gv, v)
	TMulBlock(g, gu, u)
}

// Transposed is Gᵀ. It multiplies blocks where G does; its rows, which are columns of G, are not kept.
func Transposed(g Map) Map {
	switch t := g.(type) {
	case transposed:
		return t.g
	case transposedBlocks:
		return t.g
	case BlockMap:
		return transposedBlocks{transposed{t}}
	}
	return transposed{g}
}

type transposed struct{ g Map }

func (t transposed) Dims() (m, n int)        { n, m = t.g.Dims(); return m, n }
func (t transposed) MulTo(dst, x []float64)  { t.g.TMulTo(dst, x) }
func (t transposed) TMulTo(dst, y []float64) { t.g.MulTo(dst, y) }

type transposedBlocks struct{ transposed }

func (t transposedBlocks) MulBlockTo(dst, x *Factor)  { TMulBlock(t.g, dst, x) }
func (t transposedBlocks) TMulBlockTo(dst, y *Factor) { MulBlock(t.g, dst, y) }
