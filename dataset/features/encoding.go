package features

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// An Encoding makes rows of numbers of tables: those that it was learnt from, and later ones. It is kept with a model.
type Encoding struct {
	Codes []Code `json:"columns"`
	// Scale multiplies all features, the constant one too.
	Scale float64 `json:"scale"`
}

// A Code is how one column becomes features.
type Code struct {
	Name string `json:"name"`
	// Values are the categories: one feature for each, 1 where a row has it. Empty for numbers.
	Values []string `json:"values,omitempty"`
	// Mean and Deviation of numbers: the feature is (x - Mean)/Deviation, and 0 where x is missing.
	Mean      float64 `json:"mean,omitempty"`
	Deviation float64 `json:"deviation,omitempty"`
}

// Rows are features by compressed rows, P of them: row i has Values[Ptr[i]:Ptr[i+1]] at Index[Ptr[i]:Ptr[i+1]].
type Rows struct {
	P      int
	Ptr    []int64
	Index  []int32
	Values []float64
}

// Learn takes means, deviations and categories from the rows that count, of a nil table none. Columns that are the same in all of
// them, or whose categories occur once each, tell no row from others: they are left out and named in idle. It is an error if
// nothing is left.
func Learn(t *Table, counts func(row int32) bool) (e *Encoding, idle []string, err error) {
	e = &Encoding{Scale: 1}
	if t == nil {
		return e, nil, nil
	}
	total := 0
	for i := range t.IDs.Len() {
		if counts(int32(i)) {
			total++
		}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		code, ok := c.numbers(counts, total)
		if c.Words != nil {
			code, ok = c.categories(counts, total)
		}
		if ok {
			e.Codes = append(e.Codes, code)
		} else {
			idle = append(idle, c.Name)
		}
	}
	if len(e.Codes) == 0 {
		return nil, nil, fmt.Errorf("%s: has no feature that tells one row with ratings from another: its columns (%s) are constant, "+
			"empty, or different in each row", t.Name, strings.Join(idle, ", "))
	}
	return e, idle, nil
}

// numbers is the code of a column of numbers. Those of 0 and 1 alone are flags, and stay as they are.
func (c *Column) numbers(counts func(row int32) bool, total int) (code Code, ok bool) {
	var n, sum float64
	least, most, flags := math.Inf(1), math.Inf(-1), true
	each := func(f func(x float64)) {
		for e, x := range c.Numbers {
			if counts(c.Rows[e]) {
				f(x)
			}
		}
	}
	each(func(x float64) {
		n, sum = n+1, sum+x
		least, most, flags = min(least, x), max(most, x), flags && (x == 0 || x == 1)
	})
	if c.Sparse && n < float64(total) {
		least, most = min(least, 0), max(most, 0)
	}
	if n == 0 || least == most {
		return code, false
	}
	code = Code{Name: c.Name, Deviation: 1}
	if flags {
		return code, true
	}
	if !c.Sparse {
		code.Mean = sum / n
	}
	square := 0.0
	each(func(x float64) { square += (x - code.Mean) / n * (x - code.Mean) })
	code.Deviation = math.Sqrt(square)
	return code, code.Deviation > 0 && !math.IsInf(code.Deviation, 0)
}

// categories is the code of a column of words: those that several rows have, and some have not.
func (c *Column) categories(counts func(row int32) bool, total int) (code Code, ok bool) {
	met := map[string]int{}
	for e, words := range c.Words {
		if counts(c.Rows[e]) {
			for _, w := range words {
				met[w]++
			}
		}
	}
	code.Name = c.Name
	for w, n := range met {
		if n > 1 && n < total {
			code.Values = append(code.Values, w)
		}
	}
	slices.Sort(code.Values)
	return code, len(code.Values) > 0
}

// Names are those of the features: of columns, column=category, and of the one that all rows have.
func (e *Encoding) Names() (names []string) {
	for i := range e.Codes {
		c := &e.Codes[i]
		for _, v := range c.Values {
			names = append(names, c.Name+"="+v)
		}
		if len(c.Values) == 0 {
			names = append(names, c.Name)
		}
	}
	return append(names, Constant)
}

// Constant is the name of the last feature, which all rows have: with it rows without other features share what all have in
// common.
const Constant = "(constant)"

// Encode is the features of the rows of a table, whose columns are found by their names, and for each row of at, which says where
// in the table it is; a row that is not (-1) has the constant one alone. Categories that the encoding does not know are left out.
// A column that the table lacks is an error, and one of words for numbers.
func (e *Encoding) Encode(t *Table, at []int32) (*Rows, error) {
	r := &Rows{Ptr: make([]int64, len(at)+1)}
	byRow := make([][]entry, 0)
	if t != nil {
		byRow = make([][]entry, t.IDs.Len())
	}
	for i := range e.Codes {
		width := int32(max(1, len(e.Codes[i].Values)))
		if t != nil {
			if err := e.Codes[i].encode(t, byRow, int32(r.P)); err != nil {
				return nil, err
			}
		}
		r.P += int(width)
	}
	r.P++
	for i, row := range at {
		if row >= 0 {
			for _, x := range byRow[row] {
				r.Index, r.Values = append(r.Index, x.feature), append(r.Values, e.Scale*x.value)
			}
		}
		r.Index, r.Values = append(r.Index, int32(r.P-1)), append(r.Values, e.Scale)
		r.Ptr[i+1] = int64(len(r.Index))
	}
	return r, nil
}

// Categories are the columns that are words.
func (e *Encoding) Categories() (names []string) {
	for i := range e.Codes {
		if len(e.Codes[i].Values) > 0 {
			names = append(names, e.Codes[i].Name)
		}
	}
	return names
}

// An entry is a feature of a row.
type entry struct {
	feature int32
	value   float64
}

// encode adds the features of one column, numbered from first on, to the rows.
func (c *Code) encode(t *Table, byRow [][]entry, first int32) error {
	at := slices.IndexFunc(t.Columns, func(have Column) bool { return have.Name == c.Name })
	if at < 0 {
		if len(t.Columns) > 0 && t.Columns[0].Sparse {
			return nil // all of them are 0
		}
		return fmt.Errorf("%s: has no column %q, which the model was fitted with", t.Name, c.Name)
	}
	column := &t.Columns[at]
	for e, words := range column.Words {
		if len(words) > 0 && len(c.Values) == 0 {
			return fmt.Errorf("%s: its column %q has %q, and the model was fitted with numbers there", t.Name, c.Name, words[0])
		}
		for _, w := range words {
			if v, known := slices.BinarySearch(c.Values, w); known {
				row := column.Rows[e]
				byRow[row] = append(byRow[row], entry{first + int32(v), 1})
			}
		}
	}
	for e, x := range column.Numbers {
		if len(c.Values) > 0 {
			return fmt.Errorf("%s: its column %q has numbers, and the model was fitted with words there", t.Name, c.Name)
		}
		if x = (x - c.Mean) / c.Deviation; x != 0 {
			row := column.Rows[e]
			byRow[row] = append(byRow[row], entry{first, x})
		}
	}
	return nil
}
