package canvas

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

var red = color.RGBA{0xff, 0, 0, 0xff}

// drawn is one of everything.
func drawn(t *testing.T, format string) []byte {
	t.Helper()
	c, err := New(format, 100, 60, "κ & <λ>")
	if err != nil {
		t.Fatal(err)
	}
	c.Fill(Box{10, 10, 20, 20}, red)
	c.Lines([]Point{{0, 50}, {100, 50}}, Pen{Color: red, Width: 2, Dashes: []float64{10, 10}})
	c.Clip(Box{40, 0, 50, 60})
	c.Lines([]Point{{0, 30}, {100, 30}}, Pen{Color: red, Width: 2})
	c.Unclip()
	c.Disc(Point{80, 20}, 5, red)
	if err := c.Picture(Box{60, 10, 70, 20}, pixel()); err != nil {
		t.Fatal(err)
	}
	c.Text(Point{50, 40}, "λ <&> \x1b🂡", Style{Size: 10, Color: red, Anchor: Middle})
	c.Text(Point{95, 55}, "up", Style{Size: 10, Color: red, Upwards: true})
	var b bytes.Buffer
	if err := c.Finish(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A PNG has the colour where something was drawn and white elsewhere: beyond a clip, and in the gaps of dashes.
func TestPNG(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(drawn(t, "png")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y int
		red  bool
	}{{15, 15, true}, {25, 15, false}, {5, 50, true}, {15, 50, false}, {25, 50, true}, {45, 30, true}, {30, 30, false},
		{60, 30, false}, {80, 20, true}, {86, 20, false}, {65, 15, true}} {
		r, g, _, _ := img.At(scale*c.x, scale*c.y).RGBA()
		if (r > 0xf000 && g < 0x0fff) != c.red {
			t.Errorf("at %d, %d: red is %v", c.x, c.y, !c.red)
		}
	}
	ink := func(from, to image.Point) (n int) {
		for y := scale * from.Y; y < scale*to.Y; y++ {
			for x := scale * from.X; x < scale*to.X; x++ {
				if _, g, _, _ := img.At(x, y).RGBA(); g < 0x8000 {
					n++
				}
			}
		}
		return n
	}
	if ink(image.Pt(40, 32), image.Pt(60, 42)) < 20 || ink(image.Pt(87, 40), image.Pt(96, 49)) < 20 {
		t.Error("text leaves no ink")
	}
}

// The dashes of a line end, wherever rounding puts their ends.
func TestDashesEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	r := &raster{img: image.NewRGBA(image.Rect(0, 0, 1, 1))}
	for range 300 {
		line := []Point{{}}
		for range 9 {
			line = append(line, Point{900 * random.Float64(), -1 - random.Float64()})
		}
		r.Lines(line, Pen{Width: 1, Dashes: []float64{1 + 4*random.Float64(), 1 + 2*random.Float64()}})
	}
}

// Texts of SVG and PDF are escaped or encoded; the same drawing is the same file.
func TestSVGAndPDF(t *testing.T) {
	s := string(drawn(t, "svg"))
	for _, want := range []string{"λ &lt;&amp;&gt; �", "<title>κ &amp; &lt;λ&gt;</title>", "rotate(-90",
		"stroke-dasharray=\"10,10\"", "clip-path"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not in %s", want, s)
		}
	}
	p := drawn(t, "pdf")
	if !bytes.HasPrefix(p, []byte("%PDF")) || !bytes.Equal(p, drawn(t, "pdf")) {
		t.Errorf("%d bytes are no PDF, or another each time", len(p))
	}
}

func TestErrors(t *testing.T) {
	if _, err := New("gif", 1, 1, ""); err == nil {
		t.Error("an unknown format was taken")
	}
	for _, format := range strings.Fields(Formats) {
		c, err := New(format, 1, 1, "")
		if err != nil {
			t.Fatal(err)
		}
		if c.Finish(full{}) == nil {
			t.Errorf("%s: a full disk was not noticed", format)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

// Cut keeps both ends of a text, and is no wider than it may be.
func TestCut(t *testing.T) {
	const text = "the beginning of a long name and its end"
	for _, width := range []float64{0, 20, 60, 100, 1000} {
		short := Cut(text, 10, width)
		if short != "…" && Width(short, 10) > width || width == 100 && (short[0] != 't' || !strings.HasSuffix(short, "d")) {
			t.Errorf("%q is wider than %v", short, width)
		}
	}
	if Cut(text, 10, 1000) != text {
		t.Error("what fits is cut")
	}
}

// pixel is a picture of one.
func pixel() image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.SetRGBA(0, 0, red)
	return img
}
