package canvas

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"
	"strings"
)

// An svg is a drawing as text, in the order in which it is drawn.
type svg struct {
	width, height float64
	title         string
	body          strings.Builder
	clips         int
}

func newSVG(width, height float64, title string) *svg {
	return &svg{width: width, height: height, title: title}
}

// number is a length with two decimals at most.
func number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func (s *svg) Lines(points []Point, pen Pen) {
	if len(points) == 0 {
		return
	}
	at := make([]string, len(points))
	for i, p := range points {
		at[i] = number(p.X) + "," + number(p.Y)
	}
	dashes := ""
	if len(pen.Dashes) > 0 {
		all := make([]string, len(pen.Dashes))
		for i, d := range pen.Dashes {
			all[i] = number(d)
		}
		dashes = ` stroke-dasharray="` + strings.Join(all, ",") + `"`
	}
	fmt.Fprintf(&s.body, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s/>\n",
		strings.Join(at, " "), hex(pen.Color), number(pen.Width), dashes)
}

func (s *svg) Fill(at Box, with color.RGBA) {
	fmt.Fprintf(&s.body, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n", number(at.Left), number(at.Top),
		number(at.Width()), number(at.Height()), hex(with))
}

func (s *svg) Disc(at Point, radius float64, with color.RGBA) {
	fmt.Fprintf(&s.body, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"%s\"/>\n", number(at.X), number(at.Y), number(radius),
		hex(with))
}

func (s *svg) Picture(at Box, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	fmt.Fprintf(&s.body, "<image x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" preserveAspectRatio=\"none\" "+
		"style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>\n", number(at.Left), number(at.Top),
		number(at.Width()), number(at.Height()), base64.StdEncoding.EncodeToString(b.Bytes()))
	return nil
}

func (s *svg) Text(at Point, text string, t Style) {
	where := fmt.Sprintf("x=\"%s\" y=\"%s\"", number(at.X), number(at.Y))
	if t.Upwards {
		where += fmt.Sprintf(" transform=\"rotate(-90 %s %s)\"", number(at.X), number(at.Y))
	}
	anchor := map[Anchor]string{Start: "", Middle: ` text-anchor="middle"`, End: ` text-anchor="end"`}[t.Anchor]
	fmt.Fprintf(&s.body, "<text %s font-size=\"%s\" fill=\"%s\"%s>%s</text>\n", where, number(t.Size), hex(t.Color), anchor,
		html.EscapeString(plain(text)))
}

func (s *svg) Clip(to Box) {
	s.clips++
	fmt.Fprintf(&s.body, "<clipPath id=\"clip%d\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/></clipPath>\n"+
		"<g clip-path=\"url(#clip%d)\">\n", s.clips, number(to.Left), number(to.Top), number(to.Width()), number(to.Height()), s.clips)
}

func (s *svg) Unclip() { s.body.WriteString("</g>\n") }

func (s *svg) Finish(w io.Writer) error {
	_, err := fmt.Fprintf(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%[1]spt\" height=\"%[2]spt\" "+
		"viewBox=\"0 0 %[1]s %[2]s\" role=\"img\" font-family=\"'Liberation Sans', 'DejaVu Sans', Arial, Helvetica, sans-serif\">\n"+
		"<title>%[3]s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n%[4]s</svg>\n",
		number(s.width), number(s.height), html.EscapeString(plain(s.title)), s.body.String())
	return err
}
