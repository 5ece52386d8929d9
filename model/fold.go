package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// FoldIn recommends for a row that the model has not seen, from its ratings: its factor solves
//
//	min over u of ½ Σ (x_j - centre_j - u·v̂_j)² + λ/2 ‖u‖²,   v̂ = V S^½ (scaled)
//
// exactly as the fit would with V fixed, or with the loss of the fit in place of squares; λ is Info.FoldLambda where the model
// has one, else Info.Lambda. The row's own offset, where rows are centred, is the mean of its residuals, shrunk as that of the
// fit was (Info.RowShrink). Of squares without a centre the penalty is λ/2 ‖u - ū‖² with ū the mean of the model's rows: a row
// of few ratings would else be predicted next to 0 where ratings are from 1 to 5. With lists of what was rated ū has that of
// the new row. The columns that are rated are left out, and those of seen, in any order. Without ratings the list is that of
// the mean of the model's rows: what is rated best on the whole. Ratings of no column of the model (from 0), that are not
// finite, or of a column that has one already (but clicks, which count together) are errors, and a model without either
// number, or whose matrix is sparse.
func (m *Model) FoldIn(cols []int32, values []float64, n int, seen ...int32) ([]Recommendation, error) {
	return m.foldIn(m.meanRow(), nil, nil, NewUser{Cols: cols, Values: values}, n, seen)
}

// foldIn is FoldIn with ū, or nil where that is 0, of clicks with itemGram, or nil, and by an index, or nil.
func (m *Model) foldIn(mean []float64, inner *mat.SymDense, x *Index, who NewUser, n int, seen []int32) ([]Recommendation,
	error) {
	u, base, err := m.fold(mean, inner, who)
	if err != nil {
		return nil, err
	}
	out := slices.Concat(who.Cols, seen)
	if x != nil {
		return x.top(u, base, n, out), nil
	}
	return m.topOf(u, nil, base, n, out), nil
}

// checkRatings refuses those that cannot be of a row of the model.
func (m *Model) checkRatings(cols []int32, values []float64) error {
	if len(cols) != len(values) {
		return fmt.Errorf("model: the new row has %d columns and %d ratings; each column has one", len(cols), len(values))
	}
	before := make(map[int32]bool, len(cols))
	for t, j := range cols {
		if j < 0 || int(j) >= m.Cols {
			return fmt.Errorf("model: rating %d of the new row is of column %d; the model has %d, from 0", t+1, j, m.Cols)
		}
		if before[j] {
			return fmt.Errorf("model: the new row rates column %d twice, by rating %d the second time; keep one of them", j, t+1)
		}
		before[j] = m.Info.Background == 0 // clicks on a column count together
		if !finite(values[t]) {
			return fmt.Errorf("model: rating %d of the new row, of column %d, is %v; ratings are finite", t+1, j, values[t])
		}
	}
	return nil
}

// meanRow is the mean row of a completion by squares without a centre, and with features what these say of a row of which
// nothing is known; nil elsewhere.
func (m *Model) meanRow() []float64 {
	if m.RowFeatures != nil {
		return m.timesS(m.RowFeatures.constant(m.Rank))
	}
	if m.centred() || m.Info.Loss != "" || m.Info.Background > 0 || m.Rank == 0 || m.Rows == 0 {
		return nil
	}
	return m.meanOfRows()
}

// meanOfRows is the mean of the left factors (times S, scaled) of all rows, of which there must be one.
func (m *Model) meanOfRows() []float64 {
	mean := make([]float64, m.Rank)
	for i := range m.Rows {
		by := 1 / float64(m.Rows)
		if m.RowScale != nil {
			by *= m.RowScale[i]
		}
		for c, x := range m.U[i*m.Rank : (i+1)*m.Rank] {
			mean[c] += by * x
		}
	}
	for c, s := range m.S {
		mean[c] *= s
	}
	return mean
}

// timesS overwrites a row with its product with S.
func (m *Model) timesS(u []float64) []float64 {
	kernel.Hadamard(u, u, m.S)
	return u
}

// centred says that something was taken off the data.
func (m *Model) centred() bool { return m.Global != 0 || m.RowOffset != nil || m.ColOffset != nil }

// fold is the left factor (times S) of a new row, and its centre. mean is ū, or nil, and inner itemGram, or nil.
func (m *Model) fold(mean []float64, inner *mat.SymDense, who NewUser) (u []float64, base float64, err error) {
	cols, values := who.Cols, who.Values
	if err := m.checkRatings(cols, values); err != nil {
		return nil, 0, err
	}
	if m.Entries != nil {
		return nil, 0, fmt.Errorf("model: its matrix is sparse, and has no factors to fold a new row in with")
	}
	mean = m.towardsRated(mean, who.list())
	if len(cols) == 0 {
		if mean == nil && m.Rows > 0 {
			return m.meanOfRows(), m.Global, nil
		}
		u = make([]float64, m.Rank)
		copy(u, mean)
		return u, m.Global, nil
	}
	base = m.Global
	if m.RowOffset != nil {
		var off float64
		for t, j := range cols {
			off += values[t] - m.centre(-1, int(j))
		}
		base += off / (float64(len(cols)) + m.Info.RowShrink)
	}
	l, err := m.pointLoss()
	switch {
	case err != nil:
	case m.Rank > 0 && m.Info.Background > 0:
		u, err = m.foldClicks(inner, cols, values)
	case m.Rank > 0 && l != nil:
		u, err = m.foldPoints(l, mean, cols, values, base)
	case m.Rank > 0:
		u, err = m.foldFactor(mean, cols, values, base)
	}
	if err != nil {
		return nil, 0, err
	}
	if _, bad := notFinite(append([]float64{base}, u...)); bad {
		return nil, 0,
			fmt.Errorf("model: the new row gets no finite factor: its ratings, or the scales of the model, are too large")
	}
	return u, base, nil
}

// foldFactor is the left factor (times S) of a new row with a centre.
func (m *Model) foldFactor(mean []float64, cols []int32, values []float64, base float64) ([]float64, error) {
	scale, k := m.foldScale(len(cols)), m.Rank
	gram, rhs, rows := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil), mat.NewDense(len(cols), k, nil)
	for t, j := range cols {
		target := values[t] - base
		switch {
		case mean != nil: // the offset, too
			target -= m.itemScore(mean, nil, int(j))
		case m.ColOffset != nil:
			target -= m.ColOffset[j]
		}
		rows.SetRow(t, m.foldRow(j, scale))
		rhs.AddScaledVec(rhs, target, rows.RowView(t))
	}
	gram.SymOuterK(1, rows.T())
	x, err := m.ridge(gram, rhs)
	if err != nil {
		return nil, err
	}
	return m.foldedFactor(x, scale, mean), nil
}

// foldedFactor is the row S^½ x, scaled, about mean, nil for 0.
func (m *Model) foldedFactor(x *mat.VecDense, scale float64, mean []float64) []float64 {
	u := make([]float64, len(m.S))
	for c, s := range m.S {
		u[c] = x.AtVec(c) * math.Sqrt(s) * scale
		if mean != nil {
			u[c] += mean[c]
		}
	}
	return u
}

// ridge solves (gram + λI)x = rhs. Where λ is next to nothing beside the Gram matrix, as inside a constraint, the solution is
// all but the smallest of those that fit best.
func (m *Model) ridge(gram *mat.SymDense, rhs *mat.VecDense) (*mat.VecDense, error) {
	x := mat.NewVecDense(rhs.Len(), nil)
	chol, err := m.regularized(gram)
	if err == nil && chol != nil && chol.SolveVecTo(x, rhs) != nil {
		err = errSingular
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

var errSingular = errors.New("model: the ridge problem of the new row is singular")

// regularized factors gram + λI, which overwrites gram; it is nil where no item that was rated has a part in any direction.
func (m *Model) regularized(gram *mat.SymDense) (*mat.Cholesky, error) {
	lambda, err := m.foldLambda()
	if err != nil {
		return nil, err
	}
	if lambda = math.Max(lambda, leastRidge*mat.Trace(gram)); lambda == 0 {
		return nil, nil
	}
	for c := range gram.SymmetricDim() {
		gram.SetSym(c, c, gram.At(c, c)+lambda)
	}
	chol := &mat.Cholesky{}
	if !chol.Factorize(gram) {
		return nil, errSingular
	}
	return chol, nil
}

// leastRidge is the smallest ridge beside the trace of a Gram matrix: far above rounding, and far below what predictions show.
const leastRidge = 1e-10

// foldLambda is the λ of the fit at its solution, for a loss that is a sum.
func (m *Model) foldLambda() (float64, error) {
	lambda := m.Info.Lambda
	switch {
	case m.Info.FoldLambda != nil:
		lambda = *m.Info.FoldLambda
	case lambda <= 0:
		return 0, fmt.Errorf("model: has no λ to fold a new row in with: an earlier gcg fitted it with a constraint; fit again")
	}
	if m.Info.Normalize == "mean" {
		lambda *= float64(m.Info.Observations)
	}
	return lambda, nil
}

// foldScale is the row scale that the weighted trace norm gives a row with n ratings: 1/√p, p as in the fit.
func (m *Model) foldScale(n int) float64 {
	if m.RowScale == nil {
		return 1
	}
	p := math.Pow(float64(n)*m.Info.RowWeight, m.Info.RowPower) + m.Info.RowFloor
	return 1 / math.Sqrt(p)
}
