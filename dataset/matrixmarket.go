package dataset

import (
	"bytes"
	"math"
	"strconv"
)

// readMatrixMarket reads a coordinate matrix (real or integer; general or symmetric). Its ids are the row and column
// numbers, from 1.
func (p *ratingsParser) readMatrixMarket(head []byte, lines *lineReader) error {
	words := bytes.Fields(bytes.ToLower(head))
	is := func(i int, options ...string) bool {
		for _, o := range options {
			if i < len(words) && string(words[i]) == o {
				return true
			}
		}
		return false
	}
	if !is(1, "matrix") || !is(2, "coordinate") || !is(3, "real", "integer", "double") || !is(4, "general", "symmetric") {
		return p.errorf(lines.line, "is a Matrix Market header that is not «matrix coordinate real|integer general|symmetric»; ratings are such")
	}
	symmetric := is(4, "symmetric")
	size, err := p.marketSize(lines)
	if err != nil {
		return err
	}
	if symmetric && size[0] != size[1] {
		return p.errorf(lines.line, "a symmetric matrix is square, not %d×%d", size[0], size[1])
	}
	p.numberAll(size)
	return p.marketEntries(lines, size, symmetric)
}

// marketSize reads the line of rows, columns and entries.
func (p *ratingsParser) marketSize(lines *lineReader) (size [3]int, err error) {
	for lines.next() {
		if blank(lines.text) || lines.text[0] == '%' {
			continue
		}
		f := bytes.Fields(lines.text)
		if len(f) != 3 {
			return size, p.errorf(lines.line, "has %s; the size line has rows, columns and entries", counted(len(f), "number"))
		}
		for i := range size {
			v, err := strconv.Atoi(string(f[i]))
			if err != nil || v < 1 || v > math.MaxInt32 {
				return size, p.errorf(lines.line, "the size %q is not a whole number from 1 to 2³¹-1", f[i])
			}
			size[i] = v
		}
		return size, nil
	}
	return size, p.errorf(lines.line, "the size line is missing")
}

// marketEntries reads as many entries as the size line says; of a symmetric matrix each stands for its mirror image too.
func (p *ratingsParser) marketEntries(lines *lineReader, size [3]int, symmetric bool) error {
	count := 0
	p.at[3] = -1
	for lines.next() {
		if blank(lines.text) || lines.text[0] == '%' {
			continue
		}
		f := bytes.Fields(lines.text)
		if len(f) != 3 {
			return p.errorf(lines.line, "has %s; an entry has a row, a column and a value", counted(len(f), "field"))
		}
		for side := range 2 {
			v, err := strconv.Atoi(string(f[side]))
			if err != nil || v < 1 || v > size[side] {
				return p.errorf(lines.line, "index %q is not a whole number from 1 to %d", f[side], size[side])
			}
			if f[side][0] < '1' { // 01, +1 and 1 are one row
				f[side] = strconv.AppendInt(nil, int64(v), 10)
			}
		}
		if count++; count > size[2] {
			return p.errorf(lines.line, "has more entries than the %d of the size line", size[2])
		}
		if err := p.add([4][]byte{f[0], f[1], f[2]}, lines.line); err != nil {
			return err
		}
		if symmetric && !bytes.Equal(f[0], f[1]) {
			if err := p.add([4][]byte{f[1], f[0], f[2]}, lines.line); err != nil {
				return err
			}
		}
	}
	if count < size[2] && lines.err == nil {
		return p.errorf(lines.line, "the file ends after %d of its %d entries; it is cut short", count, size[2])
	}
	return nil
}

// numberAll gives every row and column its number as id, those without entries too, unless the header asks for many more
// than it has entries.
func (p *ratingsParser) numberAll(size [3]int) {
	if p.known || size[0]+size[1] > 4*size[2]+1<<20 {
		return
	}
	for side, ids := range []*IDs{p.out.RowIDs, p.out.ColIDs} {
		for i := 1; i <= size[side]; i++ {
			ids.Add(strconv.AppendInt(nil, int64(i), 10))
		}
	}
}
