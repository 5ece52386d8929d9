package text

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// UTF8 is a text that is UTF-8, or else Windows-1252, of which Latin-1 is a part. It is b itself where that is UTF-8.
func UTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	mark := []byte("\xef\xbb\xbf")
	rest, marked := bytes.CutPrefix(b, mark)
	all := make([]byte, 0, len(b)+len(b)/2)
	if marked {
		all = append(all, mark...)
	}
	for _, c := range rest {
		all = utf8.AppendRune(all, charmap.Windows1252.DecodeByte(c))
	}
	return all
}

// Decoded is UTF8 as a string.
func Decoded(b []byte) string { return string(UTF8(b)) }
