package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// headed tells whether the first line names the columns, above some rows: it is the numbers 0, 1, 2, … that pandas writes; or
// behind a first field that is empty, for the names of the rows; or some of its fields are words, and none is a number. Any other
// line is taken as data, which refuses it, lest a row is lost.
func (t *table) headed(below [][]string) bool {
	names := t.names
	if len(names) > 1 && names[0] == "" && !slices.Contains(names[1:], "") && startsWithName(below) {
		return true
	}
	if len(names) > 2 && !looksLikeNumber(names[0]) {
		names = names[1:]
	}
	if numbered(names) && unlike(len(names), below) {
		return true
	}
	words := false
	for c, f := range t.names {
		if t.kinds[c] == taskNames {
			continue
		}
		if _, ok := text.WholeNumber([]byte(f)); ok {
			return false
		}
		words = words || namesColumn(f) || dated(f)
	}
	return words
}

// startsWithName says whether the first row begins with something, as one with a name does.
func startsWithName(below [][]string) bool { return len(below) == 0 || below[0][0] != "" }

// numbered says whether names are 0, 1, 2, …, as those of a table without names are.
func numbered(names []string) bool {
	for c, f := range names {
		if f != strconv.Itoa(c) {
			return false
		}
	}
	return len(names) > 1
}

// manyNumbers is from how many columns on 0, 1, 2, … is hardly a row, whatever the others are.
const manyNumbers = 5

// unlike says whether the rows below 0, 1, …, n-1 are others: one has a fraction or a text, or there are many columns and they do
// not count on, as those of a table that counts its cells do.
func unlike(n int, below [][]string) bool {
	for _, row := range below {
		for _, f := range row {
			if x, ok := text.Number(f); !ok && !Missing(f) || ok && x != math.Trunc(x) {
				return true
			}
		}
	}
	return n >= manyNumbers && len(below) > 0 && below[0][len(below[0])-1] != strconv.Itoa(2*n-1)
}

// findTexts finds the columns that are texts by some of their rows: names of rows are in the first, categories elsewhere. Most of
// the fields of such a column are no numbers: a few in a column of numbers are mistakes.
func (t *table) findTexts(rows [][]string) {
	for c := range t.wide {
		if t.kinds[c] != numberColumn {
			continue
		}
		texts, all := 0, 0
		for _, row := range rows {
			if c < len(row) && !Missing(row[c]) {
				if all++; !t.isNumber(row[c]) && (namesColumn(row[c]) || dated(row[c])) && !strings.Contains(row[c], ":") {
					texts++
				}
			}
		}
		named := c == 0 && t.wide > 1
		switch {
		case named && t.names != nil && t.names[0] == "":
			t.kinds[c] = rowNames
		case 2*texts <= all:
			continue
		case named && !t.expected(c):
			t.kinds[c] = perhapsName
		case t.opt.words:
			t.kinds[c] = categories
		default:
			continue
		}
		t.words[c] = &wordColumn{}
	}
}

// expected says whether column c is one of the features that are known.
func (t *table) expected(c int) bool {
	return t.names != nil && slices.ContainsFunc(t.opt.known, func(name string) bool {
		return name == t.names[c] || strings.HasPrefix(name, t.names[c]+"=")
	})
}

// isNumber says whether a field is one, with the decimal mark that the table has.
func (t *table) isNumber(f string) bool {
	_, ok := t.number([]byte(f))
	return ok
}

// number is a field as one.
func (t *table) number(f []byte) (float64, bool) {
	return text.WholeNumber(withPoint(f, t.opt.decimal))
}

// withPoint is a number with a decimal point; one with a point where another mark is decimal is no number.
func withPoint(f []byte, decimal byte) []byte {
	if decimal == 0 || decimal == '.' {
		return f
	}
	if bytes.IndexByte(f, '.') >= 0 {
		return nil
	}
	return bytes.Replace(f, []byte{decimal}, []byte{'.'}, 1)
}

// dated says whether a text that begins like a number goes on as a number does not: 2019Q1, 2019-01, 1st.
func dated(f string) bool {
	return f != "" && f[0] >= '0' && f[0] <= '9' && strings.ContainsFunc(f[1:],
		func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("-/_:", r) })
}

// encode puts a column of 0 and 1 for each category of each text column in its place: name=category, ascending. A row whose text
// is missing has none of them.
func (t *table) encode(m *Matrix) {
	e := &encoding{rows: m.Rows}
	from := 0
	for c := range t.wide {
		name := strconv.Itoa(c + 1)
		if t.names != nil {
			name = t.names[c]
		}
		switch t.kinds[c] {
		case numberColumn:
			e.add(name, from, nil)
			from++
		case categories:
			e.categories(name, t.words[c])
			m.Categories = append(m.Categories, name)
		}
	}
	m.Dense, m.Names, m.Cols = e.dense(m.Dense, m.Cols), e.names, len(e.names)
}

// An encoding is the columns of a matrix that takes some of another and some of categories.
type encoding struct {
	rows  int
	names []string
	from  []int     // the column that each is, where words is nil
	words [][]int32 // of each row the category, as codes
	code  []int32   // the one that a column stands for
}

func (e *encoding) add(name string, from int, words []int32) {
	e.names, e.from, e.words, e.code = append(e.names, name), append(e.from, from), append(e.words, words), append(e.code, 0)
}

// categories adds those of a text column.
func (e *encoding) categories(name string, w *wordColumn) {
	order := make([]int32, w.ids.Len())
	levels := make([]string, len(order))
	for k := range order {
		order[k], levels[k] = int32(k), text.Decoded([]byte(w.ids.Text(k)))
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(levels[a], levels[b]) })
	codes := w.codes.join()
	for _, k := range order {
		e.add(name+"="+levels[k], 0, codes)
		e.code[len(e.code)-1] = k
	}
}

// dense is the matrix, of one with so many columns.
func (e *encoding) dense(x []float64, cols int) []float64 {
	all := make([]float64, e.rows*len(e.names))
	for i := range e.rows {
		row := all[i*len(e.names) : (i+1)*len(e.names)]
		for j := range row {
			if e.words[j] == nil {
				row[j] = x[i*cols+e.from[j]]
			} else if e.words[j][i] == e.code[j] {
				row[j] = 1
			}
		}
	}
	return all
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

// typedMatrix reads a matrix from a table with typed columns: those of texts are names of rows or categories, as in text.
func typedMatrix(f ColumnFormat, name string, opt tableOptions) (*Matrix, error) {
	r, err := f.Open(name, "")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &table{name: r.Name(), names: r.Columns(), opt: opt, wide: len(r.Columns())}
	t.kinds, t.words = make([]columnKind, t.wide), make([]*wordColumn, t.wide)
	if err := t.distinctNames(); err != nil {
		return nil, err
	}
	in, parts := r.(partReader)
	if parts = parts && opt.ranks != nil; parts {
		in.Part(opt.ranks.Rank(), opt.ranks.Size())
	}
	err = eachBatch(r, allColumns(r), t.addColumns)
	if parts && err != nil && opt.ranks.Rank() > 0 { // the numbers of rows are those of the part
		opt.ranks = nil
		if _, whole := typedMatrix(f, name, opt); whole != nil {
			err = whole
		}
	}
	if parts {
		if err = t.opt.ranks.FirstError(err); err == nil {
			err = t.addParts(t.opt.ranks)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.rows == 0 && (t.among == nil || t.among.rows == 0) {
		return nil, fmt.Errorf("%s: has no rows", t.name)
	}
	return t.matrix()
}

// addColumns appends rows.
func (t *table) addColumns(batch []Column) error {
	if t.rows == 0 {
		for c, column := range batch {
			if column.Texts != nil {
				if err := t.textColumn(c); err != nil {
					return err
				}
			}
		}
	}
	for k := range batch[0].Len() {
		t.row = t.row[:0]
		for c, column := range batch {
			if err := t.typed(c, column, k); err != nil {
				return err
			}
		}
		t.values.append(t.row)
		t.rows++
	}
	return nil
}

// textColumn says that column c of a typed table has texts.
func (t *table) textColumn(c int) error {
	switch {
	case c == 0 && t.wide > 1 && !t.expected(c):
		t.kinds[c] = perhapsName
	case t.opt.words:
		t.kinds[c] = categories
	default:
		return fmt.Errorf("%s: column %q has texts, where numbers are expected; leave it out, or code it in numbers", t.name,
			t.names[c])
	}
	t.words[c] = &wordColumn{}
	return nil
}

// typed takes row k of a column.
func (t *table) typed(c int, column Column, k int) error {
	x := 0.0
	switch {
	case t.words[c] != nil:
		return t.word(column.appendText(nil, k), c)
	case column.null(k) && !t.opt.gaps && !t.answers(c):
		return missing{fmt.Errorf("%s, row %d: column %q is missing; fill it in or leave the row out", t.name, t.rows+1, t.names[c])}
	case column.null(k):
		x = math.NaN()
	case column.Ints != nil:
		x = float64(column.Ints[k])
	case column.Floats != nil:
		x = column.Floats[k]
	default:
		return fmt.Errorf("%s, row %d: column %q has a text among numbers", t.name, t.rows+1, t.names[c])
	}
	if math.IsInf(x, 0) {
		return fmt.Errorf("%s, row %d: column %q is %v; the numbers must be finite", t.name, t.rows+1, t.names[c], x)
	}
	t.row = append(t.row, x)
	return nil
}
