package report

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

// A MarkedMatrix is a row-major matrix, and rows and columns of it that are marked, with their names. Title says what it is.
type MarkedMatrix struct {
	Title, Subtitle        string
	Rows, Cols             int
	Values                 []float64
	MarkedRows, MarkedCols []Line
}

// A Line is a row or a column of a matrix, from 0, and its name.
type Line struct {
	Index int
	Name  string
}

// matrixCells is the most cells of one side of the picture: of a larger matrix each is the largest entry by size of a block.
const matrixCells = 400

// Matrix draws the sizes of the entries of a matrix, light to dark on a logarithmic scale, the first row on top. Lines mark rows
// and columns, with their names beside it. It is written as svg, png or pdf.
func Matrix(w io.Writer, format string, m MarkedMatrix) error {
	if m.Rows < 1 || m.Cols < 1 || len(m.Values) != m.Rows*m.Cols {
		return fmt.Errorf("report: a matrix of %d×%d has not %d entries", m.Rows, m.Cols, len(m.Values))
	}
	f := &figure{title: m.Title, subtitle: m.Subtitle}
	p := f.panel("column", "row")
	p.image = m.cells()
	p.x = axis{label: "column", low: 0.5, high: float64(m.Cols) + 0.5, whole: true, exact: true}
	p.y = axis{label: "row", low: -0.5, high: float64(m.Rows) - 0.5, exact: true, downward: m.Rows}
	p.square = true
	for _, l := range m.MarkedRows {
		p.edges = append(p.edges, mark{at: float64(m.Rows - 1 - l.Index), row: true, name: l.Name, color: colors[0]})
	}
	for _, l := range m.MarkedCols {
		p.edges = append(p.edges, mark{at: float64(l.Index + 1), name: l.Name, color: colors[1]})
	}
	return f.write(w, format)
}

// cells is the picture of the entries: log(1 + |largest of a block|/mean size), as grey as it is large.
func (m MarkedMatrix) cells() image.Image {
	img := image.NewGray(image.Rect(0, 0, min(m.Cols, matrixCells), min(m.Rows, matrixCells)))
	rows, cols := img.Rect.Dy(), img.Rect.Dx()
	size := make([]float64, rows*cols)
	var mean, top float64
	for _, v := range m.Values {
		mean += math.Abs(v) / float64(len(m.Values))
	}
	for e, v := range m.Values {
		at := (e/m.Cols)*rows/m.Rows*cols + (e%m.Cols)*cols/m.Cols
		if mean > 0 {
			size[at] = math.Max(size[at], math.Log1p(math.Abs(v)/mean))
		}
		top = math.Max(top, size[at])
	}
	const darkest = 190 // below white
	for at, s := range size {
		grey := 0.0
		if top > 0 {
			grey = darkest * s / top
		}
		img.SetGray(at%cols, at/cols, color.Gray{Y: uint8(255 - grey)})
	}
	return img
}
