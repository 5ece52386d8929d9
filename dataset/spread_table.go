package dataset

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// readPart is readRows of a part of the file for each rank; what the ranks have to know of each other's rows they agree on. ok
// says whether the file can be read so.
func (t *table) readPart(each func() error) (ok bool, err error) {
	line := t.lines.Line
	if t.lines.Text == nil { // behind a header
		line++
	}
	begun := *t
	lines, ok, err := together(t.opt.ranks, t.opt.path, line, func() { *t = begun }, func(in *text.LineReader) (bool, error) {
		t.lines = in
		err := t.readLines(each)
		return t.lost != nil, err
	})
	if !ok || err != nil {
		return ok, err
	}
	t.among = agree(t.opt.ranks, t.rows, lines, &t.breaks)
	if t.among.rows == 0 {
		return true, t.noRows()
	}
	if err := t.agreeOnMissing(); err != nil {
		return true, err
	}
	return true, t.agreeOnTexts()
}

// agreeOnMissing is the error of the first rank that misses features, with the numbers of all.
func (t *table) agreeOnMissing() error {
	counts := make([]float64, t.wide)
	for c, n := range t.lost {
		counts[c] = float64(n)
	}
	t.opt.ranks.Total(counts)
	var err error
	if t.lost != nil {
		for c, n := range counts {
			t.lost[c] = int(n)
		}
		err = t.missingError(t.among.rows)
	}
	err = t.opt.ranks.FirstError(err)
	if every := counts[t.wide-1] == float64(t.among.rows); err == nil || every && t.trailing != nil { // a delimiter ends every line
		return err
	}
	return missing{err}
}

// agreeOnTexts numbers the texts of columns alike on all ranks, in the order of the file.
func (t *table) agreeOnTexts() error {
	for c, w := range t.words {
		if w == nil || t.kinds[c] == rowNames {
			continue
		}
		all, at := w.ids.OverRanks(t.opt.ranks)
		if all == nil {
			return fmt.Errorf("%s: column %d has more texts than can be numbered", t.name, c+1)
		}
		codes := w.codes.join()
		for i, code := range codes {
			if code >= 0 {
				codes[i] = at[code]
			}
		}
		t.words[c] = &wordColumn{ids: *all, codes: listOf(codes)}
	}
	return nil
}

// addParts is what addColumns does with a table of which each rank has read some rows.
func (t *table) addParts(c *cluster.Comm) error {
	texts := make([]bool, t.wide)
	for k, w := range t.words {
		texts[k] = w != nil
	}
	c.Any(texts)
	for k, is := range texts {
		if is && t.words[k] == nil { // none of its rows is here
			if err := t.textColumn(k); err != nil {
				return err
			}
		}
	}
	t.among = agree(c, t.rows, 0, &t.breaks)
	return t.agreeOnTexts()
}
