package model

import (
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

// decode reads what encode wrote. Every length is checked against the size of the file before anything is allocated.
func decode(name string) (map[string]string, map[string]tensor, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		if p, ok := err.(*os.PathError); ok {
			err = p.Err
		}
		return nil, nil, fmt.Errorf("%s: cannot be read: %w", name, err)
	}
	meta, tensors, err := decodeBytes(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return meta, tensors, nil
}

func decodeBytes(b []byte) (map[string]string, map[string]tensor, error) {
	c, err := parse(b)
	if err != nil {
		return nil, nil, err
	}
	sum := newChecksum(c.meta, c.headers)
	sum.Write(c.data)
	if c.meta["checksum"] != digits(sum) {
		return nil, nil, fmt.Errorf("is damaged: its checksum does not match")
	}
	return c.meta, c.tensors, nil
}

// contents are what a file holds, its checksum not yet compared.
type contents struct {
	meta    map[string]string
	headers map[string]tensorHeader
	tensors map[string]tensor
	data    []byte
}

func parse(b []byte) (*contents, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("is no model or checkpoint: it has %d bytes; fit again, and save the model", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) || n < 2 || b[8] != '{' {
		return nil, fmt.Errorf("is no model or checkpoint, or cut short: its header does not fit in the file")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &raw); err != nil {
		return nil, fmt.Errorf("is no model or checkpoint: its header is not JSON (%v)", err)
	}
	c := &contents{meta: map[string]string{}, headers: map[string]tensorHeader{}, tensors: map[string]tensor{}, data: b[8+n:]}
	if m, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(m, &c.meta); err != nil {
			return nil, fmt.Errorf("has unreadable metadata: %v", err)
		}
	}
	if v, err := strconv.Atoi(c.meta["format_version"]); err == nil && v > FormatVersion { // nothing else may be understood
		return nil, fmt.Errorf("has format version %d; this gcg reads up to %d: use a newer gcg", v, FormatVersion)
	}
	delete(raw, "__metadata__")
	var total int64
	for name, text := range raw {
		var h tensorHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, fmt.Errorf("is damaged: tensor %q: %v", name, err)
		}
		t, err := decodeTensor(name, h, c.data)
		if err != nil {
			return nil, err
		}
		c.tensors[name], c.headers[name] = t, h
		total += h.Offsets[1] - h.Offsets[0]
	}
	if total != int64(len(c.data)) {
		return nil, fmt.Errorf("is cut short or damaged: %d bytes of tensors where the header says %d", len(c.data), total)
	}
	return c, nil
}

func decodeTensor(name string, h tensorHeader, data []byte) (tensor, error) {
	width := map[string]int64{"F64": 8, "I64": 8, "U8": 1}[h.Dtype]
	lo, hi := h.Offsets[0], h.Offsets[1]
	if width == 0 || lo < 0 || hi < lo || hi > int64(len(data)) {
		return tensor{}, fmt.Errorf("is cut short or damaged: tensor %q (%s) lies outside the file", name, h.Dtype)
	}
	size := width
	if slices.Contains(h.Shape, 0) { // a model of rank 0 has sides and no numbers
		size = 0
	}
	for _, d := range h.Shape {
		if d < 0 || d > math.MaxInt32 || d > 0 && size > int64(len(data))/int64(d) {
			return tensor{}, fmt.Errorf("is damaged: tensor %q has an impossible shape", name)
		}
		size *= int64(d)
	}
	if size != hi-lo {
		return tensor{}, fmt.Errorf("is damaged: tensor %q has %d bytes for shape %v", name, hi-lo, h.Shape)
	}
	t := tensor{name: name, shape: slices.Clone(h.Shape)}
	b := data[lo:hi]
	switch h.Dtype {
	case "U8":
		t.u8 = b
	case "I64":
		t.i64 = make([]int64, len(b)/8)
		for i := range t.i64 {
			t.i64[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	default:
		t.f64 = make([]float64, len(b)/8)
		for i := range t.f64 {
			t.f64[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		if x, ok := notFinite(t.f64); ok {
			return tensor{}, fmt.Errorf("is damaged: tensor %q holds %v", name, x)
		}
	}
	return t, nil
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
