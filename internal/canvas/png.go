package canvas

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// scale is pixels a point: 144 to the inch.
const scale = 2

// A raster is a drawing in pixels.
type raster struct {
	img    *image.RGBA
	filler vector.Rasterizer
	clip   image.Rectangle
}

func newPNG(width, height float64) *raster {
	r := &raster{img: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(scale*width)), int(math.Ceil(scale*height))))}
	draw.Draw(r.img, r.img.Bounds(), image.White, image.Point{}, draw.Src)
	r.Unclip()
	return r
}

// paint fills the area that path encloses, which lies within a box of points, in the coordinates of the canvas.
func (r *raster) paint(within Box, with color.RGBA, path func(at func(x, y float64) (float32, float32))) {
	area := image.Rect(int(math.Floor(scale*within.Left))-1, int(math.Floor(scale*within.Top))-1,
		int(math.Ceil(scale*within.Right))+1, int(math.Ceil(scale*within.Bottom))+1).Intersect(r.clip)
	if area.Empty() {
		return
	}
	r.filler.Reset(area.Dx(), area.Dy())
	path(func(x, y float64) (float32, float32) {
		return float32(scale*x) - float32(area.Min.X), float32(scale*y) - float32(area.Min.Y)
	})
	r.filler.Draw(r.img, area, image.NewUniform(with), image.Point{})
}

// polygon fills a convex polygon.
func (r *raster) polygon(with color.RGBA, corners ...Point) {
	within := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range corners {
		within = Box{min(within.Left, p.X), min(within.Top, p.Y), max(within.Right, p.X), max(within.Bottom, p.Y)}
	}
	r.paint(within, with, func(at func(x, y float64) (float32, float32)) {
		for i, p := range corners {
			x, y := at(p.X, p.Y)
			if i == 0 {
				r.filler.MoveTo(x, y)
			} else {
				r.filler.LineTo(x, y)
			}
		}
		r.filler.ClosePath()
	})
}

func (r *raster) Lines(points []Point, pen Pen) {
	gone, dash, drawn := 0.0, 0, true // in the present dash
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		for from := 0.0; from < length; {
			to := length
			if len(pen.Dashes) > 0 {
				to = min(length, from+pen.Dashes[dash]-gone)
			}
			if drawn {
				r.segment(between(a, b, from/length), between(a, b, to/length), pen)
			}
			// What is left of a dash may be so little that from stays as it is.
			if gone += to - from; len(pen.Dashes) > 0 && (gone >= pen.Dashes[dash] || to == from) {
				gone, dash, drawn = 0, (dash+1)%len(pen.Dashes), !drawn
			}
			from = to
		}
		if len(pen.Dashes) == 0 && i+1 < len(points) {
			r.Disc(b, pen.Width/2, pen.Color) // a round joint
		}
	}
}

// between is the point of a line at a part of its length.
func between(a, b Point, part float64) Point {
	return Point{a.X + part*(b.X-a.X), a.Y + part*(b.Y-a.Y)}
}

// segment is a straight line as the rectangle that it covers.
func (r *raster) segment(a, b Point, pen Pen) {
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if length == 0 {
		return
	}
	x, y := -(b.Y-a.Y)/length*pen.Width/2, (b.X-a.X)/length*pen.Width/2
	r.polygon(pen.Color, Point{a.X + x, a.Y + y}, Point{b.X + x, b.Y + y}, Point{b.X - x, b.Y - y}, Point{a.X - x, a.Y - y})
}

func (r *raster) Fill(at Box, with color.RGBA) {
	r.polygon(with, Point{at.Left, at.Top}, Point{at.Right, at.Top}, Point{at.Right, at.Bottom}, Point{at.Left, at.Bottom})
}

func (r *raster) Disc(at Point, radius float64, with color.RGBA) {
	const corners = 24 // of a disc of a few pixels
	all := make([]Point, corners)
	for i := range all {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		all[i] = Point{at.X + radius*cos, at.Y + radius*sin}
	}
	r.polygon(with, all...)
}

func (r *raster) Picture(at Box, img image.Image) error {
	from := img.Bounds()
	area := image.Rect(int(math.Round(scale*at.Left)), int(math.Round(scale*at.Top)), int(math.Round(scale*at.Right)),
		int(math.Round(scale*at.Bottom)))
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if (image.Point{X: x, Y: y}).In(r.clip) {
				r.img.Set(x, y, img.At(from.Min.X+(x-area.Min.X)*from.Dx()/area.Dx(), from.Min.Y+(y-area.Min.Y)*from.Dy()/area.Dy()))
			}
		}
	}
	return nil
}

func (r *raster) Text(at Point, text string, t Style) {
	text = plain(text)
	along := -Width(text, t.Size) * float64(t.Anchor) / 2
	f := face()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, letter := range text {
		glyph := f.glyph(letter)
		outline, err := f.font.LoadGlyph(&f.buf, glyph, fixed.I(measured), nil)
		if err == nil {
			r.letter(at, along, outline, t)
		}
		along += f.advance(glyph, fixed.I(measured)) * t.Size / measured
	}
}

// letter draws an outline, at a distance along the baseline that begins at a place.
func (r *raster) letter(at Point, along float64, outline sfnt.Segments, t Style) {
	box := Box{at.X + along - t.Size, at.Y - 2*t.Size, at.X + along + 2*t.Size, at.Y + t.Size}
	if t.Upwards {
		box = Box{at.X - 2*t.Size, at.Y - along - 2*t.Size, at.X + t.Size, at.Y - along + t.Size}
	}
	r.paint(box, t.Color, func(place func(x, y float64) (float32, float32)) {
		to := func(p fixed.Point26_6) (float32, float32) {
			x, y := along+float64(p.X)/64*t.Size/measured, float64(p.Y)/64*t.Size/measured
			if t.Upwards {
				return place(at.X+y, at.Y-x)
			}
			return place(at.X+x, at.Y+y)
		}
		for _, s := range outline {
			x, y := to(s.Args[0])
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				r.filler.MoveTo(x, y)
			case sfnt.SegmentOpLineTo:
				r.filler.LineTo(x, y)
			case sfnt.SegmentOpQuadTo:
				x2, y2 := to(s.Args[1])
				r.filler.QuadTo(x, y, x2, y2)
			case sfnt.SegmentOpCubeTo:
				x2, y2 := to(s.Args[1])
				x3, y3 := to(s.Args[2])
				r.filler.CubeTo(x, y, x2, y2, x3, y3)
			}
		}
	})
}

func (r *raster) Clip(to Box) {
	r.clip = image.Rect(int(math.Floor(scale*to.Left)), int(math.Floor(scale*to.Top)), int(math.Ceil(scale*to.Right)),
		int(math.Ceil(scale*to.Bottom))).Intersect(r.img.Bounds())
}

func (r *raster) Unclip() { r.clip = r.img.Bounds() }

func (r *raster) Finish(w io.Writer) error { return png.Encode(w, r.img) }
