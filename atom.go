package gcg

// An Atom is an m×n matrix in one of two forms. It has low rank, U Vᵀ with dense columns (K = 1 for the trace norm, more for
// Schatten-p). Or it is sparse, a list of entries (ℓ1, groups, sign blocks).
type Atom struct {
	U, V *Factor // m×K and n×K, or nil for a sparse atom
	// Entry e of a sparse atom is Vals[e] at row Rows[e] and column Cols[e].
	Rows, Cols []int32
	Vals       []float64
	// Key identifies sparse atoms that can merge: those of one key lie on one line (ℓ1) or in one group. It is positive; 0 says
	// that the atom never merges.
	Key int64
	// Symmetric says that the atom is a symmetric matrix.
	Symmetric bool
}

// RankOne is the atom u vᵀ; u and v are copied.
func RankOne(u, v []float64) Atom {
	a := Atom{U: NewFactor(len(u), 1), V: NewFactor(len(v), 1)}
	a.U.SetColumn(0, u, 1)
	a.V.SetColumn(0, v, 1)
	return a
}

// LowRank reports whether the atom has the form U Vᵀ; otherwise it is sparse.
func (a *Atom) LowRank() bool { return a.U != nil }

// Fits reports whether the atom is a well-formed m×n matrix: factors of m and n rows and one rank, or entries within the
// matrix, each with its row, column and value.
func (a *Atom) Fits(m, n int) bool {
	if a.LowRank() {
		return a.V != nil && a.U.K == a.V.K && a.U.wellFormed(m) && a.V.wellFormed(n)
	}
	if len(a.Rows) != len(a.Vals) || len(a.Cols) != len(a.Vals) {
		return false
	}
	for e := range a.Vals {
		if a.Rows[e] < 0 || int(a.Rows[e]) >= m || a.Cols[e] < 0 || int(a.Cols[e]) >= n {
			return false
		}
	}
	return true
}

// within reports whether every entry of a sparse atom is among those of a block. Solvers that work on blocks see no other
// entries.
func (a *Atom) within(rows, cols []int32) bool {
	at := 0
	for e := range a.Vals { // most are in the order of the block
		tries := 0
		for tries < len(rows) && (rows[at] != a.Rows[e] || cols[at] != a.Cols[e]) {
			at, tries = (at+1)%len(rows), tries+1
		}
		if tries == len(rows) {
			return false
		}
	}
	return true
}

// Observed is the atom as observations see it, each of which needs a row of U, which is where it is, and any row of V.
func (a *Atom) Observed() *Atom {
	if a.V == nil || a.V.Shared == nil {
		return a
	}
	all := *a
	all.V = a.V.Whole()
	return &all
}

// Dot is ⟨a, G⟩. It takes a product of G with each right vector or, for a sparse atom, with the unit vector of each column that
// has entries.
func (a *Atom) Dot(g Map) float64 {
	if !a.LowRank() {
		return a.dotSparse(g)
	}
	gv := Like[float64](a.U, a.V.K)
	defer Repay(gv)
	MulBlock(g, gv, a.V)
	return a.U.Dot(gv)
}

// dotSparse is Dot for a sparse atom: one product for each distinct column among its entries.
func (a *Atom) dotSparse(g Map) float64 {
	m, n := g.Dims()
	e, ge := make([]float64, n), make([]float64, m)
	seen := map[int32]bool{}
	var s float64
	for _, j := range a.Cols {
		if seen[j] {
			continue
		}
		seen[j] = true
		e[j] = 1
		g.MulTo(ge, e)
		e[j] = 0
		for t, jt := range a.Cols {
			if jt == j {
				s += a.Vals[t] * ge[a.Rows[t]]
			}
		}
	}
	return s
}

// Frobenius2 is ‖a‖_F².
func (a *Atom) Frobenius2() float64 {
	var s float64
	if !a.LowRank() {
		for _, x := range a.Vals {
			s += x * x
		}
		return s
	}
	if a.U.Shared != nil { // one message in place of one for each pair of columns
		gu, gv := TMul(a.U, a.U), TMul(a.V, a.V)
		defer Repay(gu, gv)
		return gu.Dot(gv)
	}
	for c := range a.U.K {
		for d := range a.U.K {
			s += columnDot(a.U, c, d) * columnDot(a.V, c, d)
		}
	}
	return s
}

// columnDot is the product of columns c and d.
func columnDot(f *Factor, c, d int) float64 {
	if f.Shared != nil {
		g := TMul(f, f)
		defer Repay(g)
		return g.Row(c)[d]
	}
	var s float64
	for i := 0; i < len(f.Data); i += f.Stride {
		s += f.Data[i+c] * f.Data[i+d]
	}
	return s
}
