// Package canvas draws lines, boxes, discs, pictures and text to SVG, PNG and PDF, in points of 1/72 inch from the upper left
// corner. The formats lie in svg.go, png.go and pdf.go; font.go has the widths and the outlines of letters.
package canvas

import (
	"fmt"
	"image"
	"image/color"
	"io"
)

// A Point is a place on a canvas.
type Point struct{ X, Y float64 }

// A Box is a rectangle by its corners: the upper left one and the lower right one.
type Box struct{ Left, Top, Right, Bottom float64 }

// Width is that of a box.
func (b Box) Width() float64 { return b.Right - b.Left }

// Height is that of a box.
func (b Box) Height() float64 { return b.Bottom - b.Top }

// Meets says that two boxes have room in common.
func (b Box) Meets(o Box) bool {
	return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
}

// A Pen draws lines. Dashes are lengths drawn and left out by turns; none are a solid line.
type Pen struct {
	Color  color.RGBA
	Width  float64
	Dashes []float64
}

// An Anchor is what of a text stands at its place.
type Anchor int

// The anchors.
const (
	Start Anchor = iota
	Middle
	End
)

// A Style is how a text is drawn: upwards is turned to the left by 90°.
type Style struct {
	Size    float64
	Color   color.RGBA
	Anchor  Anchor
	Upwards bool
}

// A Canvas is drawn upon, and then written. Places beyond its sides are allowed.
type Canvas interface {
	// Lines joins points by straight lines.
	Lines(points []Point, pen Pen)
	// Fill paints a box.
	Fill(at Box, with color.RGBA)
	// Disc paints a circle.
	Disc(at Point, radius float64, with color.RGBA)
	// Picture fits an image into a box, its pixels with sharp edges.
	Picture(at Box, img image.Image) error
	// Text draws a line of text; its baseline stands at the place.
	Text(at Point, text string, s Style)
	// Clip leaves out what is drawn beyond a box, until Unclip.
	Clip(to Box)
	Unclip()
	// Finish writes the drawing.
	Finish(w io.Writer) error
}

// Formats are the words of New.
const Formats = "svg png pdf"

// New is an empty white canvas of a width and a height in points, which is written as svg, png or pdf.
func New(format string, width, height float64, title string) (Canvas, error) {
	switch format {
	case "svg":
		return newSVG(width, height, title), nil
	case "png":
		return newPNG(width, height), nil
	case "pdf":
		return newPDF(width, height, title), nil
	}
	return nil, fmt.Errorf("a drawing is written as svg, png or pdf, not as %q", format)
}
