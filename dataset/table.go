package dataset

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// A table is delimited text, one row of numbers a line; one column may be text and one set apart.
type table struct {
	name  string
	lines *text.LineReader
	delim byte     // 0 for runs of blanks
	names []string // of all columns, nil without a header
	wide  int      // columns of every line
	first int      // the line that says so

	gaps               bool // fields may be missing: they are NaN
	skip, text, target int  // columns that are row names, text, and set apart; -1 for none

	row      []float64 // the numbers of the current row, without those columns
	cell     []byte    // its text
	label    []byte    // of the target's, where it is labelled
	labelled bool
	aside    float64 // its number that is set apart
	values   chunkList[float64]
	rows     int
	breaks   text.LineBreaks // of the rows
}

// newTable looks at the first line, which lines stands on.
func newTable(lines *text.LineReader, name string) (*table, error) {
	t := &table{name: name, lines: lines, delim: text.DelimiterOf(lines.Text), first: lines.Line, skip: -1, text: -1, target: -1}
	for rest, more := t.start(lines.Text), true; more; {
		var f []byte
		var err error
		if f, rest, more, err = text.CutField(rest, t.delim); err != nil {
			return nil, t.errorf("%v", err)
		}
		t.names = append(t.names, string(text.TrimSpace(f)))
	}
	t.wide = len(t.names)
	return t, nil
}

// ReadFields returns the fields of the first line of delimited text that is not blank, split as ReadMatrix and ReadTasks do:
// often the names of its columns.
func ReadFields(name string) ([]string, error) {
	lines, in, err := openLines(name, nil, "delimited text")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := newTable(lines, in.Name)
	if err != nil {
		return nil, err
	}
	return t.names, nil
}

// readTable reads a matrix whose first line lines stands on; gaps says that values may be missing.
func readTable(lines *text.LineReader, name string, gaps bool) (*Matrix, error) {
	t, err := newTable(lines, name)
	if err != nil {
		return nil, err
	}
	t.gaps = gaps
	if t.headed() {
		if err := t.distinctNames(); err != nil {
			return nil, err
		}
		t.skipRowNames()
		lines.Text = nil
	} else {
		t.names = nil
	}
	if err := t.readRows(func() error { return nil }); err != nil {
		return nil, err
	}
	return t.matrix(), nil
}

// headed tells whether the first line names the columns: some of its fields are words, and none is a number. Any other line is
// taken as data, which refuses it, lest a row is lost.
func (t *table) headed() bool {
	words := false
	for c, f := range t.names {
		if c == t.text {
			continue
		}
		if _, ok := text.WholeNumber([]byte(f)); ok {
			return false
		}
		words = words || namesColumn(f) || dated(f)
	}
	return words
}

// dated says whether a text that begins like a number goes on as a number does not: 2019Q1, 2019-01, 1st.
func dated(f string) bool {
	return f != "" && f[0] >= '0' && f[0] <= '9' && strings.ContainsFunc(f[1:],
		func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("-/_:", r) })
}

// Missing reports whether a text stands for a missing value, as the empty one and NA do. NaN does not.
func Missing(text string) bool {
	switch strings.ToLower(text) {
	case "", "?", "na", "n/a", "null", "none", `\n`, "-":
		return true
	}
	return false
}

// distinctNames refuses a header that calls two columns alike: features are told apart by their names at prediction.
func (t *table) distinctNames() error {
	at := make(map[string]int, len(t.names))
	for c, f := range t.names {
		if other, twice := at[f]; twice && f != "" {
			return lineError(t.name, t.first, "columns %d and %d are both called %q; give each a name of its own", other+1, c+1, f)
		}
		at[f] = c
	}
	return nil
}

// skipRowNames leaves out a first column without a name.
func (t *table) skipRowNames() {
	if t.wide > 1 && t.names[0] == "" {
		t.skip = 0
	}
}

// matrix is what was read, with the names of its columns.
func (t *table) matrix() *Matrix {
	m := &Matrix{Rows: t.rows, Cols: t.values.n / t.rows, lines: t.breaks}
	m.Dense = t.values.join()
	for c, f := range t.names {
		if !t.special(c) {
			m.Names = append(m.Names, f)
		}
	}
	return m
}

// readRows reads the current line, unless it is empty, and all others; each is called after every row.
func (t *table) readRows(each func() error) error {
	t.row = make([]float64, 0, t.wide)
	gap := 0 // an empty line, which is a missing value if there is one column
	for ok := true; ok; ok = t.lines.Next() {
		if blank(t.lines.Text) {
			if t.wide == 1 && t.rows > 0 && gap == 0 && len(bytes.TrimSpace(t.lines.Text)) == 0 {
				gap = t.lines.Line
			}
			continue
		}
		if gap > 0 {
			return lineError(t.name, gap, "is empty, and there are values behind it; fill it in or remove it")
		}
		if err := t.readRow(t.lines.Text); err != nil {
			return err
		}
		t.values.append(t.row)
		t.breaks.Note(t.rows, t.lines.Line)
		t.rows++
		if err := each(); err != nil {
			return err
		}
	}
	if err := stopped(t.lines, t.name); err != nil {
		return err
	}
	if t.rows == 0 {
		return fmt.Errorf("%s: has a header and no rows; add one line for each sample", t.name)
	}
	return nil
}

// readRow reads the fields of a line. Plain numbers with the delimiter right behind them go the short way.
func (t *table) readRow(line []byte) error {
	t.row = t.row[:0]
	sep := t.delim
	if sep == 0 {
		sep = ' '
	}
	c := 0
	for rest, more := t.start(line), true; more; c++ {
		if c == t.wide {
			return t.ragged(line)
		}
		for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t' && t.delim == 0) {
			rest = rest[1:]
		}
		x, n := text.ScanDecimal(rest)
		switch {
		case n > 0 && n == len(rest) && !t.special(c):
			t.row = append(t.row, x)
			more = false
		case n > 0 && n < len(rest) && rest[n] == sep && !t.special(c):
			t.row = append(t.row, x)
			rest = rest[n+1:]
		default:
			var err error
			if rest, more, err = t.readField(rest, c); err != nil {
				return err
			}
		}
	}
	if c != t.wide {
		return t.ragged(line)
	}
	return nil
}

// special columns are not in row.
func (t *table) special(c int) bool { return c == t.skip || c == t.text || c == t.target }

// readField reads a field of any kind.
func (t *table) readField(line []byte, c int) (rest []byte, more bool, err error) {
	f, rest, more, err := text.CutField(line, t.delim)
	if err != nil {
		return nil, false, t.errorf("column %d: %v", c+1, err)
	}
	switch c {
	case t.skip:
		return rest, more, nil
	case t.text:
		if len(text.TrimSpace(f)) == 0 {
			return nil, false, t.cellError(c, nil)
		}
		t.cell = f
		return rest, more, nil
	case t.target:
		if t.labelled {
			if t.label = text.TrimSpace(f); len(t.label) == 0 {
				return nil, false, t.cellError(c, nil)
			}
			return rest, more, nil
		}
	}
	x, ok := text.WholeNumber(f)
	if t.gaps && (ok && math.IsNaN(x) || Missing(string(text.TrimSpace(f)))) {
		x, ok = math.NaN(), true
	} else if !ok || !text.Finite(x) {
		return nil, false, t.cellError(c, text.TrimSpace(f))
	}
	if c == t.target {
		t.aside = x
	} else {
		t.row = append(t.row, x)
	}
	return rest, more, nil
}

// start is the line without blanks before the first field and, where they delimit, after the last.
func (t *table) start(line []byte) []byte {
	if t.delim != 0 {
		return line
	}
	return bytes.Trim(line, " \t")
}

func (t *table) errorf(format string, args ...any) error {
	return lineError(t.name, t.lines.Line, format, args...)
}

func (t *table) ragged(line []byte) error {
	n := 0
	for rest, more := t.start(line), true; more; n++ {
		var err error
		if _, rest, more, err = text.CutField(rest, t.delim); err != nil {
			return t.errorf("column %d: %v", n+1, err)
		}
	}
	return t.errorf("has %s where line %d has %d; every line needs as many", counted(n, "column"), t.first, t.wide)
}

// counted is a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// cellError says what is wrong with a field.
func (t *table) cellError(c int, f []byte) error {
	where := fmt.Sprintf("column %d", c+1)
	if t.names != nil {
		where += fmt.Sprintf(" (%q)", text.Clip([]byte(t.names[c])))
	}
	_, number := text.WholeNumber(f)
	_, commas := text.WholeNumber(bytes.ReplaceAll(f, []byte(","), nil)) // for a decimal point, or between thousands
	switch {
	case len(f) == 0 && c == t.wide-1 && (t.names == nil || t.names[c] == ""):
		return t.errorf("%s is empty; fill it in or leave the line out, or the delimiter that ends every line", where)
	case len(f) == 0:
		return t.errorf("%s is empty; fill it in or leave the line out", where)
	case number:
		return t.errorf("%s is %q; the numbers must be finite, fill it in or leave the line out", where, text.Clip(f))
	case Missing(string(f)):
		return t.errorf("%s is %q, a missing value; fill it in or leave the line out", where, text.Clip(f))
	case c > 0 && bytes.IndexByte(f, ':') > 0:
		return t.errorf("%s is %q, as in a LIBSVM file; read it as one", where, text.Clip(f))
	case commas:
		return t.errorf("%s is %q, not a number; write decimals with a point, and thousands without a mark", where, text.Clip(f))
	case t.lines.Line == t.first:
		return t.errorf("%s is %q, not a number, and a header holds no numbers; mend the value or the header", where, text.Clip(f))
	}
	return t.errorf("%s is %q, not a number; mend it, or leave the column out or code it in numbers", where, text.Clip(f))
}
