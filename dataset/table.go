package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// A table is delimited text, one row of numbers a line. Some of its columns may be texts.
type table struct {
	name  string
	lines *text.LineReader
	delim byte     // 0 for runs of blanks
	names []string // of all columns, nil without a header
	wide  int      // columns of every line
	first int      // the line that says so
	opt   tableOptions

	kinds []columnKind
	words []*wordColumn // by column; nil for others

	row       []float64 // the numbers of the current row
	cell      []byte    // its task
	label     []byte    // of the target's, where that is text
	aside     float64   // the target, where it is a number
	lost      []int     // missing fields by column, where none may be; nil for none
	lostLine  int       // the line of the first of them
	firstLost error     // what is wrong with the first of them
	trailing  error     // where the last field of the first row is missing, as behind a delimiter that ends every line
	values    chunkList[float64]
	rows      int
	breaks    text.LineBreaks // of the rows
	among     *among          // those of all ranks, where these have read the rows by parts
}

// tableOptions say what a table may be.
type tableOptions struct {
	gaps    bool          // fields may be missing: they are NaN
	words   bool          // columns may be categories
	answers string        // columns whose fields may be missing, as Matrix.Columns finds them; "" is none
	decimal byte          // the decimal mark, a point if it is 0; a comma does not separate fields then
	ranks   *cluster.Comm // that read the rows of the file path together, or nil
	path    string
	known   []string // names of features that are expected: a column of them has no row names
}

// A columnKind is what the fields of a column are.
type columnKind byte

const (
	numberColumn columnKind = iota
	rowNames                // texts, one for each row
	perhapsName             // texts that are names of rows if they are all different, else categories
	categories
	taskNames
	targetNumbers
	targetLabels
)

// A wordColumn has the texts of a column.
type wordColumn struct {
	ids   IDs
	codes chunkList[int32] // of each row among ids, -1 where it is missing
}

// newTable looks at the first line, which lines stands on.
func newTable(lines *text.LineReader, name string, opt tableOptions) (*table, error) {
	t := &table{name: name, lines: lines, first: lines.Line, opt: opt}
	t.delim = text.DelimiterOf(withoutMark(lines.Text, opt.decimal))
	var err error
	if t.names, err = t.fieldsOf(lines.Text); err != nil {
		return nil, t.errorf("%v", err)
	}
	t.wide = len(t.names)
	t.kinds, t.words = make([]columnKind, t.wide), make([]*wordColumn, t.wide)
	return t, nil
}

// withoutMark is a line without the commas that may be decimal ones.
func withoutMark(line []byte, decimal byte) []byte {
	if decimal != ',' {
		return line
	}
	return bytes.ReplaceAll(line, []byte(","), nil)
}

// fieldsOf are the fields of a line.
func (t *table) fieldsOf(line []byte) (fields []string, err error) {
	for rest, more := t.start(line), true; more; {
		var f []byte
		if f, rest, more, err = text.CutField(rest, t.delim); err != nil {
			return nil, err
		}
		fields = append(fields, string(text.TrimSpace(f)))
	}
	return fields, nil
}

// below are the fields of the lines below the first one, as far as they have been read, but for lines that are no rows.
func (t *table) below() (rows [][]string) {
	for _, line := range t.lines.Below(mostBelow) {
		if blank(line) {
			continue
		}
		if fields, err := t.fieldsOf(line); err == nil {
			rows = append(rows, fields)
		}
	}
	return rows
}

// ReadFields returns the fields of the first line of delimited text that is not blank, split as ReadMatrix does:
// often the names of its columns.
func ReadFields(name string) ([]string, error) {
	lines, in, err := openLines(name, nil, "delimited text")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := newTable(lines, in.Name, tableOptions{})
	if err != nil {
		return nil, err
	}
	return t.names, nil
}

// readTable reads a matrix whose first line lines stands on.
func readTable(lines *text.LineReader, name string, opt tableOptions) (*Matrix, error) {
	t, err := newTable(lines, name, opt)
	if err != nil {
		return nil, err
	}
	below := t.below()
	if t.headed(below) {
		if len(below) > 0 && len(below[0]) == t.wide+1 { // R names rows without a word for it
			t.widen()
		}
		if err := t.distinctNames(); err != nil {
			return nil, err
		}
		lines.Text = nil
	} else {
		below = append([][]string{t.names}, below...)
		t.names = nil
	}
	t.findTexts(below)
	if err := t.readRows(func() error { return nil }); err != nil {
		return nil, err
	}
	return t.matrix()
}

// widen adds a first column without a name.
func (t *table) widen() {
	t.names = append([]string{""}, t.names...)
	t.wide++
	t.kinds, t.words = make([]columnKind, t.wide), make([]*wordColumn, t.wide)
}

// matrix is what was read, with the names of its columns and rows. Categories become columns of 0 and 1.
func (t *table) matrix() (*Matrix, error) {
	m := &Matrix{Rows: t.rows, lines: t.breaks, among: t.among}
	for _, kind := range t.kinds {
		if kind == numberColumn {
			m.Cols++
		}
	}
	if m.Dense = t.values.join(); m.Dense == nil { // of a rank that has no row
		m.Dense = []float64{}
	}
	if w := t.words[0]; w != nil && t.kinds[0] != categories {
		switch {
		case t.among != nil && (t.kinds[0] == rowNames || w.ids.Len() == t.among.rows):
			t.words[0] = nil // nobody asks ranks for them
		case t.kinds[0] == rowNames || w.ids.Len() == t.rows:
			m.RowNames = w.texts()
			t.words[0] = nil
		case !t.opt.words:
			return nil, lineError(t.name, t.breaks.Line(0), "column 1 has texts that several rows share, such as %q; rows have names of "+
				"their own, and other texts are to be left out, or coded in numbers", w.ids.Text(0))
		default:
			t.kinds[0] = categories
		}
	}
	for c, f := range t.names {
		if t.kinds[c] == numberColumn {
			m.Names = append(m.Names, f)
		}
	}
	if slices.Contains(t.kinds, categories) {
		t.encode(m)
	}
	return m, nil
}

// texts are those of each row.
func (w *wordColumn) texts() []string {
	all := make([]string, w.codes.n)
	for i := range all {
		if code := w.codes.at(i); code >= 0 {
			all[i] = text.Decoded([]byte(w.ids.Text(int(code))))
		}
	}
	return all
}

// readRows reads the current line, unless it is empty, and all others; each is called after every row. Ranks read a part each
// of a file that can be read so.
func (t *table) readRows(each func() error) error {
	if t.opt.ranks != nil && t.wide > 1 {
		if ok, err := t.readPart(each); ok || err != nil {
			return err
		}
	}
	if err := t.readLines(each); err != nil {
		return err
	}
	if t.rows == 0 {
		return t.noRows()
	}
	return t.missingError(t.rows)
}

func (t *table) noRows() error {
	return fmt.Errorf("%s: has a header and no rows; add one line for each sample", t.name)
}

// readLines reads the current line, unless it is empty, and all others.
func (t *table) readLines(each func() error) error {
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
	return stopped(t.lines, t.name)
}

// readRow reads the fields of a line. Plain numbers with the delimiter right behind them go the short way.
func (t *table) readRow(line []byte) error {
	t.row = t.row[:0]
	sep := t.delim
	if sep == 0 {
		sep = ' '
	}
	if t.opt.decimal == ',' { // each field is looked at
		return t.readSlowly(line)
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
		case n > 0 && n == len(rest) && t.kinds[c] == numberColumn:
			t.row = append(t.row, x)
			more = false
		case n > 0 && n < len(rest) && rest[n] == sep && t.kinds[c] == numberColumn:
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

// readSlowly reads the fields of a line one by one.
func (t *table) readSlowly(line []byte) (err error) {
	c := 0
	for rest, more := t.start(line), true; more; c++ {
		if c == t.wide {
			return t.ragged(line)
		}
		if rest, more, err = t.readField(rest, c); err != nil {
			return err
		}
	}
	if c != t.wide {
		return t.ragged(line)
	}
	return nil
}

// readField reads a field of any kind.
func (t *table) readField(line []byte, c int) (rest []byte, more bool, err error) {
	f, rest, more, err := text.CutField(line, t.delim)
	if err != nil {
		return nil, false, t.errorf("column %d: %v", c+1, err)
	}
	switch t.kinds[c] {
	case rowNames, perhapsName, categories:
		return rest, more, t.word(text.TrimSpace(f), c)
	case taskNames, targetLabels:
		if len(text.TrimSpace(f)) == 0 {
			return nil, false, t.cellError(c, nil)
		}
		if t.kinds[c] == taskNames {
			t.cell = f
		} else {
			t.label = text.TrimSpace(f)
		}
		return rest, more, nil
	}
	x, ok := t.number(f)
	if missing := ok && math.IsNaN(x) || Missing(string(text.TrimSpace(f))); missing && t.takesMissing(c, text.TrimSpace(f)) {
		x, ok = math.NaN(), true
	} else if !ok || !text.Finite(x) {
		return nil, false, t.cellError(c, text.TrimSpace(f))
	}
	if t.kinds[c] == targetNumbers {
		t.aside = x
	} else {
		t.row = append(t.row, x)
	}
	return rest, more, nil
}

// takesMissing says whether a field that is missing may be. Where none may, those of features are counted for one error.
func (t *table) takesMissing(c int, f []byte) bool {
	if t.opt.gaps && t.kinds[c] == numberColumn || t.answers(c) {
		return true
	}
	if t.kinds[c] != numberColumn {
		return false
	}
	if t.behindLast(c, f) {
		t.trailing = t.errorf("%s is empty; fill it in or leave the line out, or the delimiter that ends every line", t.called(c))
	}
	if t.lost == nil {
		t.lost, t.lostLine, t.firstLost = make([]int, t.wide), t.lines.Line, t.cellError(c, f)
	}
	t.lost[c]++
	return true
}

// behindLast says that a field of the first row is what a delimiter that ends every line leaves behind it.
func (t *table) behindLast(c int, f []byte) bool {
	return t.rows == 0 && len(f) == 0 && c == t.wide-1 && (t.names == nil || t.names[c] == "")
}

// answers says whether column c has the answers, which are not observed where they are missing.
func (t *table) answers(c int) bool {
	if t.kinds[c] == targetNumbers {
		return true
	}
	if t.opt.answers == "" {
		return false
	}
	return slices.ContainsFunc(namesOf(t.names, t.opt.answers), func(want string) bool {
		if slices.Contains(t.names, want) {
			return t.names[c] == want
		}
		return want == strconv.Itoa(c+1)
	})
}

// missingError says how many features of so many rows are missing, where none may be, and in which columns.
func (t *table) missingError(rows int) error {
	all, columns := 0, 0
	for _, n := range t.lost {
		if all += n; n > 0 {
			columns++
		}
	}
	switch {
	case all == 0:
		return nil
	case t.trailing != nil && t.lost[t.wide-1] == rows:
		return t.trailing
	case all == 1:
		return missing{t.firstLost}
	}
	order := make([]int, t.wide)
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.lost[b] - t.lost[a] })
	var list []string
	for _, c := range order[:min(columns, mostLost)] {
		list = append(list, fmt.Sprintf("%d in column %s", t.lost[c], FeatureName(t.names, false, c)))
	}
	if columns > mostLost {
		list = append(list, "…")
	}
	return missing{lineError(t.name, t.lostLine, "has the first of %d missing fields of %d: %s; fill them in, or leave "+
		"these columns or rows out", all, rows*t.wide, strings.Join(list, ", "))}
}

// ErrMissing is what errors of features that are missing are, where none may be.
var ErrMissing = errors.New("dataset: a feature is missing")

// A missing is an ErrMissing in words of its own.
type missing struct{ error }

func (missing) Is(target error) bool { return target == ErrMissing }

// mostLost is how many columns with missing fields an error names.
const mostLost = 4

// word takes the text of a column of them; a category may be missing.
func (t *table) word(f []byte, c int) error {
	w := t.words[c]
	if t.kinds[c] != rowNames && Missing(string(f)) {
		w.codes.push(-1)
		return nil
	}
	id := w.ids.Add(f)
	if id < 0 {
		return t.errorf("column %d has more texts than can be numbered", c+1)
	}
	w.codes.push(id)
	return nil
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
	return t.errorf("has %s where line %d has %d; every line needs as many", text.Counted(n, "column"), t.first, t.wide)
}

// called is a column by its number, and its name if it has one.
func (t *table) called(c int) string {
	if t.names == nil {
		return fmt.Sprintf("column %d", c+1)
	}
	return fmt.Sprintf("column %d (%q)", c+1, text.Clip([]byte(t.names[c])))
}

// cellError says what is wrong with a field.
func (t *table) cellError(c int, f []byte) error {
	where := t.called(c)
	_, number := t.number(f)
	_, commas := text.WholeNumber(bytes.ReplaceAll(f, []byte(","), nil)) // for a decimal point, or between thousands
	switch {
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
