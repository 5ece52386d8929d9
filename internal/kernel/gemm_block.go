package kernel

// product is C += A·B with A[i, p] = a[i*ars+p*acs], B[p, j] = b[p*brs+j*bcs] and C row-major contiguous: transposing
// is a matter of strides.
type product[T Real] struct {
	*kernels[T]
	c, a, b            []T
	m, n, depth        int
	ars, acs, brs, bcs int
}

// A block of B, depthBlock × panelBlock panels, is read once for each mr rows of C and should stay in the level-2 cache.
const (
	depthBlock = 256
	panelBlock = 8
)

// run goes over blocks of the inner dimension and of the columns. With lower set, tiles of C that lie wholly above
// the diagonal are skipped.
func (g *product[T]) run(lower bool) {
	wide := maxChunks
	for g.tile[wide-1] == nil {
		wide--
	}
	width := wide * g.lanes
	f := g.frame(width)
	defer g.release(f)
	for p := 0; p < g.depth; p += depthBlock {
		f.p, f.depth = p, min(depthBlock, g.depth-p)
		for j := 0; j < g.n; j += panelBlock * width {
			g.cutPanels(f, j, min(g.n, j+panelBlock*width), width)
			g.rows(f, lower)
		}
	}
}

// frame is what is in hand for one block of B. Frames are used again, so that small products do not pay for memory.
type frame[T Real] struct {
	p, depth int
	panels   []panel[T]
	packed   []T // storage of the packed panels
	strip    []T // mr rows of A, packed
	tile     []T // a tile of C that hangs over its edge
}

// panel is some columns of a block of B: those from j on, chunks·lanes wide of which cols are real.
type panel[T Real] struct {
	b               []T
	ldb             int
	j, cols, chunks int
}

func (s *kernels[T]) frame(width int) *frame[T] {
	if f, ok := s.frames.Get().(*frame[T]); ok {
		return f
	}
	return &frame[T]{
		panels: make([]panel[T], 0, panelBlock),
		strip:  make([]T, s.mr*depthBlock),
		tile:   make([]T, s.mr*width),
	}
}

func (s *kernels[T]) release(f *frame[T]) {
	clear(f.panels[:cap(f.panels)]) // they point into the caller's matrix
	s.frames.Put(f)
}

// cutPanels packs the block of B: row after row, padded with zeros to whole chunks. Where few rows of C would use the
// packed copy, and rows of B are contiguous and need no padding, it points into B.
func (g *product[T]) cutPanels(f *frame[T], from, to, width int) {
	f.panels = f.panels[:0]
	if need := f.depth * (to - from + width); cap(f.packed) < need {
		f.packed = make([]T, need)
	}
	free := f.packed[:cap(f.packed)]
	for j := from; j < to; j += width {
		cols := min(width, to-j)
		chunks := (cols + g.lanes - 1) / g.lanes
		w := chunks * g.lanes
		if g.bcs == 1 && cols == w && g.m <= 16*g.mr {
			f.panels = append(f.panels, panel[T]{g.b[f.p*g.brs+j:], g.brs, j, cols, chunks})
			continue
		}
		b := free[:f.depth*w]
		free = free[f.depth*w:]
		g.packPanel(b, f.p, f.depth, j, cols, w)
		f.panels = append(f.panels, panel[T]{b, w, j, cols, chunks})
	}
}

func (g *product[T]) packPanel(dst []T, p, depth, j, cols, w int) {
	for q := 0; q < depth; q++ {
		row := dst[q*w : q*w+w]
		at := (p+q)*g.brs + j*g.bcs
		if g.bcs == 1 {
			copy(row, g.b[at:at+cols])
		} else {
			for l := range cols {
				row[l] = g.b[at+l*g.bcs]
			}
		}
		clear(row[cols:])
	}
}

// rows multiplies all of A's rows with the panels, mr rows at a time.
func (g *product[T]) rows(f *frame[T], lower bool) {
	for i := 0; i < g.m; i += g.mr {
		rows := min(g.mr, g.m-i)
		a, rs, cs := g.a[i*g.ars+f.p*g.acs:], g.ars, g.acs
		// Reading A with a stride, half a cache line at a time, is worth a copy when several panels will use it. At the lower
		// edge rows are missing and the copy fills them up.
		if rows < g.mr || (cs != 1 && g.mr < 8 && len(f.panels) > 4) {
			g.packStrip(f, i, rows)
			a, rs, cs = f.strip, 1, g.mr
		}
		for _, b := range f.panels {
			if lower && b.j >= i+rows {
				break
			}
			g.multiply(f, b, a, rs, cs, i, rows)
		}
	}
}

func (g *product[T]) packStrip(f *frame[T], i, rows int) {
	if g.ars == 1 && rows == 4 && g.mr == 4 {
		at := i + f.p*g.acs
		for q := range f.depth {
			*(*[4]T)(f.strip[4*q:]) = [4]T(g.a[at+q*g.acs:])
		}
		return
	}
	for q := range f.depth {
		dst := f.strip[q*g.mr : (q+1)*g.mr]
		at := i*g.ars + (f.p+q)*g.acs
		for l := range rows {
			dst[l] = g.a[at+l*g.ars]
		}
		clear(dst[rows:])
	}
}

// multiply adds to one tile of C, through a full tile at the edges.
func (g *product[T]) multiply(f *frame[T], b panel[T], a []T, rs, cs, i, rows int) {
	kernel := g.tile[b.chunks-1]
	w := b.chunks * g.lanes
	if rows == g.mr && b.cols == w {
		kernel(g.c[i*g.n+b.j:], g.n, a, rs, cs, b.b, b.ldb, f.depth)
		return
	}
	clear(f.tile)
	kernel(f.tile, w, a, rs, cs, b.b, b.ldb, f.depth)
	for r := range rows {
		dst := g.c[(i+r)*g.n+b.j:][:b.cols]
		for l, x := range f.tile[r*w:][:b.cols] {
			dst[l] += x
		}
	}
}
