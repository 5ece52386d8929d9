package model

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
)

// WriteNPZ writes the model as arrays for numpy: those of its file under the same names, in float64 and int64, without what it
// does not have, and row_ids and col_ids as texts.
func (m *Model) WriteNPZ(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, t := range m.tensors() {
		kind, values := "<f8", any(t.f64)
		if t.i64 != nil {
			kind, values = "<i8", t.i64
		}
		if err := writeArray(z, t.name, kind, t.shape, values); err != nil {
			return err
		}
	}
	if err := writeTexts(z, "row_ids", named(m.RowIDs, m.Rows)); err != nil {
		return err
	}
	if err := writeTexts(z, "col_ids", named(m.ColIDs, m.Cols)); err != nil {
		return err
	}
	return z.Close()
}

// writeArray writes values, which may be empty, in the layout of numpy's format 1.0: a header of a multiple of 64 bytes, and the
// values by rows.
func writeArray(z *zip.Writer, name, kind string, shape []int, values any) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	size := ""
	for _, n := range shape {
		size += strconv.Itoa(n) + ","
	}
	const before, multiple = 10, 64
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, size)
	head += strings.Repeat(" ", (multiple-(before+len(head)+1)%multiple)%multiple) + "\n"
	if _, err := io.WriteString(w, "\x93NUMPY\x01\x00"); err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, uint16(len(head))); err != nil {
		return err
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, values)
}

// writeTexts writes texts as numpy has them, four bytes a character and all as long as the longest.
func writeTexts(z *zip.Writer, name string, all []string) error {
	wide := 1
	for _, s := range all {
		wide = max(wide, len([]rune(s)))
	}
	runes := make([]int32, 0, len(all)*wide)
	for _, s := range all {
		runes = append(append(runes, []rune(s)...), make([]int32, wide-len([]rune(s)))...)
	}
	return writeArray(z, name, "<U"+strconv.Itoa(wide), []int{len(all)}, runes)
}

// Factors are those of a model of ratings: a row for each row and column with its side, id, offset and factor f_1 … f_r, so that
// a prediction before clipping is
//
//	global + offset_i + offset_j + Σ_c f_ic f_jc
//
// with the scales and the singular values in the factors of rows and columns. The first row is global.
func (m *Model) Factors() dataset.Records {
	fields := []dataset.Field{{Name: "side"}, {Name: "id"}, {Name: "offset", Kind: dataset.NumberField},
		{Name: "f", Kind: dataset.VectorField, Width: m.Rank}}
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		// The mean has an empty id and a factor of zeros, so that it fits in columns that take no null.
		cells := []dataset.Cell{{Text: "global"}, {}, {Number: m.Global}, {Vector: make([]float64, m.Rank)}}
		if !yield(cells, nil) {
			return
		}
		side := func(name string, ids []string, offset, scale, factors []float64, by []float64) bool {
			for i, id := range ids {
				cells[0].Text, cells[1].Text, cells[2].Number = name, id, entry(offset, i, 0)
				for c := range m.Rank {
					cells[3].Vector[c] = factors[i*m.Rank+c] * entry(scale, i, 1) * entry(by, c, 1)
				}
				if !yield(cells, nil) {
					return false
				}
			}
			return true
		}
		if side("row", named(m.RowIDs, m.Rows), m.RowOffset, m.RowScale, m.U, m.S) {
			side("column", named(m.ColIDs, m.Cols), m.ColOffset, m.ColScale, m.V, nil)
		}
	}}
}

// entry is x_i, or another number where x is nil.
func entry(x []float64, i int, other float64) float64 {
	if x == nil {
		return other
	}
	return x[i]
}
