package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

const npyMagic = "\x93NUMPY"

// An npyArray is an array in NumPy's format, versions 1 to 3: a header, which is a Python dictionary, and raw values.
type npyArray struct {
	name    string
	r       io.Reader
	descr   string // the type of the values: byte order, kind, bytes
	fortran bool   // the first axis runs fastest
	shape   []int
	gaps    bool // values may be missing, which are NaN
}

// readNPY reads a matrix from an array of one axis (a column) or two; gaps says that values may be NaN, which are missing.
func readNPY(r io.Reader, name string, gaps bool) (*Matrix, error) {
	a, err := newNPY(r, name)
	if err != nil {
		return nil, err
	}
	a.gaps = gaps
	var m *Matrix
	switch len(a.shape) {
	case 1:
		m = &Matrix{Rows: a.shape[0], Cols: 1}
	case 2:
		m = &Matrix{Rows: a.shape[0], Cols: a.shape[1]}
	default:
		return nil, a.errorf("has %d axes; reshape it to rows and columns", len(a.shape))
	}
	if m.Rows == 0 || m.Cols == 0 {
		return nil, a.errorf("is an empty array of %d×%d", m.Rows, m.Cols)
	}
	values, err := a.values()
	if err != nil {
		return nil, err
	}
	if a.fortran {
		m.Dense = values.joinTransposed(m.Rows, m.Cols)
	} else {
		m.Dense = values.join()
	}
	return m, nil
}

func (a *npyArray) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", a.name, fmt.Sprintf(format, args...))
}

// newNPY reads the header.
func newNPY(r io.Reader, name string) (*npyArray, error) {
	a := &npyArray{name: name, r: r}
	var fixed [10]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return nil, a.cut(err)
	}
	size := int(binary.LittleEndian.Uint16(fixed[8:]))
	switch version := fixed[6]; {
	case string(fixed[:6]) != npyMagic:
		return nil, a.errorf("does not start like .npy; save it with NumPy")
	case version == 2 || version == 3:
		var high [2]byte
		if _, err := io.ReadFull(r, high[:]); err != nil {
			return nil, a.cut(err)
		}
		size |= int(binary.LittleEndian.Uint16(high[:])) << 16
	case version != 1:
		return nil, a.errorf("is version %d of .npy; versions 1 to 3 are known", version)
	}
	if size > 1<<20 {
		return nil, a.errorf("claims a header of %d bytes; it is damaged, save it again", size)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, a.cut(err)
	}
	return a, a.parse(string(header))
}

// cut is the error of a read.
func (a *npyArray) cut(err error) error {
	if endOfFile(err) {
		return a.errorf("is cut short inside its header; save or copy it again")
	}
	return fmt.Errorf("%s: cannot be read further: %w", a.name, err)
}

func endOfFile(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// parse reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
func (a *npyArray) parse(header string) error {
	descr, ok := entryOf(header, "descr")
	if !ok {
		return a.errorf("has a header without a type; it is damaged, save it again")
	}
	switch {
	case strings.HasPrefix(descr, "["):
		return a.errorf("holds records of several fields; save one array of numbers")
	case strings.Contains(firstItem(descr), "O"):
		return a.errorf("holds Python objects; save it with .astype(float)")
	}
	a.descr = strings.Trim(firstItem(descr), `'" `)
	order, ok := entryOf(header, "fortran_order")
	a.fortran = strings.HasPrefix(order, "True")
	if !ok || !a.fortran && !strings.HasPrefix(order, "False") {
		return a.errorf("has a header without an order of axes; it is damaged, save it again")
	}
	shape, ok := entryOf(header, "shape")
	end := strings.IndexByte(shape, ')')
	if !ok || end < 0 || shape[0] != '(' {
		return a.errorf("has a header without a shape; it is damaged, save it again")
	}
	total := 1
	for _, s := range strings.Split(shape[1:end], ",") {
		if s = strings.TrimSuffix(strings.TrimSpace(s), "L"); s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 0 && total > math.MaxInt/16/n {
			return a.errorf("claims the shape %q, which no memory holds; it is damaged, save it again", text.Clip([]byte(shape[:end+1])))
		}
		total *= max(n, 1)
		a.shape = append(a.shape, n)
	}
	return nil
}

// entryOf is what follows a key in a dictionary.
func entryOf(header, key string) (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if _, after, ok := strings.Cut(header, quote+key+quote); ok {
			if after, ok = strings.CutPrefix(strings.TrimSpace(after), ":"); ok {
				return strings.TrimSpace(after), true
			}
		}
	}
	return "", false
}

// firstItem is a text up to the comma or brace behind it.
func firstItem(s string) string {
	if i := strings.IndexAny(s, ",}"); i >= 0 {
		return s[:i]
	}
	return s
}

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
