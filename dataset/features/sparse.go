package features

import (
	"bytes"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// firstLines is how many lines are looked at for one with features.
const firstLines = 200

// sparse says whether the first line with more than an id has name:number pairs behind it.
func (p *parser) sparse() bool {
	words := bytes.Fields(p.lines.Text())
	for _, line := range p.lines.Below(firstLines) {
		if len(words) != 1 {
			break
		}
		words = bytes.Fields(line)
	}
	if len(words) < 2 {
		return false
	}
	for _, w := range words[1:] {
		if _, _, ok := pair(w); !ok {
			return false
		}
	}
	return true
}

// pair is the name and the number of name:number. Names may have colons.
func pair(word []byte) (name []byte, x float64, ok bool) {
	at := bytes.LastIndexByte(word, ':')
	if at < 1 {
		return nil, 0, false
	}
	x, ok = text.WholeNumber(word[at+1:])
	return word[:at], x, ok
}

// readSparse reads lines of an id and name:number pairs. Each name is a column.
func (p *parser) readSparse() error {
	at := map[string]int{}
	return p.each(true, func(line []byte) error {
		words := bytes.Fields(line)
		row, err := p.add(words[0])
		if err != nil {
			return err
		}
		for _, w := range words[1:] {
			name, x, ok := pair(w)
			switch {
			case !ok:
				return p.errorf("%q is no name:number, as those before it are", w)
			case !text.Finite(x):
				return p.errorf("%q: features are finite numbers", w)
			case math.Abs(x) > dataset.LargestNumber:
				return p.errorf("%q: features beyond %g overflow: give them in a larger unit", w, dataset.LargestNumber)
			}
			c, known := at[text.Decoded(name)]
			if !known {
				c = len(p.Columns)
				at[text.Decoded(name)] = c
				p.Columns = append(p.Columns, Column{Name: text.Decoded(name), Sparse: true})
			}
			column := &p.Columns[c]
			if n := len(column.Rows); n > 0 && column.Rows[n-1] == row {
				return p.errorf("names %q twice", name)
			}
			column.Rows, column.Numbers = append(column.Rows, row), append(column.Numbers, x)
		}
		return nil
	})
}
