package dataset

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

const marketMagic = "%%matrixmarket"

func isMarket(line []byte) bool {
	return len(line) >= len(marketMagic) && strings.EqualFold(string(line[:len(marketMagic)]), marketMagic)
}

// A market is a Matrix Market file: a header, a line of sizes, and entries (Boisvert, Pozo and Remington 1996).
type market struct {
	name                string
	lines               *lineReader
	coordinate, pattern bool
	symmetric           bool
	size                []int // rows, columns and, for coordinates, entries
}

// readMarket reads a matrix whose header lines stands on.
func readMarket(lines *lineReader, name string) (*Matrix, error) {
	p := &market{name: name, lines: lines}
	if err := p.header(); err != nil {
		return nil, err
	}
	if err := p.sizes(); err != nil {
		return nil, err
	}
	if p.coordinate {
		return p.readCoordinates()
	}
	return p.readArray()
}

func (p *market) errorf(format string, args ...any) error {
	return lineError(p.name, p.lines.line, format, args...)
}

func (p *market) header() error {
	words := strings.Fields(strings.ToLower(string(clipTo(p.lines.text, 200))))
	is := func(i int, options ...string) bool { return i < len(words) && slices.Contains(options, words[i]) }
	if !is(1, "matrix") || !is(2, "coordinate", "array") || !is(3, "real", "integer", "double", "pattern") || !is(4, "general", "symmetric") {
		return p.errorf("is a Matrix Market header that is not «matrix coordinate|array real|integer|pattern general|symmetric»; convert it to one that is")
	}
	p.coordinate, p.pattern, p.symmetric = is(2, "coordinate"), is(3, "pattern"), is(4, "symmetric")
	if p.pattern && !p.coordinate {
		return p.errorf("is a pattern and an array; a pattern has coordinates")
	}
	return nil
}

// next moves to the next line that is no comment.
func (p *market) next() bool {
	for p.lines.next() {
		if t := trimLeft(p.lines.text); len(t) > 0 && t[0] != '%' {
			return true
		}
	}
	return false
}

// sizes reads the line of sizes, which are claims until the entries have been counted.
func (p *market) sizes() error {
	want, what := 2, "rows and columns"
	if p.coordinate {
		want, what = 3, "rows, columns and entries"
	}
	if !p.next() {
		if err := stopped(p.lines, p.name); err != nil {
			return err
		}
		return p.errorf("the file ends before its line of sizes; it needs one with %s", what)
	}
	f := bytes.Fields(p.lines.text)
	if len(f) != want {
		return p.errorf("has %s; the line of sizes has %s", counted(len(f), "number"), what)
	}
	for i, b := range f {
		v, err := strconv.ParseInt(string(b), 10, 64)
		if least := int64(1 - i/2); err != nil || v < least || i < 2 && v > math.MaxInt32 || v > math.MaxInt64/16 {
			return p.errorf("the size %q is not a whole number from %d to 2³¹-1; mend it", clip(b), least)
		}
		p.size = append(p.size, int(v))
	}
	if p.symmetric && p.size[0] != p.size[1] {
		return p.errorf("a symmetric matrix is square, not %d×%d; say general", p.size[0], p.size[1])
	}
	return nil
}

// value reads a finite number.
func (p *market) value(b []byte) (float64, error) {
	x, ok := wholeNumber(b)
	switch {
	case !ok:
		return 0, p.errorf("the value %q is not a number; mend it", clip(b))
	case !finite(x):
		return 0, p.errorf("the value is %q; the numbers must be finite", clip(b))
	}
	return x, nil
}

func (p *market) cutShort(have, want int) error {
	if err := stopped(p.lines, p.name); err != nil {
		return err
	}
	return p.errorf("the file ends after %d of its %d entries; it is cut short, or its sizes are wrong", have, want)
}

// readArray reads the values column by column; of a symmetric matrix the lower triangle.
func (p *market) readArray() (*Matrix, error) {
	m, n := p.size[0], p.size[1]
	want := m * n
	if p.symmetric {
		want = (m*m + m) / 2
	}
	var values pile[float64]
	for p.next() {
		for rest := trimLeft(p.lines.text); len(rest) > 0; {
			var word []byte
			word, rest = cutWord(rest)
			x, err := p.value(word)
			if err != nil {
				return nil, err
			}
			if values.n == want {
				return nil, p.errorf("has more than the %d values of a %d×%d matrix; mend the sizes", want, m, n)
			}
			values.push(x)
		}
	}
	if values.n < want || p.lines.err != nil {
		return nil, p.cutShort(values.n, want)
	}
	if !p.symmetric {
		return &Matrix{Rows: m, Cols: n, Dense: values.joinTransposed(m, n)}, nil
	}
	all := make([]float64, m*m)
	k := 0
	for j := range m {
		for i := j; i < m; i++ {
			all[i*m+j], all[j*m+i] = values.at(k), values.at(k)
			k++
		}
	}
	return &Matrix{Rows: m, Cols: n, Dense: all}, nil
}
