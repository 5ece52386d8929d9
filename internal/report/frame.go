package report

import (
	"math"
	"slices"
	"sort"

	"github.com/seed-b18ef778/gcg/internal/canvas"
)

// A frame is where a panel stands on the canvas.
type frame struct {
	canvas.Box
	p *panel
}

// at is a place of the panel on the canvas.
func (f frame) at(q place) canvas.Point {
	return canvas.Point{X: f.Left + f.p.x.part(q.x)*f.Width(), Y: f.Bottom - f.p.y.part(q.y)*f.Height()}
}

// draw draws one panel.
func (f frame) draw(c canvas.Canvas) error {
	if f.p.image != nil {
		if err := c.Picture(f.Box, f.p.image); err != nil {
			return err
		}
	}
	f.drawAxes(c)
	const r = markRadius // of a mark on an edge, which is whole
	c.Clip(canvas.Box{Left: f.Left - r, Top: f.Top - r, Right: f.Right + r, Bottom: f.Bottom + r})
	for _, v := range f.p.rules {
		x := f.at(place{v.at, f.p.y.low}).X
		c.Lines([]canvas.Point{{X: x, Y: f.Top}, {X: x, Y: f.Bottom}}, canvas.Pen{Color: grey, Width: 1, Dashes: patterns[1]})
	}
	for _, e := range f.p.edges {
		f.drawEdge(c, e)
	}
	for _, v := range f.p.curves {
		f.drawCurve(c, v)
	}
	c.Unclip()
	f.nameRules(c)
	f.drawLegend(c)
	f.drawTags(c)
	f.nameEdges(c)
	f.nameInside(c)
	return nil
}

// nameInside writes names beside their points: towards the middle, or on the other side where a name before has that room. A name
// that has none is left out.
func (f frame) nameInside(c canvas.Canvas) {
	const size = textSize - 1
	var taken []canvas.Box
	for _, t := range f.p.inside {
		at, name := f.at(t.at), canvas.Cut(t.name, size, widestName/2)
		wide := canvas.Width(name, size)
		right := canvas.Box{Left: at.X + gap, Top: at.Y - size/2, Right: at.X + gap + wide, Bottom: at.Y + size/2}
		left := canvas.Box{Left: at.X - gap - wide, Top: right.Top, Right: at.X - gap, Bottom: right.Bottom}
		sides := []canvas.Box{right, left}
		if at.X > (f.Left+f.Right)/2 {
			sides[0], sides[1] = left, right
		}
		for _, room := range sides {
			if room.Left < f.Left || room.Right > f.Right || slices.ContainsFunc(taken, room.Meets) {
				continue
			}
			taken = append(taken, room)
			c.Text(canvas.Point{X: room.Left, Y: at.Y + textSize/3}, name, canvas.Style{Size: size, Color: t.color})
			break
		}
	}
}

// drawAxes draws the frame, the ticks with their numbers, a grid and the labels.
func (f frame) drawAxes(c canvas.Canvas) {
	grid, small := canvas.Pen{Color: pale, Width: 0.6}, canvas.Style{Size: textSize, Color: ink, Anchor: canvas.Middle}
	thin := canvas.Pen{Color: grey, Width: 0.8}
	for _, t := range f.p.x.ticked() {
		x := f.at(place{t.value, f.p.y.low}).X
		if f.p.image == nil {
			c.Lines([]canvas.Point{{X: x, Y: f.Top}, {X: x, Y: f.Bottom}}, grid)
		}
		if t.label != "" {
			c.Lines([]canvas.Point{{X: x, Y: f.Bottom}, {X: x, Y: f.Bottom + tickLength}}, thin)
			c.Text(canvas.Point{X: x, Y: f.Bottom + tickLength + textSize + 1}, t.label, small)
		}
	}
	small.Anchor = canvas.End
	for _, t := range f.p.y.ticked() {
		y := f.at(place{f.p.x.low, t.value}).Y
		if f.p.image == nil {
			c.Lines([]canvas.Point{{X: f.Left, Y: y}, {X: f.Right, Y: y}}, grid)
		}
		if t.label != "" {
			c.Lines([]canvas.Point{{X: f.Left - tickLength, Y: y}, {X: f.Left, Y: y}}, thin)
			c.Text(canvas.Point{X: f.Left - tickLength - 3, Y: y + textSize/3}, t.label, small)
		}
	}
	c.Lines([]canvas.Point{{X: f.Left, Y: f.Top}, {X: f.Right, Y: f.Top}, {X: f.Right, Y: f.Bottom}, {X: f.Left, Y: f.Bottom},
		{X: f.Left, Y: f.Top}}, thin)
	small.Anchor = canvas.Middle
	c.Text(canvas.Point{X: (f.Left + f.Right) / 2, Y: f.Bottom + tickLength + 2*lineHeight}, f.p.x.label, small)
	small.Upwards = true
	label := canvas.Cut(f.p.y.label, textSize, f.Height()+2*lineHeight)
	c.Text(canvas.Point{X: margin + textSize, Y: (f.Top + f.Bottom) / 2}, label, small)
}

// drawCurve draws a curve, broken where a place has no number.
func (f frame) drawCurve(c canvas.Canvas, v curve) {
	pen := canvas.Pen{Color: v.color, Width: curveWidth, Dashes: v.dashes}
	var piece []canvas.Point
	end := func() {
		if len(piece) > 1 {
			c.Lines(piece, pen)
		} else if len(piece) == 1 && !v.marks {
			c.Disc(piece[0], pen.Width, v.color)
		}
		piece = nil
	}
	for i, q := range v.places {
		if math.IsNaN(q.y) {
			end()
			continue
		}
		at := f.at(q)
		if v.lines {
			piece = append(piece, at)
		}
		if v.spread != nil && v.spread[i] > 0 {
			low, high := f.at(place{q.x, q.y - v.spread[i]}), f.at(place{q.x, q.y + v.spread[i]})
			c.Lines([]canvas.Point{low, high}, canvas.Pen{Color: v.color, Width: 0.8})
			for _, cap := range []canvas.Point{low, high} {
				c.Lines([]canvas.Point{{X: cap.X - 2.5, Y: cap.Y}, {X: cap.X + 2.5, Y: cap.Y}}, canvas.Pen{Color: v.color, Width: 0.8})
			}
		}
	}
	end()
	marked := v.marked
	if marked == nil {
		marked = v.places
	}
	for _, q := range marked {
		if v.marks && !math.IsNaN(q.y) {
			c.Disc(f.at(q), markRadius, v.color)
		}
	}
}

// nameRules writes the names of the rules above the panel, a line each, so that near ones do not cover each other.
func (f frame) nameRules(c canvas.Canvas) {
	for i, r := range f.p.rules {
		x, y := f.at(place{r.at, f.p.y.low}).X, f.Top-gap/2-lineHeight*float64(i)
		style := canvas.Style{Size: textSize, Color: grey, Anchor: canvas.Middle}
		half := canvas.Width(r.name, textSize) / 2
		x = math.Max(f.Left+half, math.Min(f.Right-half, x))
		c.Text(canvas.Point{X: x, Y: y - 2}, r.name, style)
	}
}

// drawLegend writes the names of the curves on the right.
func (f frame) drawLegend(c canvas.Canvas) {
	x, y := f.Right+gap, f.Top+textSize
	for _, v := range f.p.curves {
		if v.name == "" {
			continue
		}
		middle := y - textSize/3
		if v.lines {
			c.Lines([]canvas.Point{{X: x, Y: middle}, {X: x + thumbnail, Y: middle}}, canvas.Pen{Color: v.color, Width: curveWidth,
				Dashes: v.dashes})
		}
		if v.marks {
			c.Disc(canvas.Point{X: x + thumbnail/2, Y: middle}, markRadius, v.color)
		}
		name := canvas.Cut(v.name, textSize, widestName)
		c.Text(canvas.Point{X: x + thumbnail + gap, Y: y}, name, canvas.Style{Size: textSize, Color: ink})
		y += lineHeight
	}
}

// drawTags writes names beside the ends of their curves, moved apart where they would cover each other.
func (f frame) drawTags(c canvas.Canvas) {
	if len(f.p.tags) == 0 {
		return
	}
	tags := append([]tag(nil), f.p.tags...)
	sort.SliceStable(tags, func(a, b int) bool { return f.at(tags[a].at).Y < f.at(tags[b].at).Y })
	heights := make([]float64, len(tags))
	for i, t := range tags {
		heights[i] = f.at(t.at).Y
	}
	heights = apart(heights, f.Top, f.Bottom)
	for i, t := range tags {
		from := f.at(t.at)
		c.Lines([]canvas.Point{from, {X: f.Right + 2*gap, Y: heights[i]}}, canvas.Pen{Color: t.color, Width: 0.5})
		c.Text(canvas.Point{X: f.Right + 2*gap + 2, Y: heights[i] + textSize/3}, canvas.Cut(t.name, textSize, widestName),
			canvas.Style{Size: textSize, Color: t.color})
	}
}

// apart moves heights, which rise, so that lines of text there do not touch, as little as can be, between two ends if they fit.
func apart(heights []float64, low, high float64) []float64 {
	const apart = textSize + 1
	all := append([]float64(nil), heights...)
	for i := range all {
		if all[i] = math.Max(all[i], low); i > 0 {
			all[i] = math.Max(all[i], all[i-1]+apart)
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		end := high
		if i+1 < len(all) {
			end = all[i+1] - apart
		}
		all[i] = math.Min(all[i], end)
	}
	return all
}

// drawEdge draws the line of a row or a column.
func (f frame) drawEdge(c canvas.Canvas, e mark) {
	from, to := place{f.p.x.low, e.at}, place{f.p.x.high, e.at}
	if !e.row {
		from, to = place{e.at, f.p.y.low}, place{e.at, f.p.y.high}
	}
	c.Lines([]canvas.Point{f.at(from), f.at(to)}, canvas.Pen{Color: e.color, Width: 0.8})
}

// nameEdges writes the names of rows on the right, and of columns above.
func (f frame) nameEdges(c canvas.Canvas) {
	for _, row := range []bool{true, false} {
		var some []mark
		for _, e := range f.p.edges {
			if e.row == row && e.name != "" {
				some = append(some, e)
			}
		}
		place := func(e mark) float64 {
			if row {
				return f.at(place{f.p.x.low, e.at}).Y
			}
			return f.at(place{e.at, f.p.y.low}).X
		}
		sort.SliceStable(some, func(a, b int) bool { return place(some[a]) < place(some[b]) })
		where := make([]float64, len(some))
		for i, e := range some {
			where[i] = place(e)
		}
		if row {
			where = apart(where, f.Top, f.Bottom)
		} else {
			where = apart(where, f.Left, f.Right)
		}
		for i, e := range some {
			name := canvas.Cut(e.name, textSize, widestName/2)
			if row {
				c.Text(canvas.Point{X: f.Right + gap, Y: where[i] + textSize/3}, name, canvas.Style{Size: textSize, Color: e.color})
			} else {
				c.Text(canvas.Point{X: where[i] + textSize/3, Y: f.Top - gap/2}, name,
					canvas.Style{Size: textSize, Color: e.color, Upwards: true})
			}
		}
	}
}
