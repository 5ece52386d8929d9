package report

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A figure is panels below each other, each with its legend beside it, where no curve is.
type figure struct {
	panels  []*plot.Plot
	legends []plot.Legend // of the panels, by their places
	named   bool          // a legend has entries
}

// name adds an entry to the legend of the last panel.
func (f *figure) name(name string, of ...plot.Thumbnailer) {
	f.legends[len(f.legends)-1].Add(name, of...)
	f.named = true
}

// panel adds one.
func (f *figure) panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	p.Add(plotter.NewGrid())
	l := plot.NewLegend()
	l.YPosition, l.Padding, l.ThumbnailWidth, l.Left, l.Top = draw.PosCenter, vg.Points(3), vg.Points(24), true, true
	f.panels, f.legends = append(f.panels, p), append(f.legends, l)
	return p
}

// curve adds points, marked, with lines between them.
func (f *figure) curve(p *plot.Plot, points plotter.XYs, of color.Color, dashes int) (line *plotter.Line, marks *plotter.Scatter,
	err error) {
	line, marks, err = plotter.NewLinePoints(points)
	if err != nil {
		return nil, nil, err
	}
	line.Color, line.Width, line.Dashes = of, curveWidth, plotutil.Dashes(dashes)
	marks.Color, marks.Shape, marks.Radius = of, draw.CircleGlyph{}, vg.Points(markRadius)
	p.Add(line, marks)
	return line, marks, nil
}

const (
	curveWidth  = vg.Length(1.2) // points
	markRadius  = 2.2            // points
	panelHeight = 3.4            // inches, of each panel; one alone is taller
	plotWidth   = 5.6            // inches, without the legend
	margin      = 8              // points around the panels, in which marks at an edge are whole
)

// write draws the figure in a format of gonum/plot: svg, png or pdf.
func (f *figure) write(w io.Writer, format string) error {
	height := panelHeight * vg.Inch * vg.Length(len(f.panels))
	if len(f.panels) == 1 {
		height = 4 * vg.Inch
	}
	beside := f.legendWidth()
	width := plotWidth*vg.Inch + beside
	out, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	all := draw.New(out)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	all = draw.Crop(all, vg.Points(margin), -vg.Points(margin), vg.Points(margin), -vg.Points(margin))
	left := draw.Crop(all, 0, -beside, 0, 0)
	if len(f.panels) == 1 {
		f.panels[0].Draw(left)
	} else {
		f.stack(left)
	}
	f.drawLegends(draw.Crop(all, left.Size().X+vg.Points(margin), 0, 0, 0))
	_, err = out.WriteTo(w)
	return err
}

// legendWidth is that of the widest legend with its margins, 0 where there is none.
func (f *figure) legendWidth() (width vg.Length) {
	if !f.named {
		return 0
	}
	for i := range f.legends {
		width = max(width, f.legends[i].Rectangle(draw.Canvas{}).Size().X+vg.Points(2*margin))
	}
	return width
}

// drawLegends draws each one beside its panel.
func (f *figure) drawLegends(c draw.Canvas) {
	each := c.Size().Y / vg.Length(max(1, len(f.legends)))
	for i := range f.legends {
		above := each * vg.Length(i)
		below := c.Size().Y - above - each
		f.legends[i].Draw(draw.Crop(c, 0, 0, below, -above-vg.Points(4*margin)))
	}
}

// stack draws the panels below each other, with their axes in line.
func (f *figure) stack(c draw.Canvas) {
	rows := make([][]*plot.Plot, len(f.panels))
	for i, p := range f.panels {
		rows[i] = []*plot.Plot{p}
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: vg.Points(2 * margin)}
	for i, part := range plot.Align(rows, tiles, c) {
		f.panels[i].Draw(part[0])
	}
}
