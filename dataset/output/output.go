// Package output writes matrices to files, in the format of their name: numbers as text or .npy, rows that are images as PNG or
// PGM.
package output

import (
	"encoding/binary"
	"encoding/csv"
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

// Matrix writes a dense matrix to a file, which appears only when it is complete: as .npy (float64) where its name ends so, else
// as text with the names of the columns, where it has some; separated by tabs where the name ends in .tsv, else by commas.
// Missing values (NaN) are empty fields of text. An image is refused.
func Matrix(name string, m *dataset.Matrix) error {
	switch ending(name) {
	case "png", "pgm":
		return fmt.Errorf("%s: is to be an image, whose height and width are not known; give them, or write .csv or .npy", name)
	case "npy":
		return atomicfile.Write(name, func(w io.Writer) error { return writeNPY(w, m) })
	case "tsv":
		return atomicfile.Write(name, func(w io.Writer) error { return Text(w, m, '\t') })
	}
	return atomicfile.Write(name, func(w io.Writer) error { return Text(w, m, ',') })
}

// Text writes a dense matrix as delimited text; see Matrix.
func Text(out io.Writer, m *dataset.Matrix, delimiter rune) error {
	w := csv.NewWriter(out)
	w.Comma = delimiter
	if m.Names != nil {
		w.Write(m.Names)
	}
	fields := make([]string, m.Cols)
	for i := range m.Rows {
		for j := range fields {
			fields[j] = ""
			if x := m.Dense[i*m.Cols+j]; !math.IsNaN(x) {
				fields[j] = strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		w.Write(fields)
	}
	w.Flush()
	return w.Error()
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
