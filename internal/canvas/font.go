package canvas

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A typeface is the font of all drawings, read when the first text is measured or drawn. Its letters are as wide as those of the
// usual fonts of readers of SVG, or wider, so that what fits by its measure fits in theirs.
type typeface struct {
	font *sfnt.Font
	buf  sfnt.Buffer
	mu   sync.Mutex
}

var face = sync.OnceValue(func() *typeface {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // of a file that is part of the program
	}
	return &typeface{font: f}
})

// measured is the size at which widths are read, in which rounding is nothing.
const measured = 1000

// Width is that of a text at a size, in points.
func Width(text string, size float64) float64 {
	f := face()
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := 0.0
	for _, r := range plain(text) {
		sum += f.advance(f.glyph(r), fixed.I(measured))
	}
	return sum * size / measured
}

// glyph is that of a letter; 0 is the box of one that the font has not.
func (f *typeface) glyph(r rune) sfnt.GlyphIndex {
	g, err := f.font.GlyphIndex(&f.buf, r)
	if err != nil {
		return 0
	}
	return g
}

// advance is the width of a glyph.
func (f *typeface) advance(g sfnt.GlyphIndex, size fixed.Int26_6) float64 {
	a, err := f.font.GlyphAdvance(&f.buf, g, size, font.HintingNone)
	if err != nil {
		return 0
	}
	return float64(a) / 64
}

// plain is a text without what cannot be seen in a drawing, and valid.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

// Cut is a text that is at most so wide at a size, with an ellipsis in its middle where letters are left out.
func Cut(text string, size, width float64) string {
	if Width(text, size) <= width {
		return text
	}
	runes := []rune(text)
	for keep := len(runes) - 1; keep > 1; keep-- {
		head := (keep + 1) / 2
		short := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if Width(short, size) <= width {
			return short
		}
	}
	return "…"
}
