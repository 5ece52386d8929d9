package text

import (
	"bytes"
	"strconv"
)

// exact powers of ten; with a mantissa below 2⁵³ one product or quotient is rounded correctly (Clinger 1990).
var exactTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// ScanDecimal reads the decimal number that b starts with; n is its length, or 0 where strconv must be asked: words,
// more digits than a float64 holds, large exponents, hexadecimals.
func ScanDecimal(b []byte) (x float64, n int) {
	i := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i = 1
	}
	var v uint64
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		v = 10*v + uint64(b[i]-'0')
		i++
	}
	digits, exp := i-from, 0
	if i < len(b) && b[i] == '.' {
		i++
		from = i
		for i < len(b) && b[i]-'0' <= 9 {
			v = 10*v + uint64(b[i]-'0')
			i++
		}
		exp = from - i
		digits -= exp
	}
	if digits == 0 || digits > 19 || v >= 1<<53 {
		return 0, 0
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		e, k := scanExponent(b[i+1:])
		if k == 0 {
			return 0, 0
		}
		exp += e
		i += 1 + k
	}
	x = float64(v)
	switch {
	case exp < -22 || exp > 22:
		return 0, 0
	case exp < 0:
		x /= exactTen[-exp]
	default:
		x *= exactTen[exp]
	}
	if b[0] == '-' {
		x = -x
	}
	return x, i
}

// scanExponent reads a sign and up to three digits.
func scanExponent(b []byte) (e, n int) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		n = 1
	}
	from := n
	for n < len(b) && b[n]-'0' <= 9 {
		e = 10*e + int(b[n]-'0')
		n++
	}
	if n == from || n > from+3 {
		return 0, 0
	}
	if b[0] == '-' {
		e = -e
	}
	return e, n
}

// ScanIndex reads the digits that b starts with; n is their number, or 0 where there are none or more than ten.
func ScanIndex(b []byte) (v, n int) {
	for n < len(b) && b[n]-'0' <= 9 {
		v = 10*v + int(b[n]-'0')
		if n++; n > 10 {
			return 0, 0
		}
	}
	return v, n
}

// Number reads a text as fields of numbers are read: as decimals, C's hexadecimals, or words such as NaN and inf.
func Number(text string) (x float64, ok bool) { return WholeNumber([]byte(text)) }

// WholeNumber reads all of b, which may have blanks around it, as quoted fields do; words such as NaN are numbers to it.
func WholeNumber(b []byte) (float64, bool) {
	if len(b) <= 16 { // longer ones mostly have too many digits
		if x, n := ScanDecimal(b); n > 0 && n == len(b) {
			return x, true
		}
	}
	if bytes.IndexByte(b, '_') >= 0 { // Go has them between digits, and other readers leave such a field a text
		return 0, false
	}
	x, err := strconv.ParseFloat(string(TrimSpace(b)), 64)
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		return x, true // an infinity, for the caller to refuse
	}
	return x, err == nil
}

// Finite is false for NaN and the infinities.
func Finite(x float64) bool { return x-x == 0 }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// TrimLeft is b without the blanks that it begins with.
func TrimLeft(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	return b
}

// CutWord is the text up to a blank, and what follows the blanks.
func CutWord(b []byte) (word, rest []byte) {
	i := bytes.IndexAny(b, " \t")
	if i < 0 {
		return b, nil
	}
	return b[:i], TrimLeft(b[i:])
}

// Clip shortens a text for an error.
func Clip(b []byte) []byte {
	if len(b) > 40 {
		return append(ClipTo(b, 40), "…"...)
	}
	return b
}

// ClipTo is a copy of at most n bytes.
func ClipTo(b []byte, n int) []byte { return append([]byte{}, b[:min(n, len(b))]...) }
