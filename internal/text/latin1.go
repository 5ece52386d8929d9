package text

import "unicode/utf8"

// Latin1 is the text of bytes that are UTF-8, or else Latin-1.
func Latin1(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}
