package model

import (
	"encoding/json"
	"fmt"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Features of rows (or columns) have a part in the factors U of a completion: a row without ratings, but with features f, has
// U_i = Factorᵀ f.
type Features struct {
	Encoding features.Encoding // of files to f
	Factor   []float64         // P×Rank, for the P features of Encoding.Names
}

// part are Factorᵀ f of some rows, row by row.
func (f *Features) part(rows *features.Rows, k int) []float64 {
	u := make([]float64, (len(rows.Ptr)-1)*k)
	for i := range len(rows.Ptr) - 1 {
		for e := rows.Ptr[i]; e < rows.Ptr[i+1]; e++ {
			at := int(rows.Index[e]) * k
			kernel.Axpy(rows.Values[e], f.Factor[at:at+k], u[i*k:(i+1)*k])
		}
	}
	return u
}

// constant is the part of a row of which nothing is known.
func (f *Features) constant(k int) []float64 {
	u := make([]float64, k)
	kernel.Axpy(f.Encoding.Scale, f.Factor[len(f.Factor)-k:], u)
	return u
}

// DescribesUsers says that the model was fitted with features of users.
func (m *Model) DescribesUsers() bool { return m.RowFeatures.described() }

// DescribesItems says that the model was fitted with features of items.
func (m *Model) DescribesItems() bool { return m.ColFeatures.described() }

// described says that there are more than the constant.
func (f *Features) described() bool { return f != nil && len(f.Encoding.Codes) > 0 }

// AddRows makes users of a table known to the model by their features; those that it knows stay as they are. It returns how many
// came in. The rows have ids from then on. A model without features of users is an error, and a table without their columns.
func (m *Model) AddRows(t *features.Table) (added int, err error) {
	added, err = m.add(t, m.RowFeatures, "users", &m.RowIDs, &m.U, &m.Rows, &m.RowScale, &m.RowOffset)
	m.addedRows += added
	return added, err
}

// AddCols is AddRows for items.
func (m *Model) AddCols(t *features.Table) (added int, err error) {
	added, err = m.add(t, m.ColFeatures, "items", &m.ColIDs, &m.V, &m.Cols, &m.ColScale, &m.ColOffset)
	m.addedCols += added
	return added, err
}

// add makes what a table has, and a side of the model not yet, a part of that side.
func (m *Model) add(t *features.Table, f *Features, what string, ids *[]string, factor *[]float64, count *int,
	scale, offset *[]float64) (added int, err error) {
	m.Name()
	if !f.described() {
		return 0, fmt.Errorf("%s: the model was fitted without features of %s", t.Name, what)
	}
	var at []int32
	for i, place := range t.IDs.In(dataset.NewIDs(*ids)) {
		if place < 0 {
			at = append(at, int32(i))
		}
	}
	rows, err := f.Encoding.Encode(t, at)
	if err != nil {
		return 0, err
	}
	for _, i := range at {
		*ids = append(*ids, t.IDs.Text(int(i)))
	}
	*factor, *count = append(*factor, f.part(rows, m.Rank)...), *count+len(at)
	*scale, *offset = widened(*scale, *count, 1), widened(*offset, *count, 0)
	return len(at), nil
}

// widened is x with n numbers, the new ones by; nil stays nil.
func widened(x []float64, n int, by float64) []float64 {
	for x != nil && len(x) < n {
		x = append(x, by)
	}
	return x
}

// rowFactor is row i of U with its scale; of a row that is unknown (-1) what all rows have in common, where that is known.
func (m *Model) rowFactor(i int) []float64 {
	return factorOf(i, m.U, m.RowScale, m.RowFeatures, m.Rank)
}

// colFactor is that of column j of V.
func (m *Model) colFactor(j int) []float64 {
	return factorOf(j, m.V, m.ColScale, m.ColFeatures, m.Rank)
}

func factorOf(i int, f, scale []float64, of *Features, k int) []float64 {
	switch {
	case i >= 0:
		row := append([]float64(nil), f[i*k:(i+1)*k]...)
		if scale != nil {
			kernel.Scale(scale[i], row)
		}
		return row
	case of != nil:
		return of.constant(k)
	}
	return make([]float64, k)
}

// sides are the features of both sides, by the name of their part of a file.
func (m *Model) sides() map[string]**Features {
	return map[string]**Features{"row_features": &m.RowFeatures, "col_features": &m.ColFeatures}
}

// checkFeatures refuses factors that do not fit their encoding.
func (m *Model) checkFeatures() error {
	for name, side := range m.sides() {
		f := *side
		if f == nil {
			continue
		}
		if n := len(f.Encoding.Names()); len(f.Factor) != n*m.Rank || !(f.Encoding.Scale > 0) {
			return fmt.Errorf("its %d %s have %d numbers at rank %d, and a scale of %v", n, name, len(f.Factor), m.Rank, f.Encoding.Scale)
		}
	}
	return nil
}

// saveFeatures adds the features to the tensors and the texts of a file.
func (m *Model) saveFeatures(meta map[string]string, tensors []tensor) ([]tensor, error) {
	for name, side := range m.sides() {
		f := *side
		if f == nil {
			continue
		}
		text, err := json.Marshal(f.Encoding)
		if err != nil {
			return nil, fmt.Errorf("model: its features are not saved: %w", err)
		}
		meta[name] = string(text)
		tensors = append(tensors, tensor{name: name, shape: []int{len(f.Encoding.Names()), m.Rank}, f64: f.Factor})
	}
	return tensors, nil
}

// readFeatures takes what saveFeatures wrote.
func (m *Model) readFeatures(meta map[string]string, t map[string]tensor) error {
	for name, side := range m.sides() {
		text, ok := meta[name]
		if !ok {
			continue
		}
		*side = &Features{Factor: t[name].f64}
		if err := json.Unmarshal([]byte(text), &(*side).Encoding); err != nil {
			return fmt.Errorf("is damaged: its %s are not JSON (%v)", name, err)
		}
	}
	return nil
}
