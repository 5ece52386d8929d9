package sql

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/seed-b18ef778/gcg/dataset"
)

// chunkBytes is how much of a COPY is handed over at once: messages are rows, of some thirty bytes, and a goroutine that is woken
// for each takes longer than to read it.
const chunkBytes = 1 << 16

// copyHead begins every binary COPY; flags and the length of an extension, 0, follow. See the manual of PostgreSQL, COPY.
const copyHead = "PGCOPY\n\xff\r\n\x00"

// A copyReader takes the rows of a COPY that runs beside.
type copyReader struct {
	chunks chan []byte
	gone   chan struct{} // closed when nobody reads
	once   sync.Once
	out    []byte // being gathered by the COPY

	in     []byte // being read
	begun  bool
	ended  chan error
	failed error
}

func newCopyReader(copyTo func(io.Writer) error) *copyReader {
	r := &copyReader{chunks: make(chan []byte, 4), gone: make(chan struct{}), ended: make(chan error, 1)}
	go func() {
		err := copyTo(r)
		r.flush()
		r.ended <- err
		close(r.chunks)
	}()
	return r
}

// Write is for the COPY.
func (r *copyReader) Write(b []byte) (int, error) {
	if r.out = append(r.out, b...); len(r.out) >= chunkBytes {
		r.flush()
	}
	return len(b), nil
}

func (r *copyReader) flush() {
	if len(r.out) == 0 {
		return
	}
	select {
	case r.chunks <- r.out:
	case <-r.gone:
	}
	r.out = make([]byte, 0, chunkBytes+chunkBytes/4)
}

// stop lets the COPY go on into nothing, and waits until it has ended.
func (r *copyReader) stop() {
	r.once.Do(func() { close(r.gone) })
	for range r.chunks { // until it is closed
	}
}

// next is the next row: for each of its fields four bytes of its length, -1 of none, and its bytes. It stays valid. At the end
// the error is io.EOF.
func (r *copyReader) next(fields int) (row []byte, err error) {
	if r.failed != nil {
		return nil, r.failed
	}
	if row, err = r.read(fields); err != nil {
		if by := <-r.ended; by != nil { // what the server, or the line, says is why
			err = by
		} else if err != io.EOF {
			err = errors.New("the answer of the server is cut short")
		}
		r.ended <- nil
		r.failed = err
	}
	return row, err
}

// have says that so many bytes are at hand, which it waits for.
func (r *copyReader) have(n int) bool {
	for len(r.in) < n {
		chunk, ok := <-r.chunks
		if !ok {
			return false
		}
		if len(r.in) > 0 { // a row goes on in the next chunk, which others may still read from this one
			chunk = slices.Concat(r.in, chunk)
		}
		r.in = chunk
	}
	return true
}

func (r *copyReader) read(fields int) ([]byte, error) {
	if !r.begun {
		if !r.have(len(copyHead)+8) || string(r.in[:len(copyHead)]) != copyHead {
			return nil, io.ErrUnexpectedEOF
		}
		r.in, r.begun = r.in[len(copyHead)+8:], true
	}
	if !r.have(2) {
		return nil, io.ErrUnexpectedEOF
	}
	switch n := int16(binary.BigEndian.Uint16(r.in)); {
	case n == -1:
		return nil, io.EOF
	case int(n) != fields:
		return nil, fmt.Errorf("a row has %d fields where %d are due", n, fields)
	}
	end := 2
	for range fields {
		if !r.have(end + 4) {
			return nil, io.ErrUnexpectedEOF
		}
		end += 4 + max(0, int(int32(binary.BigEndian.Uint32(r.in[end:]))))
	}
	if !r.have(end) {
		return nil, io.ErrUnexpectedEOF
	}
	row := r.in[2:end]
	r.in = r.in[end:]
	return row, nil
}

// A kind is what a type of PostgreSQL is read as.
type kind int

const (
	wholeKind  kind = iota // int2, int4, int8
	boolKind               // 0 and 1
	floatKind              // float4, float8
	numberKind             // numeric
	textKind               // text, varchar, char, name
	uuidKind
	dayKind  // date
	timeKind // timestamp, with a zone or without
)

// Numbers of types, see pg_type.dat of PostgreSQL.
const (
	boolOID, nameOID, int8OID, int2OID, int4OID, textOID       = 16, 19, 20, 21, 23, 25
	float4OID, float8OID, unknownOID, bpcharOID, varcharOID    = 700, 701, 705, 1042, 1043
	float4ArrayOID, float8ArrayOID, numericArrayOID            = 1021, 1022, 1231
	dateOID, timestampOID, timestamptzOID, numericOID, uuidOID = 1082, 1114, 1184, 1700, 2950
)

var (
	textTypes  = []uint32{textOID, varcharOID, bpcharOID}
	wholeTypes = []uint32{int2OID, int4OID, int8OID}
	floatTypes = []uint32{float4OID, float8OID, numericOID}
	arrayTypes = []uint32{float4ArrayOID, float8ArrayOID, numericArrayOID}
)

var kinds = map[uint32]kind{int2OID: wholeKind, int4OID: wholeKind, int8OID: wholeKind, boolOID: boolKind, float4OID: floatKind,
	float8OID: floatKind, numericOID: numberKind, textOID: textKind, varcharOID: textKind, bpcharOID: textKind, nameOID: textKind,
	unknownOID: textKind, uuidOID: uuidKind, dateOID: dayKind, timestampOID: timeKind, timestamptzOID: timeKind}

// A decoder gathers a column.
type decoder struct {
	kind  kind
	to    dataset.Column
	some  bool   // of it are null
	nulls []bool // of all rows
	arena []byte // texts end to end
	ends  []int
}

// decodeRow hands the fields of a row to the decoders that are not nil.
func decodeRow(row []byte, to []*decoder) error {
	for _, d := range to {
		n := int32(binary.BigEndian.Uint32(row))
		field := row[4 : 4+max(n, 0)]
		row = row[4+max(n, 0):]
		if d != nil {
			if err := d.add(field, n < 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// Seconds from 1970 to 2000, where PostgreSQL counts from, and of a day; a time is in microseconds.
const (
	from2000   = 946684800
	daySeconds = 86400
	micro      = 1_000_000
)

func (d *decoder) add(b []byte, null bool) (err error) {
	d.nulls, d.some = append(d.nulls, null), d.some || null
	var whole int64
	switch len(b) {
	case 1:
		whole = int64(b[0])
	case 2:
		whole = int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		whole = int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		whole = int64(binary.BigEndian.Uint64(b))
	}
	switch d.kind {
	case wholeKind, boolKind:
		d.to.Ints = append(d.to.Ints, whole)
	case dayKind:
		d.to.Ints = append(d.to.Ints, whole*daySeconds+from2000)
	case timeKind:
		d.to.Ints = append(d.to.Ints, int64(math.Floor(float64(whole)/micro))+from2000)
	case floatKind:
		x := math.Float64frombits(uint64(whole))
		if len(b) == 4 {
			x = float64(math.Float32frombits(uint32(whole)))
		}
		d.to.Floats = append(d.to.Floats, x)
	case numberKind:
		x := 0.0
		if !null {
			x, err = numeric(b)
		}
		d.to.Floats = append(d.to.Floats, x)
	case uuidKind:
		if len(b) == 16 {
			d.arena = fmt.Appendf(d.arena, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		}
		d.ends = append(d.ends, len(d.arena))
	default:
		d.arena = append(d.arena, b...)
		d.ends = append(d.ends, len(d.arena))
	}
	return err
}

// numeric is the float64 nearest a number of base 10000: digits, weight of the first, sign, scale, and the digits. See numeric.c
// of PostgreSQL.
func numeric(b []byte) (float64, error) {
	const head, negative, special = 8, 0x4000, 0xc000
	if len(b) < head {
		return 0, errors.New("a numeric value is cut short")
	}
	digits, weight := int(binary.BigEndian.Uint16(b)), int(int16(binary.BigEndian.Uint16(b[2:])))
	sign := binary.BigEndian.Uint16(b[4:])
	switch {
	case sign&special == special: // NaN and infinities
		return math.NaN(), nil
	case len(b) != head+2*digits:
		return 0, errors.New("a numeric value is cut short")
	}
	text := []byte{'0'}
	if sign == negative {
		text = []byte("-0")
	}
	for k := range digits {
		text = fmt.Appendf(text, "%04d", binary.BigEndian.Uint16(b[head+2*k:]))
	}
	text = strconv.AppendInt(append(text, 'e'), int64(4*(weight-digits+1)), 10)
	return strconv.ParseFloat(string(text), 64)
}

// column is what was gathered.
func (d *decoder) column() dataset.Column {
	if d.ends != nil {
		lo := 0
		for _, hi := range d.ends {
			d.to.Texts = append(d.to.Texts, d.arena[lo:hi])
			lo = hi
		}
	}
	if d.some {
		d.to.Nulls = d.nulls
	}
	return d.to
}
