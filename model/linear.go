package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Entries is a sparse W, by rows: W_ij = Values[t] at i = Rows[t], j = Cols[t].
type Entries struct {
	Rows, Cols []int32
	Values     []float64
}

// at is W_ij, 0 of nil.
func (e *Entries) at(i, j int) (w float64) {
	e.inRow(i, func(col int32, value float64) {
		if int(col) == j {
			w += value
		}
	})
	return w
}

// row is row i of W for n columns, nil of nil.
func (e *Entries) row(i, n int) []float64 {
	if e == nil {
		return nil
	}
	w := make([]float64, n)
	e.inRow(i, func(col int32, value float64) { w[col] += value })
	return w
}

// inRow lists the entries of a row, none of nil.
func (e *Entries) inRow(i int, f func(col int32, value float64)) {
	if e == nil {
		return
	}
	t, _ := slices.BinarySearch(e.Rows, int32(i))
	for ; t < len(e.Rows) && int(e.Rows[t]) == i; t++ {
		f(e.Cols[t], e.Values[t])
	}
}

// tensors of entries, none of nil.
func (e *Entries) tensors() []tensor {
	if e == nil {
		return nil
	}
	rows, cols := make([]int64, len(e.Rows)), make([]int64, len(e.Cols))
	for t := range e.Rows {
		rows[t], cols[t] = int64(e.Rows[t]), int64(e.Cols[t])
	}
	n := []int{len(e.Values)}
	return []tensor{{name: "entry_rows", shape: n, i64: rows}, {name: "entry_cols", shape: n, i64: cols},
		{name: "entry_values", shape: n, f64: e.Values}}
}

func readEntries(t map[string]tensor) (*Entries, error) {
	values, ok := t["entry_values"]
	if !ok {
		return nil, nil
	}
	rows, cols, err := entriesOf(t["entry_rows"].i64, t["entry_cols"].i64)
	return &Entries{Rows: rows, Cols: cols, Values: values.f64}, err
}

// entriesOf are rows and columns as they are kept; those that are too large to be any are damage.
func entriesOf(rows, cols []int64) (r, c []int32, err error) {
	for _, side := range []struct {
		from []int64
		to   *[]int32
	}{{rows, &r}, {cols, &c}} {
		for k, i := range side.from {
			if i != int64(int32(i)) {
				return nil, nil, fmt.Errorf("is damaged: entry %d is out of place", k+1)
			}
			*side.to = append(*side.to, int32(i))
		}
	}
	return r, c, nil
}

// check refuses entries that are no m×n matrix by rows, or that are beside factors.
func (e *Entries) check(m, n, rank int) error {
	switch {
	case e == nil:
		return nil
	case rank > 0:
		return fmt.Errorf("its matrix is sparse and has factors")
	}
	if err := checkEntries(m, n, e.Rows, e.Cols, e.Values); err != nil {
		return fmt.Errorf("its matrix: %w", err)
	}
	for k := 1; k < len(e.Rows); k++ {
		if e.Rows[k] < e.Rows[k-1] {
			return fmt.Errorf("its matrix: entry %d is of row %d, after row %d; rows ascend", k+1, e.Rows[k]+1, e.Rows[k-1]+1)
		}
	}
	return nil
}

// checkEntries refuses entries outside an m×n matrix.
func checkEntries(m, n int, rows, cols []int32, values []float64) error {
	if len(rows) != len(values) || len(cols) != len(values) {
		return fmt.Errorf("%d values have %d rows and %d columns", len(values), len(rows), len(cols))
	}
	for k, i := range rows {
		if j := cols[k]; i < 0 || int(i) >= m || j < 0 || int(j) >= n {
			return fmt.Errorf("entry %d is at row %d and column %d of %d×%d", k+1, int(i)+1, int(j)+1, m, n)
		}
	}
	return nil
}

// A Linear applies the W of a model (features × outputs) to rows of features.
type Linear struct {
	m   *Model
	ptr []int32   // of the entries of each feature, where W is sparse
	us  []float64 // U S, where it is of low rank
}

// Linear prepares a model for rows of m.Rows features.
func (m *Model) Linear() *Linear {
	l := &Linear{m: m}
	if m.Entries != nil {
		l.ptr = make([]int32, m.Rows+1)
		for _, i := range m.Entries.Rows {
			l.ptr[i+1]++
		}
		for i := range m.Rows {
			l.ptr[i+1] += l.ptr[i]
		}
		return l
	}
	l.us = make([]float64, len(m.U))
	for e, x := range m.U {
		l.us[e] = x * m.S[e%m.Rank]
	}
	return l
}

// ScoresTo writes dst_j = Global + ColOffset_j + Σ x_i W_ij, one for each output, for a row x of features: all of them where
// index is nil, else those of index. NaN is missing, and filled by a model with Fill. W has the model's scales; offsets of rows,
// which are features here, have no part in it.
func (l *Linear) ScoresTo(dst []float64, index []int32, x []float64) {
	l.productTo(dst, index, x)
	for j := range dst {
		dst[j] += l.m.centre(-1, j)
	}
}

// WeightsTo writes row i of W, the weights of feature i, one for each output.
func (l *Linear) WeightsTo(dst []float64, i int) { l.productTo(dst, []int32{int32(i)}, []float64{1}) }

// Predict is the scores of rows of m.Rows features, a row for each of x and a column for each output.
func (l *Linear) Predict(x mat.Matrix) (*mat.Dense, error) {
	if x == nil {
		return nil, errors.New("model: there are no rows to predict: the matrix is nil")
	}
	n, p := x.Dims()
	if p != l.m.Rows {
		return nil, fmt.Errorf("model: rows have %d features, and the model %d", p, l.m.Rows)
	}
	z := mat.NewDense(n, l.m.Cols, nil)
	row := make([]float64, p)
	for i := range n {
		l.ScoresTo(z.RawRowView(i), nil, mat.Row(row, i, x))
	}
	return z, nil
}

// Coef is W of a model of rows of features, features × outputs, for features as they are given; or of any other model the matrix
// that predictions are of, without its centre.
func (m *Model) Coef() *mat.Dense {
	w, l := mat.NewDense(m.Rows, m.Cols, nil), m.Linear()
	for i := range m.Rows {
		l.WeightsTo(w.RawRowView(i), i)
	}
	return w
}

// Intercept is the constant of each output, or of each column; the offsets of rows have no part in it.
func (m *Model) Intercept() []float64 {
	b := make([]float64, m.Cols)
	for j := range b {
		b[j] = m.centre(-1, j)
	}
	return b
}

// PredictID is Predict by the ids of a row and a column, the centre of those that the model does not know. It looks them up one
// by one: a [Recommender] is for many.
func (m *Model) PredictID(row, col string) float64 {
	return m.Predict(placeOf(m.RowIDs, m.Rows, row), placeOf(m.ColIDs, m.Cols, col))
}

// placeOf is where an id is, -1 of none; without ids they are numbers from 1.
func placeOf(ids []string, n int, id string) int {
	if ids != nil {
		return slices.Index(ids, id)
	}
	if k, err := strconv.Atoi(id); err == nil && k >= 1 && k <= n && id == strconv.Itoa(k) {
		return k - 1
	}
	return -1
}

// productTo writes dst = Wᵀx.
func (l *Linear) productTo(dst []float64, index []int32, x []float64) {
	m := l.m
	clear(dst)
	if m.Rank > 0 {
		inner := make([]float64, m.Rank)
		l.features(index, x, func(i int, v float64) {
			for c, u := range l.us[i*m.Rank : (i+1)*m.Rank] {
				inner[c] += v * u
			}
		})
		for j := range dst {
			for c, v := range m.V[j*m.Rank : (j+1)*m.Rank] {
				dst[j] += v * inner[c]
			}
		}
	}
	if e := m.Entries; e != nil {
		l.features(index, x, func(i int, v float64) {
			for t := l.ptr[i]; t < l.ptr[i+1]; t++ {
				dst[e.Cols[t]] += v * e.Values[t]
			}
		})
	}
	for j, by := range m.ColScale {
		dst[j] *= by
	}
}

// features lists those that are not 0, times their scales; those that are missing as the model fills them.
func (l *Linear) features(index []int32, x []float64, f func(i int, v float64)) {
	for t, v := range x {
		if v == 0 {
			continue
		}
		i := t
		if index != nil {
			i = int(index[t])
		}
		if math.IsNaN(v) && l.m.Fill != nil {
			v = l.m.Fill[i]
		}
		if l.m.RowScale != nil {
			v *= l.m.RowScale[i]
		}
		f(i, v)
	}
}
