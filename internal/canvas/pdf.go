package canvas

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"
)

// A document is a drawing as a PDF of one page. Its text stays text.
type document struct {
	pdf      *fpdf.Fpdf
	pictures int
}

// fontName is what the document calls the font of all drawings.
const fontName = "go"

func newPDF(width, height float64, title string) *document {
	p := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}})
	when := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the same drawing is the same file
	p.SetCreationDate(when)
	p.SetModificationDate(when)
	p.SetCatalogSort(true)
	p.SetTitle(plain(title), true)
	p.SetMargins(0, 0, 0)
	p.SetAutoPageBreak(false, 0)
	p.AddUTF8FontFromBytes(fontName, "", goregular.TTF)
	p.AddPage()
	return &document{pdf: p}
}

func (d *document) Lines(points []Point, pen Pen) {
	if len(points) < 2 {
		return
	}
	d.pdf.SetDrawColor(int(pen.Color.R), int(pen.Color.G), int(pen.Color.B))
	d.pdf.SetLineWidth(pen.Width)
	d.pdf.SetLineJoinStyle("round")
	d.pdf.SetDashPattern(pen.Dashes, 0)
	d.pdf.MoveTo(points[0].X, points[0].Y)
	for _, p := range points[1:] {
		d.pdf.LineTo(p.X, p.Y)
	}
	d.pdf.DrawPath("D")
}

func (d *document) color(c color.RGBA) { d.pdf.SetFillColor(int(c.R), int(c.G), int(c.B)) }

func (d *document) Fill(at Box, with color.RGBA) {
	d.color(with)
	d.pdf.Rect(at.Left, at.Top, at.Width(), at.Height(), "F")
}

func (d *document) Disc(at Point, radius float64, with color.RGBA) {
	d.color(with)
	d.pdf.Circle(at.X, at.Y, radius, "F")
}

func (d *document) Picture(at Box, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	d.pictures++
	name, how := strconv.Itoa(d.pictures), fpdf.ImageOptions{ImageType: "png"}
	d.pdf.RegisterImageOptionsReader(name, how, &b)
	d.pdf.ImageOptions(name, at.Left, at.Top, at.Width(), at.Height(), false, how, 0, "")
	return d.pdf.Error()
}

func (d *document) Text(at Point, text string, t Style) {
	text = strings.Map(func(r rune) rune {
		if r > 0xffff { // which fpdf has no place for
			return '�'
		}
		return r
	}, plain(text))
	d.pdf.SetFont(fontName, "", t.Size)
	d.pdf.SetTextColor(int(t.Color.R), int(t.Color.G), int(t.Color.B))
	d.pdf.TransformBegin()
	if t.Upwards {
		d.pdf.TransformRotate(90, at.X, at.Y)
	}
	d.pdf.Text(at.X-Width(text, t.Size)*float64(t.Anchor)/2, at.Y, text)
	d.pdf.TransformEnd()
}

func (d *document) Clip(to Box) { d.pdf.ClipRect(to.Left, to.Top, to.Width(), to.Height(), false) }

func (d *document) Unclip() { d.pdf.ClipEnd() }

func (d *document) Finish(w io.Writer) error { return d.pdf.Output(w) }
