package dataset

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// A simpleScan reads lines that are as nearly all lines of large files are: ids of visible ASCII, a decimal rating, a time in
// digits, and no quotes. It goes over each byte once, and leaves any other line to the parser that knows all of them.
type simpleScan struct {
	delim      []byte
	roles      [16]int8 // of the first columns; skipped where it is no other
	wide, most int
	usual      int // fields of lines that numbers reads; 0 where these are others
}

const (
	skipped     = -1
	mostFailed  = 64 // lines in a row that are not simple, after which no more are tried: each costs half of a scan
	timeDigits  = 18 // which an int64 holds
	smallDigits = 7  // of ids that decimal takes
)

// A simpleLine is what such a line has.
type simpleLine struct {
	ids  [2]simpleID
	x    float64
	time int64
}

// A simpleID is where an id stands, and its number, -1 where it is a text.
type simpleID struct{ from, to, number int32 }

// simple says how the simple lines that follow are scanned; nil where lines need more.
func (p *ratingsParser) simple() *simpleScan {
	timed := p.opt.times() && p.at[timeRole] >= 0 && p.out.TimesLost == nil
	point := p.opt.Decimal == 0 || p.opt.Decimal == '.'
	few := p.in.count() == 0 || p.failed >= mostFailed
	more := p.at[4] >= 0 || p.at[5] >= 0 || p.opt.Labels || p.out.NoValues || !point ||
		timed && (p.clock.kind != numberTime || p.clock.fine)
	if few || more || len(p.delim) == 0 || p.at[0] < 0 || p.at[1] < 0 || p.at[ratingRole] < 0 {
		return nil
	}
	s := &simpleScan{delim: p.delim, wide: p.wide, most: p.most}
	for c := range s.roles {
		s.roles[c] = skipped
	}
	for role, c := range p.at[:timeRole+1] {
		switch {
		case c < 0 || role == int(timeRole) && !timed:
		case c >= len(s.roles) || s.roles[c] != skipped:
			return nil
		default:
			s.roles[c] = int8(role)
		}
	}
	fields := 3
	if timed {
		fields = 4
	}
	if usual := [4]int8{0, 1, int8(ratingRole), int8(timeRole)}; len(s.delim) == 1 && s.wide <= fields && fields <= s.most &&
		slices.Equal(s.roles[:fields], usual[:fields]) {
		s.usual = fields
	}
	return s
}

// simpleLines reads the simple lines that follow, as far as the file has been read.
func (p *ratingsParser) simpleLines(s *simpleScan, lines *text.LineReader) error {
	p.expect(lines)
	ahead, at, count := lines.Ahead(), 0, 0
	var l simpleLine
	batch := &p.batch
	for {
		n := s.numbers(ahead[at:], &l)
		if n == 0 {
			n = s.line(ahead[at:], &l)
		}
		if n == 0 || math.Abs(l.x) > largestRating {
			break
		}
		k := count % len(batch.rows)
		batch.starts[k], batch.ids[0][k], batch.ids[1][k] = at, l.ids[0], l.ids[1]
		batch.values[k], batch.times[k] = l.x, l.time
		at, count = at+n, count+1
		if k+1 == len(batch.rows) {
			if err := p.keepBatch(ahead, k+1, lines.Line+count); err != nil {
				return err
			}
		}
	}
	if err := p.keepBatch(ahead, count%len(batch.rows), lines.Line+count); err != nil {
		return err
	}
	if p.failed++; count > 0 {
		p.failed = 0
	}
	lines.Pass(at, count)
	return nil
}

// A simpleBatch is the ratings of successive lines before they are kept.
type simpleBatch struct {
	starts     [256]int // of the lines
	ids        [2][256]simpleID
	rows, cols [256]int32
	values     [256]float64
	times      [256]int64
}

// keepBatch keeps the first n ratings of the batch, of which the last is that of a line of text.
func (p *ratingsParser) keepBatch(text []byte, n, line int) error {
	b := &p.batch
	if n == 0 {
		return nil
	}
	p.indexTo(b.rows[:n], p.out.RowIDs, b.ids[0][:n], text)
	p.indexTo(b.cols[:n], p.out.ColIDs, b.ids[1][:n], text)
	if p.in.count()+n > math.MaxInt32 || !p.known && (slices.Min(b.rows[:n]) < 0 || slices.Min(b.cols[:n]) < 0) {
		for k := range n { // of which one is an error
			if err := p.keep(b.rows[k], b.cols[k], b.values[k], line-n+1+k); err != nil {
				return err
			}
		}
		return nil
	}
	p.given = true
	p.out.breaks.Note(p.in.count(), line-n+1)
	p.in.rows.append(b.rows[:n])
	p.in.cols.append(b.cols[:n])
	if p.opt.Narrow {
		for _, x := range b.values[:n] {
			p.in.singles.push(p.in.narrowed.of(x))
		}
	} else {
		p.in.values.append(b.values[:n])
	}
	if p.clock.kind == numberTime {
		p.clock.times.append(b.times[:n])
	}
	return nil
}

// expect makes room for as many ratings as the file holds if its other lines are as long as those so far, and a few more.
func (p *ratingsParser) expect(lines *text.LineReader) {
	n, passed := p.in.count(), lines.Passed()
	if p.opt.size == 0 || p.roomy || n < chunkSize {
		return
	}
	p.roomy = true
	all := int(float64(n) / float64(passed) * float64(p.opt.size) * spareLines)
	p.in.rows.expect(all)
	p.in.cols.expect(all)
	p.in.values.expect(all)
	p.in.singles.expect(all)
	p.clock.times.expect(all)
}

// spareLines is the room for lines over their likely number. Later lines may be shorter; what stays empty takes no memory.
const spareLines = 1.05

// indexTo writes the indices of the ids of a batch. They are looked up one after the other, as places in a large table are far
// from each other, and what is done between two of them delays the next.
func (p *ratingsParser) indexTo(index []int32, t *IDs, ids []simpleID, text []byte) {
	for k, id := range ids {
		if n := int(id.number); n >= 0 && n < len(t.small) && t.small[n] > 0 {
			index[k] = t.small[n] - 1
			continue
		}
		word := text[p.batch.starts[k]:][id.from:id.to]
		if p.known {
			index[k] = t.Find(word)
		} else {
			index[k] = t.Add(word)
		}
	}
}

// numbers is line where the usual fields are short numbers in digits, as they nearly always are, and there are more bytes than
// such a line has; 0 elsewhere. It looks at most of a line by eight bytes at a time.
func (s *simpleScan) numbers(b []byte, l *simpleLine) int {
	if s.usual == 0 || len(b) < 64 {
		return 0
	}
	i := 0
	for id := range l.ids {
		v, n := word(binary.LittleEndian.Uint64(b[i:]))
		if !isSmall(b[i:], v, n) || b[i+n] != s.delim[0] {
			return 0
		}
		l.ids[id] = simpleID{int32(i), int32(i + n), int32(v)}
		i += n + 1
	}
	tens := b[i] - '0'
	if tens > 9 {
		return 0
	}
	if l.x = float64(tens); b[i+1] == '.' && b[i+2]-'0' <= 9 {
		l.x = float64(10*tens+b[i+2]-'0') / 10
		i += 2
	}
	if i++; s.usual == 4 {
		v, n := word(binary.LittleEndian.Uint64(b[i+1:]))
		if b[i] != s.delim[0] || n == 0 {
			return 0
		}
		if i += 1 + n; n == 8 {
			more, n := word(binary.LittleEndian.Uint64(b[i:]))
			v, i = v*tenTo[n]+more, i+n
		}
		l.time = int64(v)
	}
	if b[i] == '\r' {
		i++
	}
	if b[i] != '\n' {
		return 0
	}
	return i + 1
}

// tenTo are powers of ten.
var tenTo = [9]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// line reads the line that b begins with, and is its length with its end; 0 where it is not simple, or cut.
func (s *simpleScan) line(b []byte, l *simpleLine) int {
	if len(b) == 0 || b[0] == '#' {
		return 0
	}
	i := 0
	for c := 0; ; c++ {
		role, n := int8(skipped), -1
		if c < len(s.roles) {
			role = s.roles[c]
		}
		switch role {
		case 0, 1:
			var number int
			n, number = s.id(b[i:])
			l.ids[role] = simpleID{int32(i), int32(i + max(n, 0)), int32(number)}
		case int8(ratingRole):
			l.x, n = text.ScanDecimal(b[i:])
		case int8(timeRole):
			l.time, n = digits(b[i:])
		default:
			n = s.other(b[i:])
		}
		if i += n; n < 0 || n == 0 && role != skipped || i >= len(b) {
			return 0
		}
		switch {
		case b[i] == s.delim[0] && (len(s.delim) == 1 || bytes.HasPrefix(b[i:], s.delim)):
			i += len(s.delim)
			continue
		case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
			i++
		case b[i] != '\n':
			return 0
		}
		if c+1 < s.wide || c+1 > s.most {
			return 0
		}
		return i + 1
	}
}

// id is the length of the id that b begins with, and its number where it is one of the small decimals of IDs, or -1.
func (s *simpleScan) id(b []byte) (n, number int) {
	few, n := leading(b)
	if ends := n < len(b) && (b[n] == s.delim[0] && len(s.delim) == 1 || b[n] == '\n'); ends && isSmall(b, few, n) {
		return n, int(few)
	}
	n = s.other(b)
	v, ok := decimal(b[:max(n, 0)])
	if !ok {
		v = -1
	}
	return n, v
}

// other is the length of the field that b begins with; -1 where it has a blank, a quote or what is not ASCII, or is cut.
func (s *simpleScan) other(b []byte) int {
	for n, c := range b {
		switch {
		case c == s.delim[0] && (len(s.delim) == 1 || bytes.HasPrefix(b[n:], s.delim)), c == '\n', c == '\r':
			return n
		case c <= ' ' || c == '"' || c >= 0x7f:
			return -1
		}
	}
	return -1
}

// digits is the whole number that b begins with and its length, which is 0 where that is more than an int64 surely holds.
func digits(b []byte) (v int64, n int) {
	first, n := leading(b)
	for v = int64(first); n < len(b) && b[n]-'0' <= 9; {
		v = 10*v + int64(b[n]-'0')
		if n++; n > timeDigits {
			return 0, 0
		}
	}
	return v, n
}

// Each byte of a word.
const (
	zeros   = 0x3030303030303030 // '0'
	lowBits = 0x7f7f7f7f7f7f7f7f
	tops    = 0x8080808080808080
	beyond9 = 0x7676767676767676 // what makes a byte from 10 on reach its top bit
)

// leading is the number that the first digits of b make, at most 8, and how many they are. It takes eight bytes at once: lengths
// of ids vary, and a loop over digits is left at another place than the processor foresees.
func leading(b []byte) (v uint64, n int) {
	if len(b) < 8 {
		for n < len(b) && b[n]-'0' <= 9 {
			v = 10*v + uint64(b[n]-'0')
			n++
		}
		return v, n
	}
	return word(binary.LittleEndian.Uint64(b))
}

// word is leading of eight bytes.
func word(x uint64) (v uint64, n int) {
	x ^= zeros
	n = bits.TrailingZeros64(((x&lowBits)+beyond9|x)&tops) / 8
	x <<= 64 - 8*n // the digits are the last of eight, the others are 0
	x = 10*x + x>>8
	return ((x&0xff000000ff)*(100+1000000<<32) + (x>>16&0xff000000ff)*(1+10000<<32)) >> 32, n
}
