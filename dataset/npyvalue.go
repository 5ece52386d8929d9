package dataset

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// A valueType tells how a value of an array is stored.
type valueType struct {
	kind byte // f, i, u or b
	size int  // bytes
	big  bool // the highest byte goes first
}

func (a *npyArray) valueType() (valueType, error) {
	d := a.descr
	var t valueType
	if len(d) == 3 {
		t = valueType{d[1], int(d[2] - '0'), d[0] == '>'}
		known := map[byte][]int{'f': {4, 8}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'b': {1}}
		if slices.Contains([]byte("<>|="), d[0]) && slices.Contains(known[t.kind], t.size) {
			return t, nil
		}
	}
	if strings.ContainsAny(d, "US") {
		return t, a.errorf("holds text (%s); "+
			"save numbers with .astype(float), and labels as lines of text: numpy.savetxt(NAME, labels, fmt='%%s')", text.Clip([]byte(d)))
	}
	return t, a.errorf("holds values of type %q; save it with .astype(float)", text.Clip([]byte(d)))
}

// values reads as many values as the shape says, and nothing must follow. Integers beyond 2⁵³ are rounded to the
// nearest float64.
func (a *npyArray) values() (*chunkList[float64], error) {
	t, err := a.valueType()
	if err != nil {
		return nil, err
	}
	want := 1
	for _, n := range a.shape {
		want *= n
	}
	read := t.reader()
	p := &chunkList[float64]{}
	block := make([]float64, max(1, min(want, 1<<13)))
	buf := make([]byte, len(block)*t.size)
	for p.n < want {
		b := buf[:min(want-p.n, len(block))*t.size]
		k, err := io.ReadFull(a.r, b)
		if endOfFile(err) {
			return nil, a.errorf("is cut short: it holds %d of its %d values; save or copy it again", p.n+k/t.size, want)
		}
		if err != nil {
			return nil, a.cut(err)
		}
		x := block[:len(b)/t.size]
		for e := range x {
			if x[e] = read(b[e*t.size:]); !text.Finite(x[e]) && !(a.gaps && math.IsNaN(x[e])) {
				return nil, a.notFinite(p.n+e, x[e])
			}
		}
		p.append(x)
	}
	switch n, err := io.ReadFull(a.r, buf[:1]); {
	case n > 0:
		return nil, a.errorf("goes on behind the %d values of its shape; save one array in a file", want)
	case err != io.EOF:
		return nil, a.cut(err)
	}
	return p, nil
}

// notFinite names the place of value e.
func (a *npyArray) notFinite(e int, v float64) error {
	row, col := e, 0
	if len(a.shape) == 2 {
		row, col = e/a.shape[1], e%a.shape[1]
		if a.fortran {
			row, col = e%a.shape[0], e/a.shape[0]
		}
	}
	return a.errorf("row %d, column %d is %v; the numbers must be finite, fill it in or leave the row out", row+1, col+1, v)
}

// reader turns the bytes of a value into a number.
func (t valueType) reader() func(b []byte) float64 {
	var o binary.ByteOrder = binary.LittleEndian
	if t.big {
		o = binary.BigEndian
	}
	switch {
	case t.kind == 'f' && t.size == 8:
		return func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }
	case t.kind == 'f':
		return func(b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }
	case t.kind == 'b':
		return func(b []byte) float64 { return float64(min(b[0], 1)) }
	case t.kind == 'i' && t.size == 1:
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case t.kind == 'i' && t.size == 2:
		return func(b []byte) float64 { return float64(int16(o.Uint16(b))) }
	case t.kind == 'i' && t.size == 4:
		return func(b []byte) float64 { return float64(int32(o.Uint32(b))) }
	case t.kind == 'i':
		return func(b []byte) float64 { return float64(int64(o.Uint64(b))) }
	case t.size == 1:
		return func(b []byte) float64 { return float64(b[0]) }
	case t.size == 2:
		return func(b []byte) float64 { return float64(o.Uint16(b)) }
	case t.size == 4:
		return func(b []byte) float64 { return float64(o.Uint32(b)) }
	}
	return func(b []byte) float64 { return float64(o.Uint64(b)) }
}
