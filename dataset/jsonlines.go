package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// keyLines is how many lines are looked at to tell which keys there are.
const keyLines = 1000

// jsonBatch is how many lines are handed on at once.
const jsonBatch = 4096

// jsonLines is a table of JSON lines: an object a line, whose keys are the columns. What a line does not have is missing.
type jsonLines struct {
	in    *input
	lines *text.LineReader
	names []string
	at    map[string]int
	head  []jsonLine // lines that were read to learn the names
	whole bool       // every key is wanted, those that come late too
}

// A jsonLine is a line with its number.
type jsonLine struct {
	text []byte
	line int
}

// startsObject says whether a text begins as JSON lines do.
func startsObject(r *bufio.Reader) bool {
	head, _ := r.Peek(512)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return len(head) > 0 && (head[0] == '"' || head[0] == '}')
}

// jsonTable makes a table of an input that starts as JSON lines do. With whole a key that the first lines do not have is an
// error.
func jsonTable(in *input, whole bool) *ColumnFormat {
	return &ColumnFormat{Kind: "JSON lines", Open: func(string, string) (ColumnReader, error) {
		t := &jsonLines{in: in, lines: text.NewLineReader(in.bytes), at: map[string]int{}, whole: whole}
		return t, t.learn()
	}}
}

// learn reads the first lines, and finds the keys in the order of their appearance.
func (t *jsonLines) learn() error {
	for len(t.head) < keyLines {
		line, ok, err := t.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		t.head = append(t.head, jsonLine{slices.Clone(line.text), line.line})
		err = t.each(line, func(key []byte, _ []byte) error {
			if _, known := t.at[string(key)]; !known {
				t.at[string(key)] = len(t.names)
				t.names = append(t.names, string(key))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(t.names) == 0 {
		return fmt.Errorf("%s: has no keys; each line is an object such as {\"user\":7,\"item\":3,\"rating\":4.5}", t.in.Name)
	}
	return nil
}

// next is the next line that says something; the text holds until the one after.
func (t *jsonLines) next() (jsonLine, bool, error) {
	for t.lines.Next() {
		line := bytes.TrimSpace(bytes.TrimPrefix(t.lines.Text, []byte("\xef\xbb\xbf")))
		if len(line) > 0 {
			return jsonLine{line, t.lines.Line}, true, nil
		}
	}
	return jsonLine{}, false, stopped(t.lines, t.in.Name)
}

// each calls f with the keys of a line and their values, as they are written.
func (t *jsonLines) each(l jsonLine, f func(key, value []byte) error) error {
	if l.text[0] != '{' || !json.Valid(l.text) {
		return lineError(t.in.Name, l.line, "is no JSON object, as every line of JSON lines is: "+
			"write an object on a line of its own, as pandas does with lines=True, and jq with -c")
	}
	for rest := skipBlanks(l.text[1:]); rest[0] != '}'; {
		var key, value []byte
		key, rest = cutValue(rest)
		rest = skipBlanks(rest)
		value, rest = cutValue(skipBlanks(rest[1:]))
		if err := f(jsonText(key), value); err != nil {
			return err
		}
		if rest = skipBlanks(rest); rest[0] == ',' {
			rest = skipBlanks(rest[1:])
		}
	}
	return nil
}

func skipBlanks(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// cutValue cuts the first value off text that is valid JSON.
func cutValue(b []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return b[:i+1], b[i+1:]
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return b[:i], b[i:]
			}
			if depth--; depth == 0 {
				return b[:i+1], b[i+1:]
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return b[:i], b[i:]
			}
		}
	}
	return b, nil
}

// jsonText is the text of a string with its quotes.
func jsonText(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	json.Unmarshal(quoted, &s) // it is valid
	return []byte(s)
}

func (t *jsonLines) Name() string      { return t.in.Name }
func (t *jsonLines) Columns() []string { return t.names }
func (t *jsonLines) Checksum() string  { return t.in.Checksum() }
func (t *jsonLines) Close() error      { return nil }

// Next reads the given columns of the next lines.
func (t *jsonLines) Next(columns []int) ([]Column, error) {
	place := make([]int, len(t.names)) // of each key among the columns, from 1
	for k, c := range columns {
		place[c] = k + 1
	}
	values := make([]jsonColumn, len(columns))
	rows := 0
	for ; rows < jsonBatch; rows++ {
		line, ok := jsonLine{}, len(t.head) > 0
		if ok {
			line, t.head = t.head[0], t.head[1:]
		} else {
			var err error
			if line, ok, err = t.next(); err != nil {
				return nil, err
			}
		}
		if !ok {
			break
		}
		if err := t.take(line, rows, place, values); err != nil {
			return nil, err
		}
	}
	if rows == 0 {
		return nil, io.EOF
	}
	batch := make([]Column, len(columns))
	for k := range values {
		values[k].pad(rows)
		batch[k] = values[k].column()
	}
	return batch, nil
}

// take appends the values of a line.
func (t *jsonLines) take(line jsonLine, row int, place []int, values []jsonColumn) error {
	return t.each(line, func(key, value []byte) error {
		c, known := t.at[string(key)]
		switch {
		case !known && t.whole:
			return lineError(t.in.Name, line.line, "has a key %q, which none of the first %d lines has; give it there, as null if it "+
				"has no value", text.Clip(key), keyLines)
		case !known || place[c] == 0:
			return nil
		}
		v := &values[place[c]-1]
		if len(v.kinds) > row {
			return lineError(t.in.Name, line.line, "has the key %q twice; remove one", text.Clip(key))
		}
		v.pad(row)
		if value[0] == '{' || value[0] == '[' {
			return lineError(t.in.Name, line.line, "the value of %q is an object or an array, where a number or a text is expected; "+
				"give its parts keys of their own, as pandas.json_normalize does, or leave the key out", text.Clip(key))
		}
		v.push(value)
		return nil
	})
}

// A jsonColumn gathers the values of a column.
type jsonColumn struct {
	kinds  []byte    // of each: 0 none, or its first character
	number []float64 // of those that are numbers or truths
	whole  []int64   // likewise, where all are whole
	texts  [][]byte  // as written, without quotes
	broken bool      // a number is not whole
	words  bool      // a value is a text
}

// pad appends missing values up to a number of rows.
func (v *jsonColumn) pad(rows int) {
	for len(v.kinds) < rows {
		v.add(0, math.NaN(), 0, nil)
	}
}

func (v *jsonColumn) add(kind byte, x float64, n int64, s []byte) {
	v.kinds, v.number, v.whole, v.texts = append(v.kinds, kind), append(v.number, x), append(v.whole, n), append(v.texts, s)
}

// push appends a value as it is written.
func (v *jsonColumn) push(value []byte) {
	switch value[0] {
	case 'n':
		v.add(0, math.NaN(), 0, nil)
	case 't':
		v.add('t', 1, 1, []byte("1"))
	case 'f':
		v.add('f', 0, 0, []byte("0"))
	case '"':
		v.words = true
		s := slices.Clone(jsonText(value))
		for i, c := range s {
			if c == '\n' || c == '\r' { // names of features and items stand on lines
				s[i] = ' '
			}
		}
		v.add('"', math.NaN(), 0, s)
	default:
		n, err := strconv.ParseInt(string(value), 10, 64)
		x, _ := strconv.ParseFloat(string(value), 64) // out of range it is infinite, which readers refuse
		v.broken = v.broken || err != nil
		v.add('0', x, n, slices.Clone(value))
	}
}

// column is what was gathered, with one type: text where one of the values is text.
func (v *jsonColumn) column() Column {
	c := Column{}
	if slices.Contains(v.kinds, 0) {
		c.Nulls = make([]bool, len(v.kinds))
		for k, kind := range v.kinds {
			c.Nulls[k] = kind == 0
		}
	}
	switch {
	case v.words:
		c.Texts = v.texts
	case v.broken:
		c.Floats = v.number
	default:
		c.Ints = v.whole
	}
	return c
}
