package dataset

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// WideColumns stands in RatingsReader.Columns for a table with a row for each user and a column for each item.
const WideColumns = "wide"

// leastWide is how many items a table has at least that is taken for a wide one without being called so.
const leastWide = 3

// wideTable is the table on whose first line lines stands, if that is one with a row for each user and a column for each item;
// else nil.
func (p *ratingsParser) wideTable(lines *text.LineReader) *table {
	t, err := newTable(lines, p.out.Name, tableOptions{gaps: true, decimal: p.opt.Decimal})
	if err == nil && (p.opt.Columns == WideColumns || p.opt.Columns == "" && t.looksWide()) {
		return t
	}
	return nil
}

// looksWide says whether a header is that of a wide table: a user, or nothing, and columns that are called like nothing that
// ratings have, above rows of numbers with gaps.
func (t *table) looksWide() bool {
	at, _ := rolesOf(t.names)
	if t.wide <= leastWide || t.names[0] != "" && at[userRole] != 0 || at[userRole] > 0 {
		return false
	}
	for r, c := range at {
		if role(r) != userRole && c >= 0 {
			return false
		}
	}
	gaps, rows := 0, 0
	for _, fields := range t.below() {
		if len(fields) != t.wide { // the last may be cut
			continue
		}
		rows++
		for _, f := range fields[1:] {
			if Missing(f) {
				gaps++
			} else if !t.isNumber(f) {
				return false
			}
		}
	}
	return rows > 0 && gaps > 0
}

// readWide reads a table with a row for each user and a column for each item, from its header on. A field that is missing is no
// rating.
func (p *ratingsParser) readWide(t *table) error {
	p.at = noPlaces()
	if t.wide < 2 {
		return t.errorf("has %s; a wide table has users in the first one, and a column for each item", text.Counted(t.wide, "column"))
	}
	if below := t.below(); len(below) > 0 && len(below[0]) == t.wide+1 { // R names rows without a word for it
		t.widen()
	}
	if err := t.distinctNames(); err != nil {
		return err
	}
	t.lines.Text, t.kinds[0], t.words[0] = nil, rowNames, &wordColumn{}
	cells, zeros := 0, 0
	err := t.readRows(func() error {
		t.values = chunkList[float64]{}
		cells += len(t.row)
		n, err := p.addWide(t)
		zeros += n
		return err
	})
	if err != nil {
		return err
	}
	p.out.Columns = fmt.Sprintf("a wide table, a row for each user and a column for each item; %d of %d cells are ratings",
		p.in.count(), cells)
	if 2*zeros > cells {
		p.out.Columns += fmt.Sprintf(", %d of them 0: leave cells empty that are none", zeros)
	}
	return nil
}

// addWide appends the ratings of a row, and counts those that are 0.
func (p *ratingsParser) addWide(t *table) (zeros int, err error) {
	w := t.words[0]
	user := []byte(w.ids.Text(int(w.codes.at(t.rows - 1))))
	for j, x := range t.row {
		if math.IsNaN(x) {
			continue
		}
		if x == 0 {
			zeros++
		}
		if err := p.checkNumber("rating", x, t.lines.Line); err != nil {
			return zeros, err
		}
		if p.given = true; p.opt.Labels {
			x = float64(p.texts.Add([]byte(class.Label(x))))
		}
		if err := p.place(user, []byte(t.names[j+1]), x, t.lines.Line); err != nil {
			return zeros, err
		}
	}
	return zeros, nil
}
