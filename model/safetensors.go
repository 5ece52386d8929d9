package model

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A tensor is a named array of the file: float64 ("F64"), int64 ("I64") or bytes ("U8").
type tensor struct {
	name  string
	shape []int
	f64   []float64
	u8    []byte
	i64   []int64
	from  func(do func(x []float64)) // in place of f64, hands them to do piece by piece, each time that it is called
}

type tensorHeader struct {
	Dtype   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// pieces hands the bytes to do piece by piece, up to its first error. A tensor that holds a number which decode refuses is one,
// too. The pieces are do's for a call.
func (t *tensor) pieces(do func(b []byte) error) (err error) {
	switch {
	case t.u8 != nil:
		return do(t.u8)
	case t.i64 != nil:
		return inPieces(t.i64, func(x int64) uint64 { return uint64(x) }, do)
	case t.from == nil:
		return t.finite(t.f64, do)
	}
	t.from(func(x []float64) {
		if err == nil {
			err = t.finite(x, do)
		}
	})
	return err
}

// finite hands the bytes of numbers to do.
func (t *tensor) finite(x []float64, do func(b []byte) error) error {
	if x, ok := notFinite(x); ok {
		return fmt.Errorf("model: tensor %q holds %v and is not saved", t.name, x)
	}
	return inPieces(x, math.Float64bits, do)
}

// inPieces hands the little-endian bytes of words to do.
func inPieces[T any](x []T, word func(T) uint64, do func(b []byte) error) error {
	const words = 1 << 13
	b := make([]byte, 8*min(len(x), words))
	for part := range slices.Chunk(x, words) {
		for i, v := range part {
			binary.LittleEndian.PutUint64(b[8*i:], word(v))
		}
		if err := do(b[:8*len(part)]); err != nil {
			return err
		}
	}
	return nil
}

// size is how many bytes there are.
func (t *tensor) size() int64 {
	switch {
	case t.u8 != nil:
		return int64(len(t.u8))
	case t.i64 != nil:
		return 8 * int64(len(t.i64))
	case t.from == nil:
		return 8 * int64(len(t.f64))
	}
	size := int64(8)
	for _, n := range t.shape {
		size *= int64(n)
	}
	return size
}

func (t *tensor) dtype() string {
	switch {
	case t.u8 != nil:
		return "U8"
	case t.i64 != nil:
		return "I64"
	}
	return "F64"
}

// encode writes the safetensors layout: the length of a JSON header, the header, and the tensors' little-endian bytes. The
// metadata gains a checksum of all of it. Numbers and texts that decode refuses are an error before anything is written.
func encode(w io.Writer, meta map[string]string, tensors []tensor) error {
	for key, text := range meta {
		if !utf8.ValidString(text) { // JSON would change it, and the checksum not match
			return fmt.Errorf("model: its %s %q is not UTF-8 and is not saved", key, text)
		}
	}
	headers := map[string]tensorHeader{}
	var at int64
	for i := range tensors {
		end := at + tensors[i].size()
		headers[tensors[i].name] = tensorHeader{tensors[i].dtype(), tensors[i].shape, [2]int64{at, end}}
		at = end
	}
	sum := newChecksum(meta, headers)
	toSum := func(b []byte) error { sum.Write(b); return nil }
	for i := range tensors {
		if err := tensors[i].pieces(toSum); err != nil {
			return err
		}
	}
	meta["checksum"] = digits(sum)
	all := map[string]any{"__metadata__": meta}
	for name, h := range headers {
		all[name] = h
	}
	head, err := json.Marshal(all)
	if err != nil {
		return err
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(head))); err != nil {
		return err
	}
	write := func(b []byte) error {
		_, err := w.Write(b)
		return err
	}
	if err := write(head); err != nil {
		return err
	}
	for i := range tensors {
		if err := tensors[i].pieces(write); err != nil {
			return err
		}
	}
	return nil
}

// newChecksum covers the meaning of the header, whatever its spelling, and the bytes that are written to it: a changed digit of a
// bound is as bad as one of a factor.
func newChecksum(meta map[string]string, headers map[string]tensorHeader) hash.Hash64 {
	sum := crc64.New(crcTable)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if key != "checksum" {
			fmt.Fprintf(sum, "%q=%q\n", key, meta[key])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		h := headers[name]
		fmt.Fprintf(sum, "%q=%q %v %v\n", name, h.Dtype, h.Shape, h.Offsets)
	}
	return sum
}

// digits are a checksum as files have it.
func digits(sum hash.Hash64) string { return strconv.FormatUint(sum.Sum64(), 16) }

// A chosen says which rows of a tensor of numbers are kept, of so many; nil keeps all. It knows what comes before it in the file.
type chosen func(name string, rows int, before *contents) (kept func(i int) bool)

// decode reads what encode wrote, piece by piece, and of its numbers the rows that which keeps; which may be nil. Every length is
// checked against the size of the file before anything is allocated.
func decode(name string, which chosen) (map[string]string, map[string]tensor, error) {
	meta, tensors, err := decodeFile(name, which)
	if p, ok := err.(*os.PathError); ok {
		err = fmt.Errorf("cannot be read: %w", p.Err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return meta, tensors, nil
}

func decodeFile(name string, which chosen) (map[string]string, map[string]tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
		return decodeFrom(f, st.Size(), which)
	}
	b, err := io.ReadAll(f) // a pipe does not know its size
	if err != nil {
		return nil, nil, err
	}
	return decodeFrom(bytes.NewReader(b), int64(len(b)), which)
}

func decodeFrom(r io.Reader, size int64, which chosen) (map[string]string, map[string]tensor, error) {
	c, err := parse(r, size, which)
	if err != nil {
		return nil, nil, err
	}
	if c.meta["checksum"] != digits(c.sum) {
		return nil, nil, fmt.Errorf("is damaged: its checksum does not match")
	}
	return c.meta, c.tensors, nil
}

// contents are what a file holds, its checksum not yet compared.
type contents struct {
	meta    map[string]string
	tensors map[string]tensor
	sum     hash.Hash64
}

func parse(r io.Reader, size int64, which chosen) (*contents, error) {
	c := &contents{meta: map[string]string{}, tensors: map[string]tensor{}}
	headers, room, err := c.header(r, size)
	if err != nil {
		return nil, err
	}
	c.sum = newChecksum(c.meta, headers)
	data, at := io.TeeReader(r, c.sum), int64(0)
	for _, name := range slices.SortedFunc(maps.Keys(headers), func(a, b string) int {
		x, y := headers[a].Offsets, headers[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	}) {
		h := headers[name]
		if err := h.check(name, at, room); err != nil {
			return nil, err
		}
		if c.tensors[name], err = c.read(name, h, data, which); err != nil {
			return nil, err
		}
		at = h.Offsets[1]
	}
	if at != room {
		return nil, fmt.Errorf("is cut short or damaged: %d bytes of tensors where the header says %d", room, at)
	}
	return c, nil
}

// header reads what comes before the tensors, and how many bytes are left for these.
func (c *contents) header(r io.Reader, size int64) (headers map[string]tensorHeader, room int64, err error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return nil, 0, fmt.Errorf("is no model or checkpoint: it has %d bytes; fit again, and save the model", size)
	}
	n := binary.LittleEndian.Uint64(start[:])
	var text []byte
	if n <= uint64(max(size-8, 0)) {
		text = make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, 0, err
		}
	}
	if len(text) < 2 || text[0] != '{' {
		return nil, 0, fmt.Errorf("is no model or checkpoint, or cut short: its header does not fit in the file")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, 0, fmt.Errorf("is no model or checkpoint: its header is not JSON (%v)", err)
	}
	if m, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(m, &c.meta); err != nil {
			return nil, 0, fmt.Errorf("has unreadable metadata: %v", err)
		}
	}
	if v, err := strconv.Atoi(c.meta["format_version"]); err == nil && v > FormatVersion { // nothing else may be understood
		return nil, 0, fmt.Errorf("has format version %d; this gcg reads up to %d: use a newer gcg", v, FormatVersion)
	}
	delete(raw, "__metadata__")
	headers = map[string]tensorHeader{}
	for name, text := range raw {
		var h tensorHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, 0, fmt.Errorf("is damaged: tensor %q: %v", name, err)
		}
		headers[name] = h
	}
	return headers, size - 8 - int64(n), nil
}

// check refuses a tensor that does not begin at this place of so many bytes, or does not fit in them.
func (h tensorHeader) check(name string, at, room int64) error {
	width, lo, hi := map[string]int64{"F64": 8, "I64": 8, "U8": 1}[h.Dtype], h.Offsets[0], h.Offsets[1]
	if width == 0 || lo != at || hi < lo || hi > room {
		return fmt.Errorf("is cut short or damaged: tensor %q (%s) lies outside the file, or not behind another", name,
			h.Dtype)
	}
	size := width
	if slices.Contains(h.Shape, 0) { // a model of rank 0 has sides and no numbers
		size = 0
	}
	for _, d := range h.Shape {
		if d < 0 || d > math.MaxInt32 || d > 0 && size > room/int64(d) {
			return fmt.Errorf("is damaged: tensor %q has an impossible shape", name)
		}
		size *= int64(d)
	}
	if size != hi-lo {
		return fmt.Errorf("is damaged: tensor %q has %d bytes for shape %v", name, hi-lo, h.Shape)
	}
	return nil
}

// rows is how many rows the file has of t, 0 of none.
func (t tensor) rows() int {
	if len(t.shape) == 0 {
		return 0
	}
	return t.shape[0]
}

// read reads a tensor that check lets pass.
func (c *contents) read(name string, h tensorHeader, r io.Reader, which chosen) (t tensor, err error) {
	t = tensor{name: name, shape: slices.Clone(h.Shape)}
	size := h.Offsets[1] - h.Offsets[0]
	switch h.Dtype {
	case "U8":
		t.u8 = make([]byte, size)
		_, err = io.ReadFull(r, t.u8)
	case "I64":
		t.i64 = make([]int64, 0, size/8)
		err = eachWord(r, size, func(x uint64) { t.i64 = append(t.i64, int64(x)) })
	default:
		var kept func(i int) bool
		if which != nil && len(t.shape) > 0 {
			kept = which(name, t.shape[0], c)
		}
		if kept == nil {
			t.f64 = make([]float64, 0, size/8)
			err = eachWord(r, size, func(x uint64) { t.f64 = append(t.f64, math.Float64frombits(x)) })
		} else {
			err = t.readRows(r, size, kept)
		}
	}
	if err != nil {
		return t, fmt.Errorf("cannot be read: %w", err)
	}
	if x, ok := notFinite(t.f64); ok {
		return t, fmt.Errorf("is damaged: tensor %q holds %v", name, x)
	}
	return t, nil
}

// readRows reads the rows that are kept; the shape is that of all.
func (t *tensor) readRows(r io.Reader, size int64, kept func(i int) bool) error {
	rows, each := 0, int(size/8)/max(t.shape[0], 1)
	for i := range t.shape[0] {
		if kept(i) {
			rows++
		}
	}
	t.f64 = make([]float64, 0, rows*each)
	at, here := 0, false
	return eachWord(r, size, func(x uint64) {
		if at%each == 0 {
			here = kept(at / each)
		}
		if at++; here {
			t.f64 = append(t.f64, math.Float64frombits(x))
		}
	})
}

// eachWord hands the words of so many bytes to do.
func eachWord(r io.Reader, size int64, do func(x uint64)) error {
	b := make([]byte, min(size, 1<<16))
	for left := size; left > 0; left -= int64(len(b)) {
		b = b[:min(left, int64(len(b)))]
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		for at := 0; at+8 <= len(b); at += 8 {
			do(binary.LittleEndian.Uint64(b[at:]))
		}
	}
	return nil
}

// notFinite is the first of x that is not, if there is one.
func notFinite(x []float64) (float64, bool) {
	for _, v := range x {
		if !finite(v) {
			return v, true
		}
	}
	return 0, false
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
