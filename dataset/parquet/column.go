package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
	"github.com/seed-b18ef778/gcg/dataset"
)

// A decoder makes plain values of the pages of a column: whole numbers, numbers, or texts.
type decoder struct {
	file   string
	column *parquet.Column
	schema []format.SchemaElement
	out    dataset.Column

	dict    parquet.Dictionary // whose texts out has, with codes
	missing int                // how many rows have no value
	rows    int                // how many the row group has
}

// logical is what the values of a column mean, nil where they are plain.
func (d *decoder) logical() any {
	if t := d.column.Type().LogicalType(); t != nil && t.Value != nil {
		return t.Value
	}
	for _, e := range d.schema { // the library passes over numbers of half precision
		if half, ok := e.LogicalType.Value.(*format.Float16Type); ok && e.Name == d.column.Name() {
			return half
		}
	}
	return nil
}

// read reads the column of a row group.
func (d *decoder) read(rows parquet.RowGroup) (dataset.Column, error) {
	d.rows = int(rows.NumRows())
	pages := rows.ColumnChunks()[d.column.Index()].Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = d.page(page)
			parquet.Release(page)
		}
		if err != nil {
			return d.out, err
		}
	}
	if n := d.out.Len(); n != d.rows {
		return d.out, fmt.Errorf("has %d values for %d rows; the file is damaged", n, d.rows)
	}
	if d.missing == 0 {
		d.out.Nulls = nil
	}
	return d.out, nil
}

// page appends the values of a page.
func (d *decoder) page(page parquet.Page) error {
	n := int(page.NumValues())
	levels := page.DefinitionLevels()
	present := n - int(page.NumNulls())
	if len(levels) == 0 {
		present = n
	}
	before := d.out.Len()
	if err := d.values(page, present); err != nil {
		return err
	}
	d.out.Ints, d.out.Floats, d.out.Codes = roomFor(d.out.Ints, d.rows), roomFor(d.out.Floats, d.rows), roomFor(d.out.Codes, d.rows)
	return d.spread(levels, n, before)
}

// roomFor has room for n values, where there are some: the rows of a group are known, and those of a page are some of them. A
// damaged file may say any number of rows.
func roomFor[T any](values []T, n int) []T {
	if n = min(n, mostAhead); values == nil || n <= cap(values) {
		return values
	}
	return slices.Grow(values, n-len(values))
}

// extended is the end of a list that n values are added to.
func extended[T any](values *[]T, n int) []T {
	before := len(*values)
	*values = slices.Grow(*values, max(n, 1))[:before+n] // never nil
	return (*values)[before:]
}

// mostAhead is how many values of a column room is made for before they are there.
const mostAhead = 1 << 22

// values appends the values that are there.
func (d *decoder) values(page parquet.Page, n int) error {
	data, dict := page.Data(), page.Dictionary()
	if dict == nil {
		return d.plain(data, n)
	}
	codes := data.Int32()[:n]
	kept := decoder{file: d.file, column: d.column, schema: d.schema}
	words := dict.Page()
	if err := kept.plain(words.Data(), int(words.NumValues())); err != nil {
		return err
	}
	switch of := kept.out; {
	case of.Ints != nil:
		to := extended(&d.out.Ints, n)
		for k, c := range codes {
			to[k] = of.Ints[c]
		}
		d.widen()
	case of.Floats != nil:
		d.floats()
		to := extended(&d.out.Floats, n)
		for k, c := range codes {
			to[k] = of.Floats[c]
		}
	case d.out.Len() == 0 || d.dict == dict:
		if d.dict == nil {
			d.dict, d.out.Texts = dict, of.Texts
		}
		d.out.Codes = append(d.out.Codes, codes...)
		if d.out.Codes == nil {
			d.out.Codes = []int32{}
		}
	default:
		d.unpack()
		for _, c := range codes {
			d.out.Texts = append(d.out.Texts, of.Texts[c])
		}
	}
	return nil
}

// unpack gives each row its own text.
func (d *decoder) unpack() {
	if d.out.Codes == nil {
		return
	}
	list := make([][]byte, len(d.out.Codes))
	for k, c := range d.out.Codes {
		if int(c) < len(d.out.Texts) {
			list[k] = d.out.Texts[c]
		}
	}
	d.out.Texts, d.out.Codes, d.dict = list, nil, nil
}

// floats are the numbers so far; whole ones that came before are among them.
func (d *decoder) floats() []float64 {
	for _, v := range d.out.Ints {
		d.out.Floats = append(d.out.Floats, float64(v))
	}
	d.out.Ints = nil
	return d.out.Floats
}

// widen keeps whole numbers beside numbers that are not.
func (d *decoder) widen() {
	if d.out.Floats != nil && d.out.Ints != nil {
		d.out.Floats = d.floats()
	}
}

// spread moves the last values to the rows that have some, and marks the others as missing.
func (d *decoder) spread(levels []byte, n, before int) error {
	present := d.out.Len() - before
	if len(levels) == 0 || present == n {
		if d.out.Nulls != nil {
			d.out.Nulls = append(d.out.Nulls, make([]bool, n)...)
		}
		return nil
	}
	if len(d.out.Nulls) < before {
		d.out.Nulls = append(d.out.Nulls, make([]bool, before-len(d.out.Nulls))...)
	}
	most := byte(d.column.MaxDefinitionLevel())
	null := make([]bool, n)
	count := 0
	for k, level := range levels[:n] {
		if null[k] = level < most; !null[k] {
			count++
		}
	}
	if count != present {
		return fmt.Errorf("has %d values where %d are said to be; the file is damaged", present, count)
	}
	d.missing += n - present
	d.out.Nulls = append(d.out.Nulls, null...)
	d.out.Ints = spaced(d.out.Ints, before, null)
	d.out.Floats = spaced(d.out.Floats, before, null)
	if d.out.Codes != nil {
		d.out.Codes = spaced(d.out.Codes, before, null)
	} else {
		d.out.Texts = spaced(d.out.Texts, before, null)
	}
	if d.out.Len() == 0 { // all are missing
		d.out.Floats = make([]float64, n)
	}
	return nil
}

// spaced moves the values behind the first ones apart, to where null is false.
func spaced[T any](values []T, before int, null []bool) []T {
	if values == nil {
		return nil
	}
	from := len(values) - 1
	values = append(values, make([]T, before+len(null)-len(values))...)
	var zero T
	for k := len(null) - 1; k >= 0; k-- {
		if null[k] {
			values[before+k] = zero
			continue
		}
		values[before+k] = values[from]
		from--
	}
	return values
}

// plain appends n values that are stored one by one.
func (d *decoder) plain(v encoding.Values, n int) error {
	switch kind := d.column.Type().Kind(); kind {
	case parquet.Boolean:
		for k, bits := 0, v.Boolean(); k < n; k++ {
			d.out.Ints = append(d.out.Ints, int64(bits[k/8]>>(k%8)&1))
		}
	case parquet.Int32:
		mask := int64(-1)
		if _, unsigned := d.unsigned(); unsigned {
			mask = math.MaxUint32
		}
		whole(d, v.Int32()[:n], mask)
	case parquet.Int64:
		if _, unsigned := d.unsigned(); unsigned {
			for _, x := range v.Int64()[:n] {
				if x < 0 {
					return fmt.Errorf("has %d, which is beyond 2⁶³; write it as text", uint64(x))
				}
			}
		}
		whole(d, v.Int64()[:n], -1)
	case parquet.Int96: // nanoseconds of a day, and the Julian day
		for _, x := range v.Int96()[:n] {
			day, nanos := int64(x[2]), int64(uint64(x[1])<<32|uint64(x[0]))
			d.time((day-2440588)*86400, nanos, 1e9)
		}
	case parquet.Float:
		d.floats()
		to := extended(&d.out.Floats, n)
		for k, x := range v.Float()[:n] {
			to[k] = float64(x)
		}
	case parquet.Double:
		d.out.Floats = append(d.floats(), v.Double()[:n]...)
	case parquet.ByteArray:
		data, offsets := v.ByteArray()
		return d.texts(texts(data, offsets[:n+1]))
	case parquet.FixedLenByteArray:
		data, size := v.FixedLenByteArray()
		offsets := make([]uint32, n+1)
		for k := range offsets {
			offsets[k] = uint32(k * size)
		}
		return d.texts(texts(data, offsets))
	default:
		return fmt.Errorf("has values of type %s, which are no numbers or texts", kind)
	}
	return nil
}

// unsigned says whether whole numbers have no sign.
func (d *decoder) unsigned() (bits int8, is bool) {
	t, ok := d.logical().(*format.IntType)
	if !ok {
		return 0, false
	}
	return t.BitWidth, !t.IsSigned
}

// whole appends numbers as what they mean: decimals, days, moments, or themselves, of which the mask has the bits that count.
func whole[T int32 | int64](d *decoder, values []T, mask int64) {
	switch t := d.logical().(type) {
	case *format.DecimalType:
		scale := math.Pow10(int(t.Scale))
		for _, x := range values {
			d.out.Floats = append(d.floats(), float64(x)/scale)
		}
		return
	case *format.DateType:
		for _, x := range values {
			d.out.Ints = append(d.out.Ints, int64(x)*86400)
		}
		d.widen()
		return
	case *format.TimestampType:
		per := int64(1e9)
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			per = 1e3
		case *format.MicroSeconds:
			per = 1e6
		}
		for _, x := range values {
			d.time(0, int64(x), per)
		}
		return
	}
	to := extended(&d.out.Ints, len(values))
	for k, x := range values {
		to[k] = int64(x) & mask
	}
	d.widen()
}

// time appends a moment: seconds, and units of which so many are a second. It is a whole number of seconds as long as all are.
func (d *decoder) time(seconds, units, per int64) {
	more, rest := units/per, units%per
	if rest < 0 {
		more, rest = more-1, rest+per
	}
	seconds += more
	if rest == 0 && d.out.Floats == nil {
		d.out.Ints = append(d.out.Ints, seconds)
		return
	}
	d.out.Floats = append(d.floats(), float64(seconds)+float64(rest)/float64(per))
}

// texts appends texts, or the decimals and other values that they stand for.
func (d *decoder) texts(list [][]byte) error {
	switch t := d.logical().(type) {
	case *format.DecimalType:
		for _, b := range list {
			d.out.Floats = append(d.floats(), decimal(b, int(t.Scale)))
		}
		return nil
	case *format.UUIDType:
		for k, b := range list {
			if len(b) == 16 {
				list[k] = fmt.Appendf(nil, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
			}
		}
	case *format.Float16Type:
		for _, b := range list {
			if len(b) != 2 {
				return errors.New("has a number of half precision that is not of two bytes; the file is damaged")
			}
			d.out.Floats = append(d.floats(), half(binary.LittleEndian.Uint16(b)))
		}
		return nil
	}
	d.unpack()
	if d.out.Texts == nil {
		d.out.Texts = list
	} else {
		d.out.Texts = append(d.out.Texts, list...)
	}
	return nil
}

// decimal is a number in two's complement, the highest byte first, over 10^scale.
func decimal(b []byte, scale int) float64 {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if x.IsInt64() {
		return float64(x.Int64()) / math.Pow10(scale)
	}
	f, _ := new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).Float64()
	return f
}

// half is a number of half precision (IEEE 754 binary16).
func half(b uint16) float64 {
	sign, exponent, fraction := 1.0, int(b>>10&0x1f), float64(b&0x3ff)
	if b>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
