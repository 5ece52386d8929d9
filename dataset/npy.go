package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
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
	gaps    bool  // values may be missing, which are NaN
	size    int64 // bytes that the whole file has, 0 where only reading tells
	head    int   // bytes of its header
}

// readNPY reads a matrix from an array of one axis (a column) or two, of a file of size bytes, 0 where that is unknown. gaps
// says that values may be NaN, which are missing.
func readNPY(r io.Reader, name string, size int64, gaps bool) (*Matrix, error) {
	a, err := newNPY(r, name)
	if err != nil {
		return nil, err
	}
	a.gaps, a.size = gaps, size
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
	if a.fortran && m.Rows > 1 && m.Cols > 1 {
		m.Dense, err = a.transposed(m.Rows, m.Cols)
	} else {
		m.Dense, err = numbersOf[float64](a)
	}
	return m, err
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
	a.head = len(fixed) + size
	if fixed[6] != 1 {
		a.head += 2
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

// stored is the number of values that the shape claims; known says that the file has as many bytes, and no more.
func (a *npyArray) stored(t valueType) (want int, known bool) {
	want = 1
	for _, n := range a.shape {
		want *= n
	}
	return want, a.size > 0 && a.size == int64(a.head)+int64(want)*int64(t.size)
}

// numbersOf reads as many values as the shape says, and nothing must follow. Where the file is known to hold them, they are read
// into their place at once: what a header merely claims takes no memory. Integers beyond 2⁵³ are rounded to the nearest float64.
func numbersOf[T float64 | float32 | int32](a *npyArray) ([]T, error) {
	t, err := a.valueType()
	if err != nil {
		return nil, err
	}
	want, known := a.stored(t)
	if known {
		all := memory.Make[T](want)
		if err := fill(a, t, all, 0); err != nil {
			return nil, err
		}
		return all, a.ends(want) // a zip file is checked there
	}
	p := &chunkList[T]{}
	for p.n < want {
		block := make([]T, min(want-p.n, chunkSize))
		if err := fill(a, t, block, p.n); err != nil {
			return nil, err
		}
		p.append(block)
	}
	return p.join(), a.ends(want)
}

// ends refuses an array that goes on behind its values.
func (a *npyArray) ends(want int) error {
	var next [1]byte
	switch n, err := io.ReadFull(a.r, next[:]); {
	case n > 0:
		return a.errorf("goes on behind the %d values of its shape; save one array in a file", want)
	case err != io.EOF:
		return a.cut(err)
	}
	return nil
}

// transposed reads an array whose first axis runs fastest by rows: a group of columns at a time, so that what is written lies
// together.
func (a *npyArray) transposed(rows, cols int) ([]float64, error) {
	t, err := a.valueType()
	if err != nil {
		return nil, err
	}
	if _, known := a.stored(t); !known { // what the header claims is not taken for granted
		values, err := numbersOf[float64](a)
		if err != nil {
			return nil, err
		}
		return transpose(values, rows, cols), nil
	}
	const group = 8
	all, block := memory.Make[float64](rows*cols), make([]float64, group*rows)
	for lo := 0; lo < cols; lo += group {
		k := min(group, cols-lo)
		if err := fill(a, t, block[:k*rows], lo*rows); err != nil {
			return nil, err
		}
		for i := range rows {
			for j := range k {
				all[i*cols+lo+j] = block[j*rows+i]
			}
		}
	}
	return all, a.ends(rows * cols)
}

// fill reads the next values of an array, those from number at on, into dst.
func fill[T float64 | float32 | int32](a *npyArray, t valueType, dst []T, at int) error {
	if len(dst) == 0 {
		return nil
	}
	if raw := t.raw(dst); raw != nil {
		if n, err := io.ReadFull(a.r, raw); err != nil {
			return a.short(err, at+n/t.size)
		}
		return a.finite(dst, at)
	}
	read := t.reader()
	_, whole := any(dst).([]int32)
	buf := make([]byte, min(len(dst), 1<<13)*t.size)
	for lo := 0; lo < len(dst); {
		b := buf[:min(len(dst)-lo, 1<<13)*t.size]
		if n, err := io.ReadFull(a.r, b); err != nil {
			return a.short(err, at+lo+n/t.size)
		}
		for e := range len(b) / t.size {
			x := read(b[e*t.size:])
			if dst[lo+e] = T(x); whole && float64(dst[lo+e]) != x {
				return a.notFinite(at+lo+e, x)
			}
		}
		lo += len(b) / t.size
	}
	return a.finite(dst, at)
}

// finite refuses what is not, unless values may be missing.
func (a *npyArray) finite(values any, at int) error {
	switch values := values.(type) {
	case []float64:
		return finiteIn(a, values, at)
	case []float32:
		return finiteIn(a, values, at)
	}
	return nil
}

func finiteIn[T float64 | float32](a *npyArray, values []T, at int) error {
	if s := kernel.SumSq(values); s-s == 0 { // a fast pass
		return nil
	}
	for e, x := range values {
		if x-x != 0 && !(a.gaps && x != x) {
			return a.notFinite(at+e, float64(x))
		}
	}
	return nil
}

// short is the error of a file that ends after so many values.
func (a *npyArray) short(err error, have int) error {
	if !endOfFile(err) {
		return a.cut(err)
	}
	want := 1
	for _, n := range a.shape {
		want *= n
	}
	return a.errorf("is cut short: it holds %d of its %d values; save or copy it again", have, want)
}

// raw is the memory of dst where values are stored as this processor keeps them, else nil.
func (t valueType) raw(dst any) []byte {
	native := t.size == 1 || t.big == (binary.NativeEndian.Uint16([]byte{0, 1}) == 1)
	switch dst := dst.(type) {
	case []float64:
		if native && t.kind == 'f' && t.size == 8 {
			return memory.Bytes(dst)
		}
	case []float32:
		if native && t.kind == 'f' && t.size == 4 {
			return memory.Bytes(dst)
		}
	case []int32:
		if native && t.kind == 'i' && t.size == 4 {
			return memory.Bytes(dst)
		}
	}
	return nil
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
	if text.Finite(v) {
		return a.errorf("row %d, column %d is %v; whole numbers from 0 to 2³¹-1 are expected", row+1, col+1, v)
	}
	err := a.errorf("row %d, column %d is %v; the numbers must be finite, fill it in or leave the row out", row+1, col+1, v)
	if v != v {
		return missing{err}
	}
	return err
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
