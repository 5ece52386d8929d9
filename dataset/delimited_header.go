package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// layout finds the columns; it reports whether the line is a header.
func (p *ratingsParser) layout(fields [][]byte, line int) (header bool, err error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f)
	}
	p.at = [4]int{0, 1, 2, -1}
	if p.opt.Columns != "" {
		if header, err = p.chosen(names, line); err != nil {
			return false, err
		}
	} else {
		if len(fields) == 2 && p.opt.OneUser {
			p.at = [4]int{-1, 0, 1, -1}
			p.wide, p.most = 2, 2
			return namesColumn(names[1]), nil
		}
		if len(fields) == 2 && p.opt.ValuesOptional {
			return p.pairs(names), nil
		}
		if len(fields) < 3 {
			return false, p.errorf(line, "has %s; a line has a user, an item and a rating", counted(len(fields), "field"))
		}
		named := false
		if header, named = p.guessed(names); !named && len(fields) > mostUnnamed {
			return false, p.errorf(line, "has %d fields, where a rating has a user, an item, a rating and perhaps a time; "+
				"say which they are with --columns", len(fields))
		}
	}
	if p.opt.times() && p.at[3] < 0 && len(fields) > 3 && !header && p.opt.Columns == "" {
		p.at[3] = 3
	}
	p.wide, p.most = 1+slices.Max(p.at[:]), len(fields)
	return header, nil
}

// mostUnnamed is how many fields a line of ratings may have whose columns neither a header nor the caller names: a user, an item,
// a rating and a time. Of a wider one, a table of numbers say, nobody knows what they are.
const mostUnnamed = 4

// wrongWidth refuses a line with fewer fields than are needed, or with more than the first line has: a decimal comma, or an id
// with the delimiter in it, would be read as something else. Empty fields at the end are none.
func (p *ratingsParser) wrongWidth(fields [][]byte, line int) error {
	n := len(fields)
	for n > p.most && len(fields[n-1]) == 0 {
		n--
	}
	switch {
	case n < p.wide:
		return p.errorf(line, "has %s where the first line has at least %d", counted(n, "field"), p.wide)
	case n <= p.most:
		return nil
	case string(p.delim) == "," && looksLikeNumber(string(fields[n-1])):
		return p.errorf(line, "has %d fields where the first line has %d; for a decimal comma separate fields with ; or tabs, and add "+
			"--decimal ,", n, p.most)
	}
	return p.errorf(line, "has %d fields where the first line has %d; put quotes around a field with the delimiter in it", n, p.most)
}

// withPoint is a number with a decimal point; one with a point where another mark is decimal is no number.
func (p *ratingsParser) withPoint(f []byte) []byte {
	if p.opt.Decimal == 0 || p.opt.Decimal == '.' {
		return f
	}
	if bytes.IndexByte(f, '.') >= 0 {
		return nil
	}
	return bytes.Replace(f, []byte{p.opt.Decimal}, []byte{'.'}, 1)
}

// pairs places users and items that stand alone; the first line is a header if one of its two words is a usual one.
func (p *ratingsParser) pairs(names []string) (header bool) {
	p.at, p.wide, p.most = [4]int{0, 1, -1, -1}, 2, 2
	p.out.NoValues = true
	user, item := called(names, usualNames[0]), called(names, usualNames[1])
	if user == 1 || item == 0 {
		p.at[0], p.at[1] = 1, 0
	}
	return user >= 0 || item >= 0
}

// usualNames are those of user, item, rating and time columns, but for case, blanks, _ and -.
var usualNames = [4][]string{{"user", "userid"}, {"item", "movie", "itemid", "movieid"}, {"rating", "value", "score"},
	{"timestamp", "time"}}

// called is the first column with one of some names, -1 for none.
func called(names, usual []string) int {
	return slices.IndexFunc(names, func(n string) bool {
		return slices.Contains(usual, strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(n)))
	})
}

// NamesUsers says whether a text is a usual name of a column of users.
func NamesUsers(text string) bool { return called([]string{text}, usualNames[0]) == 0 }

// guessed recognises the usual names, and is named then; without them the first line is a header if its rating may name a column.
func (p *ratingsParser) guessed(names []string) (header, named bool) {
	found := p.at
	count := 0
	for c, usual := range usualNames {
		if at := called(names, usual); at >= 0 {
			found[c] = at
			if c < 3 {
				count++
			}
		}
	}
	if count == 3 {
		p.at = found
		return true, true
	}
	return namesColumn(names[2]) && !(looksLikeNumber(names[0]) && looksLikeNumber(names[1])), false
}

// namesColumn says whether a text may do so: not if it is missing or begins like a number, which is a value to mend, lest a row
// is lost.
func namesColumn(s string) bool { return !Missing(s) && !startsLikeNumber(s) && !looksLikeNumber(s) }

func looksLikeNumber(s string) bool { _, ok := text.Number(s); return ok }

func startsLikeNumber(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '-' || s[0] == '+' || s[0] == '.')
}

// chosen places the columns that the caller named.
func (p *ratingsParser) chosen(names []string, line int) (header bool, err error) {
	want := strings.Split(p.opt.Columns, ",")
	if p.opt.ValuesOptional && len(want) == 2 {
		p.at[2] = -1
		p.out.NoValues = true
	} else if len(want) < 3 || len(want) > 4 {
		return false, p.errorf(line, "--columns %q: a user, an item and a rating column, and perhaps a time, with commas between",
			p.opt.Columns)
	}
	for c, w := range want {
		w = strings.TrimSpace(w)
		at := slices.Index(names, w)
		if n, err := strconv.Atoi(w); err == nil {
			if n < 1 || n > len(names) {
				return false, p.errorf(line, "has %s; --columns asks for number %d", counted(len(names), "column"), n)
			}
			p.at[c] = n - 1
			continue
		}
		if at < 0 {
			return false, p.errorf(line, "has no column %q; there are %s", w, strings.Join(names, ", "))
		}
		p.at[c], header = at, true
	}
	switch { // by number: the line is a header if its rating may name a column
	case header:
	case p.at[2] < 0:
		header = called(names, usualNames[0]) >= 0 || called(names, usualNames[1]) >= 0
	default:
		header = namesColumn(names[p.at[2]])
	}
	return header, nil
}

// CheckColumns says what is wrong with RatingsReader.Columns before anything is read: these are three names or numbers from
// 1, with commas between, or four with a time; two may do where ratings are not needed. "" is nothing wrong.
func CheckColumns(columns string, ratings bool) error {
	if columns == "" {
		return nil
	}
	names := strings.Split(columns, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
		if names[i] != "" && slices.Contains(names[:i], names[i]) {
			return fmt.Errorf("%s is there twice", names[i])
		}
		if v, err := strconv.Atoi(names[i]); err == nil && v < 1 {
			return errors.New("numbers of columns start at 1")
		}
	}
	if len(names) == 2 && !ratings && !slices.Contains(names, "") {
		return nil
	}
	if len(names) < 3 || len(names) > 4 || slices.Contains(names, "") {
		return errors.New("a user, an item and a rating column, and perhaps a time, with commas between")
	}
	return nil
}
