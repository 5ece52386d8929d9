package report

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// A MarkedMatrix is a row-major matrix, and rows and columns of it that are marked.
type MarkedMatrix struct {
	Rows, Cols             int
	Values                 []float64
	MarkedRows, MarkedCols []int
}

// matrixCells is the most cells of one side of the picture: of a larger matrix each is the largest entry by size of a block.
const matrixCells = 400

// Matrix draws the sizes of the entries of a matrix, light to dark on a logarithmic scale, the first row on top. Lines mark rows
// and columns: below and to the left, and across. It writes a format of gonum/plot: svg, png or pdf.
func Matrix(w io.Writer, format string, m MarkedMatrix) error {
	if m.Rows < 1 || m.Cols < 1 || len(m.Values) != m.Rows*m.Cols {
		return fmt.Errorf("report: a matrix of %d×%d has not %d entries", m.Rows, m.Cols, len(m.Values))
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "column", "row"
	grid := newCells(m)
	heat := plotter.NewHeatMap(grid, greys{})
	heat.Min, heat.Max = 0, math.Max(grid.top, math.SmallestNonzeroFloat64*0x1p60)
	p.Add(heat)
	p.Y.Tick.Marker, p.X.Tick.Marker = downward{m.Rows}, roundTicks{whole: true}
	red := color.RGBA{R: 214, G: 39, B: 40, A: 255}
	blue := color.RGBA{R: 31, G: 119, B: 180, A: 255}
	mark := func(xy plotter.XYs, c color.Color) error {
		line, err := plotter.NewLine(xy)
		if err != nil {
			return err
		}
		line.Color, line.Width = c, vg.Points(0.7)
		p.Add(line)
		return nil
	}
	for _, i := range m.MarkedRows {
		y := float64(m.Rows - 1 - i)
		if err := mark(plotter.XYs{{X: -0.5, Y: y}, {X: float64(m.Cols) - 0.5, Y: y}}, blue); err != nil {
			return err
		}
	}
	for _, j := range m.MarkedCols {
		if err := mark(plotter.XYs{{X: float64(j), Y: -0.5}, {X: float64(j), Y: float64(m.Rows) - 0.5}}, red); err != nil {
			return err
		}
	}
	return (&figure{panels: []*plot.Plot{p}}).write(w, format)
}

// cells are the blocks of a matrix.
type cells struct {
	m          MarkedMatrix
	rows, cols int
	size       []float64 // log(1 + |largest|/median size)
	top        float64
}

// newCells takes the largest entry of every block.
func newCells(m MarkedMatrix) *cells {
	g := &cells{m: m, rows: min(m.Rows, matrixCells), cols: min(m.Cols, matrixCells)}
	g.size = make([]float64, g.rows*g.cols)
	var sum float64
	for _, v := range m.Values {
		sum += math.Abs(v) / float64(len(m.Values))
	}
	for e, v := range m.Values {
		at := (e/m.Cols)*g.rows/m.Rows*g.cols + (e%m.Cols)*g.cols/m.Cols
		if sum > 0 {
			g.size[at] = math.Max(g.size[at], math.Log1p(math.Abs(v)/sum))
		}
		g.top = math.Max(g.top, g.size[at])
	}
	return g
}

// Dims is the number of blocks.
func (g *cells) Dims() (c, r int) { return g.cols, g.rows }

// Z is the size of a block, from the bottom.
func (g *cells) Z(c, r int) float64 { return g.size[(g.rows-1-r)*g.cols+c] }

// X is the middle of a block's columns.
func (g *cells) X(c int) float64 {
	return (float64(c)+0.5)*float64(g.m.Cols)/float64(g.cols) - 0.5
}

// Y is the middle of a block's rows, from the bottom.
func (g *cells) Y(r int) float64 {
	return (float64(r)+0.5)*float64(g.m.Rows)/float64(g.rows) - 0.5
}

// greys are from white to dark.
type greys struct{}

// Colors are 64 greys.
func (greys) Colors() []color.Color {
	all := make([]color.Color, 64)
	for i := range all {
		all[i] = color.Gray{Y: uint8(255 - 3*i)}
	}
	return all
}

// downward ticks count rows from the top, from 1.
type downward struct{ rows int }

// Ticks are those of the heights, renamed.
func (d downward) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i, t := range ticks {
		if row := d.rows - int(math.Round(t.Value)); t.Label != "" && row >= 1 && row <= d.rows {
			ticks[i].Label = fmt.Sprint(row)
		} else {
			ticks[i].Label = ""
		}
	}
	return ticks
}
