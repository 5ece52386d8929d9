package report

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/internal/canvas"
)

// A figure is panels below each other under one title, each with its legend beside it, where no curve is.
type figure struct {
	title, subtitle string
	panels          []*panel
}

// A panel is what is drawn between two axes.
type panel struct {
	x, y   axis
	curves []curve
	rules  []rule
	tags   []tag
	image  image.Image // behind all, between the ends of the axes; or nil
	square bool        // units of both axes are of the same length
	inside []tag       // names written at their points
	edges  []mark
}

// A place is a point of a panel.
type place struct{ x, y float64 }

// A curve joins places by lines, marks them, or both.
type curve struct {
	name   string // in the legend; "" is none
	places []place
	spread []float64 // above and below each place, or nil
	color  color.RGBA
	dashes []float64
	marks  bool
	lines  bool
	marked []place // what is marked where that is not all of places
}

// A rule is a line across a panel at an x, named beside it.
type rule struct {
	at   float64
	name string
}

// A tag is a name at a place: beside the end of a curve, outside of the panel, or inside.
type tag struct {
	at    place
	name  string
	color color.RGBA
}

// A mark is a line at a row or a column of a matrix, named at its end.
type mark struct {
	at    float64
	row   bool
	name  string
	color color.RGBA
}

const (
	panelWidth  = 400 // points, between the axes
	panelHeight = 190 // of each of several
	aloneHeight = 240 // of a panel alone
	textSize    = 9.5
	titleSize   = 12
	lineHeight  = 13
	margin      = 12
	gap         = 6
	tickLength  = 4
	widestName  = 190 // points of a name beside a panel; of a longer one the middle is left out
	curveWidth  = 1.3
	markRadius  = 2.2
	thumbnail   = 22
)

var (
	ink  = color.RGBA{0x22, 0x22, 0x22, 0xff}
	pale = color.RGBA{0xe4, 0xe4, 0xe4, 0xff}
	grey = color.RGBA{0x66, 0x66, 0x66, 0xff}
)

// colors tell curves apart, for people who see fewer colours too [Okabe and Ito, "Color Universal Design", 2008].
var colors = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xaa, 0x3f, 0x8a, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x55, 0x55, 0x55, 0xff}}

// patterns tell curves of one colour apart.
var patterns = [][]float64{nil, {5, 3}, {1.5, 2.5}, {7, 2, 1.5, 2}}

// colorOf is the colour of a curve by its number.
func colorOf(i int) color.RGBA { return colors[i%len(colors)] }

// panel adds one.
func (f *figure) panel(x, y string) *panel {
	p := &panel{x: newAxis(x), y: newAxis(y)}
	f.panels = append(f.panels, p)
	return p
}

// add adds a curve.
func (p *panel) add(c curve) {
	for i, q := range c.places {
		by := 0.0
		if c.spread != nil {
			by = c.spread[i]
		}
		p.x.hold(q.x, q.x)
		p.y.hold(q.y-by, q.y+by)
	}
	p.curves = append(p.curves, c)
}

// height is that of a panel of a figure, between its axes.
func (f *figure) height(p *panel) float64 {
	switch {
	case p.square:
		return math.Min(math.Max(panelWidth*p.y.length()/p.x.length(), 0.3*panelWidth), 1.5*panelWidth)
	case len(f.panels) == 1:
		return aloneHeight
	}
	return panelHeight
}

// write draws the figure as svg, png or pdf.
func (f *figure) write(w io.Writer, format string) error {
	left, right, top := 0.0, 0.0, margin+0.0
	for _, p := range f.panels {
		p.x.settle()
		p.y.settle()
		left = math.Max(left, p.y.labelsWidth())
		right = math.Max(right, p.besideWidth())
	}
	left += margin + lineHeight + gap + tickLength + gap
	right += margin + gap
	room := left + panelWidth + right - 2*margin
	title := canvas.Cut(f.title, titleSize, room)
	if title != "" {
		top += titleSize + gap
	}
	if f.subtitle != "" {
		top += lineHeight
	}
	height := top
	for _, p := range f.panels {
		height += p.above() + f.height(p) + belowPanel
	}
	c, err := canvas.New(format, left+panelWidth+right, height+margin/2, f.title)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	c.Text(canvas.Point{X: margin, Y: margin + titleSize - 2}, title, canvas.Style{Size: titleSize, Color: ink})
	c.Text(canvas.Point{X: margin, Y: top - gap}, canvas.Cut(f.subtitle, textSize, room), canvas.Style{Size: textSize, Color: grey})
	for _, p := range f.panels {
		at := frame{canvas.Box{Left: left, Top: top + p.above(), Right: left + panelWidth, Bottom: top + p.above() + f.height(p)}, p}
		if err := at.draw(c); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		top = at.Bottom + belowPanel
	}
	return c.Finish(w)
}

// belowPanel is the room for the ticks of an x axis, and for its label.
const belowPanel = tickLength + 2*lineHeight + 2*gap

// above is the room for the names of what stands on the upper side of a panel.
func (p *panel) above() float64 {
	high := float64(gap)
	for i, r := range p.rules {
		if r.name != "" {
			high = lineHeight * float64(i+1)
		}
	}
	for _, m := range p.edges {
		if !m.row {
			high = math.Max(high, math.Min(canvas.Width(m.name, textSize), widestName/2)+gap)
		}
	}
	return high + gap
}

// besideWidth is the room for the names on the right.
func (p *panel) besideWidth() (wide float64) {
	for _, c := range p.curves {
		if c.name != "" {
			wide = math.Max(wide, thumbnail+gap+math.Min(widestName, canvas.Width(c.name, textSize)))
		}
	}
	for _, t := range p.tags {
		wide = math.Max(wide, 3*gap+math.Min(widestName, canvas.Width(t.name, textSize)))
	}
	for _, m := range p.edges {
		if m.row {
			wide = math.Max(wide, gap+math.Min(widestName/2, canvas.Width(m.name, textSize)))
		}
	}
	return wide
}
