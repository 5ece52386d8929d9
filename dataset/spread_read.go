package dataset

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"io"
	"os"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// readOverRanks reads a file together with the other ranks, see RatingsReader.Ranks.
func (o RatingsReader) readOverRanks(name string) (*Ratings, error) {
	c := o.Ranks
	var rows *cluster.Rows
	if o.RowIDs != nil {
		rows = o.Rows
	}
	r := &Ratings{Name: name, RowIDs: o.RowIDs, ColIDs: o.ColIDs}
	part, err := o.openPart(name)
	if err = c.FirstError(err); err != nil {
		return nil, err
	}
	format, typed := ColumnsOf(name)
	alone := o
	alone.Ranks = nil
	switch {
	case part != nil:
		defer part.file.Close()
		r, err = part.read(o)
	case typed && format.Parts:
		alone.part, alone.parts = c.Rank(), c.Size()
		r, err = alone.readColumns(format, name)
	case c.Rank() == 0:
		r, err = alone.ReadRatings(name)
	}
	if err = c.FirstError(err); err != nil {
		return nil, err
	}
	if part != nil {
		r.Checksum = part.checksum(c)
	}
	if o.RowIDs != nil {
		r.Shape = [2]int{o.RowIDs.Len(), o.ColIDs.Len()}
	}
	if o.Apart {
		for _, ids := range []**IDs{&r.RowIDs, &r.ColIDs} {
			if *ids == nil { // nothing was read
				*ids = &IDs{}
			}
		}
		return r, nil
	}
	return r.OverRanks(c, rows)
}

// A filePart is the lines of a text file that one rank reads.
type filePart struct {
	file          *os.File
	name          string
	size          int64
	begin, end    int64 // of the part, in bytes: whole lines
	rank          int
	parser        *ratingsParser // which knows the columns
	header        bool           // the first line that says something is one
	headLine      int            // its number
	behindTheHead int64          // where the one after it begins
	sum           uint64         // CRC-64 of the part
}

// openPart is the part of a file that this rank reads, or nil where all of it is for the first rank: other formats than plain
// text by lines, and files of a line or two. All ranks decide alike.
func (o RatingsReader) openPart(name string) (*filePart, error) {
	st, err := os.Stat(name)
	if _, typed := ColumnsOf(name); err != nil || typed || !st.Mode().IsRegular() || o.Query != "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil
	}
	p := &filePart{file: f, name: name, size: st.Size(), rank: o.Ranks.Rank()}
	begun, err := p.layOut(o)
	if err != nil || !begun {
		f.Close()
		return nil, err
	}
	ranks := int64(o.Ranks.Size())
	if p.begin, err = p.lineFrom(p.size * int64(p.rank) / ranks); err == nil {
		p.end, err = p.lineFrom(p.size * int64(p.rank+1) / ranks)
	}
	if first, failed := p.lineFrom(p.size / ranks); err != nil || failed != nil || first < p.behindTheHead {
		f.Close()
		return nil, err
	}
	return p, nil
}

// layOut finds the columns from the first lines. It reports false where the file is no plain text.
func (p *filePart) layOut(o RatingsReader) (begun bool, err error) {
	lines := text.NewLineReader(io.NewSectionReader(p.file, 0, p.size))
	if !p.plain() {
		return false, nil
	}
	p.parser = o.parser(p.name)
	head, err := p.parser.firstLine(lines)
	if err != nil || isMarket(head) || bytes.IndexByte(lines.Window(), '"') >= 0 {
		return false, nil // which the first rank reads, and says what is wrong
	}
	p.parser.delim = p.parser.guessDelimiter(head)
	p.header, err = p.parser.layout(splitAll(head, p.parser.delim), splitAll(p.parser.below(lines), p.parser.delim), lines.Line)
	if err != nil {
		return false, nil
	}
	p.headLine = lines.Line
	for range lines.Line {
		if p.behindTheHead, err = p.lineFrom(p.behindTheHead + 1); err != nil {
			return false, err
		}
	}
	return true, nil
}

// plain says that the file is text that is not packed, by its first bytes.
func (p *filePart) plain() bool {
	opening := make([]byte, 512)
	n, _ := p.file.ReadAt(opening, 0)
	if n == 0 || bytes.IndexByte(opening[:n], 0) >= 0 || foreign(opening[:n]) != "" {
		return false
	}
	return !slices.ContainsFunc([]string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "\x93NUMPY"}, func(packed string) bool {
		return bytes.HasPrefix(opening, []byte(packed))
	})
}

// lineFrom is where the first line begins that does not begin before an offset: 0, or behind the end of a line.
func (p *filePart) lineFrom(at int64) (int64, error) {
	if at == 0 {
		return 0, nil
	}
	buf := make([]byte, 1<<12)
	for at--; ; {
		n, err := p.file.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if at += int64(n); err == io.EOF {
			return p.size, nil
		} else if err != nil {
			return 0, fmt.Errorf("%s: cannot be read: %w", p.name, err)
		}
	}
}

// read reads the part. Where a line is wrong it is read once more, with the lines before it counted: the error names the line.
func (p *filePart) read(o RatingsReader) (*Ratings, error) {
	first, err := p.readFrom(p.parser, 0)
	if err == nil || p.rank == 0 {
		return first, err
	}
	before, failed := p.lines(p.begin)
	if failed != nil {
		return nil, err
	}
	again := o.parser(p.name)
	again.delim, again.at, again.wide, again.most = p.parser.delim, p.parser.at, p.parser.wide, p.parser.most
	_, err = p.readFrom(again, before)
	return nil, err
}

// readFrom reads the part by a parser that knows the columns; before is the number of lines before it.
func (p *filePart) readFrom(parser *ratingsParser, before int) (*Ratings, error) {
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	lines := text.NewLineReader(io.TeeReader(io.NewSectionReader(p.file, p.begin, p.end-p.begin), sum))
	lines.Line = before
	for p.rank == 0 && lines.Line < p.headLine {
		if !lines.Next() {
			break
		}
		if lines.Line == p.headLine && !p.header {
			lines.Text = bytes.TrimPrefix(lines.Text, []byte("\xef\xbb\xbf"))
			if err := parser.plainLine(lines.Text, lines.Line); err != nil {
				return nil, err
			}
		}
	}
	if err := parser.plainLines(lines); err != nil {
		return nil, err
	}
	if lines.Err != nil {
		return nil, fmt.Errorf("%s:%d: cannot be read further: %w", p.name, lines.Line+1, lines.Err)
	}
	p.sum = sum.Sum64()
	if parser.in.count() == 0 { // others have some
		return &Ratings{Name: p.name, RowIDs: parser.out.RowIDs, ColIDs: parser.out.ColIDs}, nil
	}
	return parser.finish()
}

// lines is how many lines end before an offset.
func (p *filePart) lines(end int64) (count int, err error) {
	buf, src := make([]byte, 1<<16), io.NewSectionReader(p.file, 0, end)
	for {
		n, err := src.Read(buf)
		count += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			return count, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// checksum is that of the whole file, of the sums of its parts.
func (p *filePart) checksum(c *cluster.Comm) string {
	var sum uint64
	for rank, part := range cluster.All(c, []int64{int64(p.sum), p.end - p.begin}) {
		if rank == 0 {
			sum = uint64(part[0])
			continue
		}
		sum = behindZeros(sum, part[1]) ^ uint64(part[0])
	}
	return fmt.Sprintf("crc64:%016x", sum)
}

// behindZeros is what the CRC-64 of a text adds to that of the text with n bytes behind it: the sum is linear over bits, and n
// zeros are a power of the map that one zero is.
func behindZeros(sum uint64, n int64) uint64 {
	var one [64]uint64 // of each bit, what a zero byte makes of it
	table := crc64.MakeTable(crc64.ECMA)
	for b := range one {
		x := uint64(1) << b
		one[b] = table[byte(x)] ^ x>>8
	}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			sum = mapped(&one, sum)
		}
		var twice [64]uint64
		for b, x := range one {
			twice[b] = mapped(&one, x)
		}
		one = twice
	}
	return sum
}

// mapped is a linear map over bits at x.
func mapped(of *[64]uint64, x uint64) (y uint64) {
	for b := 0; x != 0; b, x = b+1, x>>1 {
		if x&1 == 1 {
			y ^= of[b]
		}
	}
	return y
}
