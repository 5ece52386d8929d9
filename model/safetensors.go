package model

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc64"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
)

// A tensor is a named array of the file: float64 ("F64"), int64 ("I64") or bytes ("U8").
type tensor struct {
	name  string
	shape []int
	f64   []float64
	u8    []byte
	i64   []int64
}

type tensorHeader struct {
	Dtype   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

var crcTable = crc64.MakeTable(crc64.ECMA)

func (t *tensor) bytes() []byte {
	switch {
	case t.u8 != nil:
		return t.u8
	case t.i64 != nil:
		b := make([]byte, 8*len(t.i64))
		for i, x := range t.i64 {
			binary.LittleEndian.PutUint64(b[8*i:], uint64(x))
		}
		return b
	}
	b := make([]byte, 8*len(t.f64))
	for i, x := range t.f64 {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
	}
	return b
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
// metadata gains a checksum of the tensors.
func encode(w io.Writer, meta map[string]string, tensors []tensor) error {
	header := map[string]any{}
	sum := crc64.New(crcTable)
	var at int64
	var data [][]byte
	for i := range tensors {
		b := tensors[i].bytes()
		header[tensors[i].name] = tensorHeader{tensors[i].dtype(), tensors[i].shape, [2]int64{at, at + int64(len(b))}}
		at += int64(len(b))
		sum.Write(b)
		data = append(data, b)
	}
	meta["checksum"] = strconv.FormatUint(sum.Sum64(), 16)
	header["__metadata__"] = meta
	head, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(head))); err != nil {
		return err
	}
	for _, b := range append([][]byte{head}, data...) {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

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
	if len(b) < 8 {
		return nil, nil, fmt.Errorf("is no model: it has %d bytes; fit again and save with --model", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) || n < 2 || b[8] != '{' {
		return nil, nil, fmt.Errorf("is no model, or cut short: its header does not fit in the file")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &raw); err != nil {
		return nil, nil, fmt.Errorf("is no model: its header is not JSON (%v)", err)
	}
	meta := map[string]string{}
	if m, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(m, &meta); err != nil {
			return nil, nil, fmt.Errorf("has unreadable metadata: %v", err)
		}
	}
	delete(raw, "__metadata__")
	data := b[8+n:]
	tensors := map[string]tensor{}
	var total int64
	for name, text := range raw {
		t, size, err := decodeTensor(name, text, data)
		if err != nil {
			return nil, nil, err
		}
		tensors[name] = t
		total += size
	}
	if total != int64(len(data)) {
		return nil, nil, fmt.Errorf("is cut short or damaged: %d bytes of tensors where the header says %d", len(data), total)
	}
	if want := meta["checksum"]; want != strconv.FormatUint(crc64.Checksum(data, crcTable), 16) {
		return nil, nil, fmt.Errorf("is damaged: the checksum of its tensors does not match")
	}
	return meta, tensors, nil
}

func decodeTensor(name string, text []byte, data []byte) (tensor, int64, error) {
	var h tensorHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return tensor{}, 0, fmt.Errorf("is damaged: tensor %q: %v", name, err)
	}
	width := map[string]int64{"F64": 8, "I64": 8, "U8": 1}[h.Dtype]
	lo, hi := h.Offsets[0], h.Offsets[1]
	if width == 0 || lo < 0 || hi < lo || hi > int64(len(data)) {
		return tensor{}, 0, fmt.Errorf("is cut short or damaged: tensor %q (%s) lies outside the file", name, h.Dtype)
	}
	size := width
	for _, d := range h.Shape {
		if d < 0 || d > 0 && size > int64(len(data))/int64(d) {
			return tensor{}, 0, fmt.Errorf("is damaged: tensor %q has an impossible shape", name)
		}
		size *= int64(d)
	}
	if size != hi-lo {
		return tensor{}, 0, fmt.Errorf("is damaged: tensor %q has %d bytes for shape %v", name, hi-lo, h.Shape)
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
			if math.IsNaN(t.f64[i]) || math.IsInf(t.f64[i], 0) {
				return tensor{}, 0, fmt.Errorf("is damaged: tensor %q holds %v", name, t.f64[i])
			}
		}
	}
	return t, hi - lo, nil
}
