// Package output writes matrices to files, in the format of their name: numbers as text or .npy, rows that are images as PNG or
// PGM.
package output

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// IsImage says that a file's name is one of an image.
func IsImage(name string) bool { return ending(name) == "png" || ending(name) == "pgm" }

// ending is the end of a file's name, in lower case.
func ending(name string) string {
	name = strings.ToLower(name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Matrix writes a dense matrix to a file, which appears only when it is complete: as .npy (float64) where its name ends so, in a
// format that is registered with dataset (.parquet), else as text with the names of the columns, where it has some; separated by
// tabs where the name ends in .tsv, else by commas. Missing values (NaN) are empty fields of text. An image is refused.
func Matrix(name string, m *dataset.Matrix) error {
	switch ending(name) {
	case "png", "pgm":
		return fmt.Errorf("%s: is to be an image, whose height and width are not known; give them, or write .csv or .npy", name)
	case "npy":
		return atomicfile.Write(name, func(w io.Writer) error { return writeNPY(w, m) })
	case "tsv":
		return atomicfile.Write(name, func(w io.Writer) error { return Records(m).WriteText(w, '\t') })
	}
	if f, ok := dataset.RecordsFormatOf(name); ok {
		return atomicfile.Write(name, func(w io.Writer) error { return f.Write(w, Records(m)) })
	}
	return atomicfile.Write(name, Records(m).WriteCSV)
}

// Records are the rows of a dense matrix, with columns of numbers that are called 1, 2, 3, … where they have no names. NaN is no
// value. Names of rows stand in a column of their own before them: "name", or "" where they are all numbers, as an index is.
func Records(m *dataset.Matrix) dataset.Records {
	if len(m.RowNames) == m.Rows && m.Rows > 0 {
		return named(m)
	}
	return numbers(m)
}

// named puts the names of the rows before their numbers.
func named(m *dataset.Matrix) dataset.Records {
	r, name := numbers(m), ""
	for _, text := range m.RowNames {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			name = "name"
			break
		}
	}
	r.Fields, r.Unnamed = append([]dataset.Field{{Name: name}}, r.Fields...), false
	rows := r.Rows
	r.Rows = func(yield func([]dataset.Cell, error) bool) {
		i, all := 0, make([]dataset.Cell, len(r.Fields))
		rows(func(cells []dataset.Cell, err error) bool {
			all[0] = dataset.Cell{Text: m.RowNames[i]}
			copy(all[1:], cells)
			i++
			return yield(all, err)
		})
	}
	return r
}

// numbers are the rows without their names.
func numbers(m *dataset.Matrix) dataset.Records {
	r := dataset.Records{Fields: make([]dataset.Field, m.Cols), Unnamed: m.Names == nil}
	for j := range r.Fields {
		r.Fields[j] = dataset.Field{Name: m.ColumnName(j), Kind: dataset.NumberField}
	}
	for e, x := range m.Dense {
		if math.IsNaN(x) {
			r.Fields[e%m.Cols].Null = true
		}
	}
	r.Rows = func(yield func([]dataset.Cell, error) bool) {
		cells := make([]dataset.Cell, m.Cols)
		for i := range m.Rows {
			for j, x := range m.Dense[i*m.Cols : (i+1)*m.Cols] {
				cells[j] = dataset.Cell{Number: x, Null: math.IsNaN(x)}
			}
			if !yield(cells, nil) {
				return
			}
		}
	}
	return r
}

// npyAlign is what the header of .npy is padded to.
const npyAlign = 64

// writeNPY writes version 1 of NumPy's format, little-endian float64 by rows.
func writeNPY(out io.Writer, m *dataset.Matrix) error {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", m.Rows, m.Cols)
	const before = 10 // magic, version and the length of the header
	pad := (npyAlign - (before+len(header)+1)%npyAlign) % npyAlign
	header += strings.Repeat(" ", pad) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	if _, err := out.Write(append(b, header...)); err != nil {
		return err
	}
	row := make([]byte, 8*m.Cols)
	for i := range m.Rows {
		for j, x := range m.Dense[i*m.Cols : (i+1)*m.Cols] {
			binary.LittleEndian.PutUint64(row[8*j:], math.Float64bits(x))
		}
		if _, err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}
