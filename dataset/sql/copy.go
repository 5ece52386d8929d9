package sql

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/seed-b18ef778/gcg/dataset"
)

// chunkBytes is how much of a COPY is handed over at once: messages are rows, of some thirty bytes, and a goroutine that is woken
// for each takes longer than to read it.
const chunkBytes = 1 << 16

// A chunkPipe is a pipe of large pieces.
type chunkPipe struct {
	chunks chan []byte
	gone   chan struct{} // closed when nobody reads
	once   sync.Once
	out    []byte // being written
	in     []byte // being read
}

func (p *chunkPipe) Write(b []byte) (int, error) {
	if p.out = append(p.out, b...); len(p.out) >= chunkBytes {
		p.flush()
	}
	return len(b), nil
}

func (p *chunkPipe) flush() {
	if len(p.out) == 0 {
		return
	}
	select {
	case p.chunks <- p.out:
	case <-p.gone:
	}
	p.out = make([]byte, 0, chunkBytes+chunkBytes/4)
}

func (p *chunkPipe) Read(b []byte) (int, error) {
	for len(p.in) == 0 {
		chunk, ok := <-p.chunks
		if !ok {
			return 0, io.EOF
		}
		p.in = chunk
	}
	n := copy(b, p.in)
	p.in = p.in[n:]
	return n, nil
}

// copyHead begins every binary COPY; flags and the length of an extension, 0, follow. See the manual of PostgreSQL, COPY.
const copyHead = "PGCOPY\n\xff\r\n\x00"

// next is the next row: for each of its fields four bytes of its length, -1 of none, and its bytes. It is valid until the next
// call; at the end the error is io.EOF.
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

func (r *copyReader) read(fields int) ([]byte, error) {
	if !r.begun {
		head := make([]byte, len(copyHead)+8)
		if _, err := io.ReadFull(r.in, head); err != nil || string(head[:len(copyHead)]) != copyHead {
			return nil, io.ErrUnexpectedEOF
		}
		r.begun = true
	}
	var two [2]byte
	if _, err := io.ReadFull(r.in, two[:]); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	switch n := int16(binary.BigEndian.Uint16(two[:])); {
	case n == -1:
		return nil, io.EOF
	case int(n) != fields:
		return nil, fmt.Errorf("a row has %d fields where %d are due", n, fields)
	}
	r.row = r.row[:0]
	for range fields {
		at := len(r.row)
		r.row = append(r.row, 0, 0, 0, 0)
		if _, err := io.ReadFull(r.in, r.row[at:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		n := int32(binary.BigEndian.Uint32(r.row[at:]))
		if n <= 0 {
			continue
		}
		at = len(r.row)
		r.row = append(r.row, make([]byte, n)...)
		if _, err := io.ReadFull(r.in, r.row[at:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return r.row, nil
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

var kinds = map[uint32]kind{
	pgtype.Int2OID: wholeKind, pgtype.Int4OID: wholeKind, pgtype.Int8OID: wholeKind, pgtype.BoolOID: boolKind,
	pgtype.Float4OID: floatKind, pgtype.Float8OID: floatKind, pgtype.NumericOID: numberKind, pgtype.TextOID: textKind,
	pgtype.VarcharOID: textKind, pgtype.BPCharOID: textKind, pgtype.NameOID: textKind, pgtype.UnknownOID: textKind,
	pgtype.UUIDOID: uuidKind, pgtype.DateOID: dayKind, pgtype.TimestampOID: timeKind, pgtype.TimestamptzOID: timeKind}

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

// numeric is the float64 nearest a number of base 10000: digits, weight of the first, sign, scale, and the digits.
func numeric(b []byte) (float64, error) {
	var n pgtype.Numeric
	if err := (pgtype.NumericCodec{}).PlanScan(nil, pgtype.NumericOID, pgtype.BinaryFormatCode, &n).Scan(b, &n); err != nil {
		return 0, err
	}
	text, err := n.MarshalJSON()
	if err != nil {
		return 0, err
	}
	if n.NaN || n.InfinityModifier != pgtype.Finite {
		return math.NaN(), nil
	}
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
