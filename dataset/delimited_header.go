package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
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
	if p.opt.Columns != "" {
		if header, err = p.chosen(names, line); err != nil {
			return false, err
		}
	} else {
		if len(fields) == 1 && p.opt.OneUser && p.opt.ValuesOptional {
			p.at = [6]int{-1, 0, -1, -1, -1, -1}
			p.wide, p.most, p.out.NoValues = 1, 1, true
			return called(names, usualNames[1]) == 0, nil
		}
		if len(fields) == 2 && p.opt.OneUser && !p.named(names) {
			p.at = [6]int{-1, 0, 1, -1, -1, -1}
			p.wide, p.most = 2, 2
			return p.headed(names, 1), nil
		}
		if len(fields) == 2 && p.opt.ValuesOptional {
			return p.pairs(names), nil
		}
		if len(fields) < 2 && p.opt.ValuesOptional {
			return false, p.errorf(line, "has %s; a line has two ids, and perhaps a value", counted(len(fields), "field"))
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
	p.at, p.wide, p.most = [6]int{0, 1, -1, -1, -1, -1}, 2, 2
	p.out.NoValues = true
	user, item := called(names, usualNames[0]), called(names, usualNames[1])
	if user == 1 || item == 0 {
		p.at[0], p.at[1] = 1, 0
	}
	return user >= 0 || item >= 0
}

// named says whether two names are those of users and items that may stand alone.
func (p *ratingsParser) named(names []string) bool {
	return p.opt.ValuesOptional && called(names, usualNames[0]) >= 0 && called(names, usualNames[1]) >= 0
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
	header = p.headed(names, 2) && !(looksLikeNumber(names[0]) && looksLikeNumber(names[1]))
	if header && p.opt.times() && found[3] >= 3 { // the first three are what they are, and a time may say so
		p.at[3] = found[3]
	}
	return header, false
}

// headed says whether a line has names, by what it has in the place of a rating; where ratings are any text, only usual names
// are.
func (p *ratingsParser) headed(names []string, rating int) bool {
	if !p.opt.Labels {
		return namesColumn(names[rating])
	}
	for _, usual := range usualNames {
		if called(names, usual) >= 0 {
			return true
		}
	}
	return false
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
	want, beside := columnsOf(p.opt.Columns)
	if p.opt.ValuesOptional && len(want) == 2 {
		p.at[2] = -1
		p.out.NoValues = true
	} else if len(want) < 3 || len(want) > 4 {
		return false, p.errorf(line, "--columns %q: %s", p.opt.Columns, whichColumns)
	}
	for c, w := range append(want, beside[:]...) {
		if c >= len(want) {
			c += 4 - len(want)
		}
		if w == "" {
			continue
		}
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
		header = p.headed(names, p.at[2])
	}
	return header, nil
}

// whichColumns says what RatingsReader.Columns are.
const whichColumns = "a user, an item and a rating column, and perhaps a time, with commas between; " +
	"and weight=NAME and offset=NAME where there are some"

// columnsOf are the columns of user, item, rating and time, and those of weight and offset, "" for none: behind the rating these
// may stand by their names alone.
func columnsOf(columns string) (plain []string, beside [2]string) {
	for _, w := range strings.Split(columns, ",") {
		w = strings.TrimSpace(w)
		role, name, named := strings.Cut(w, "=")
		if len(plain) >= 3 && !named {
			name = w
		}
		switch {
		case role == "weight" && name != "" && beside[0] == "":
			beside[0] = name
		case role == "offset" && name != "" && beside[1] == "":
			beside[1] = name
		default:
			plain = append(plain, w)
		}
	}
	return plain, beside
}

// WeighsColumns says whether RatingsReader.Columns name a column of weights or of offsets.
func WeighsColumns(columns string) bool {
	_, beside := columnsOf(columns)
	return beside != [2]string{}
}

// CheckColumns says what is wrong with RatingsReader.Columns before anything is read: these are three names or numbers from 1,
// with commas between, or four with a time, and perhaps a weight and an offset; two may do where ratings are not needed. An empty
// string is right.
func CheckColumns(columns string, ratings bool) error {
	if columns == "" {
		return nil
	}
	names, beside := columnsOf(columns)
	all := slices.Concat(names, beside[:])
	for i, n := range all {
		if role, _, named := strings.Cut(n, "="); named && (role == "weight" || role == "offset") {
			return fmt.Errorf("%s is there twice", role)
		}
		if n != "" && slices.Contains(all[:i], n) {
			return fmt.Errorf("%s is there twice", n)
		}
		if v, err := strconv.Atoi(n); err == nil && v < 1 {
			return errors.New("numbers of columns start at 1")
		}
	}
	if len(names) == 2 && !ratings && !slices.Contains(names, "") {
		return nil
	}
	if len(names) < 3 || len(names) > 4 || slices.Contains(names, "") {
		return errors.New(whichColumns)
	}
	return nil
}

// LargestNumber is far from where squares overflow, whatever their number.
const LargestNumber = 1e100

// largestRating is as far from where the squares of sums of squares overflow, of which the steps of both factors at once are
// made.
const largestRating = 1e60

// value is the rating of a line, NaN for none.
func (p *ratingsParser) value(f []byte, line int) (float64, error) {
	switch {
	case p.out.NoValues:
		return 0, nil
	case p.opt.Labels && !Missing(string(f)):
		p.given = true
		return float64(p.texts.Add(f)), nil
	case p.opt.ValuesOptional && Missing(string(f)):
		if _, ok := text.WholeNumber(p.withPoint(f)); !ok {
			return math.NaN(), nil
		}
	}
	x, err := p.number("rating", f, p.at[2], line)
	p.given = p.given || err == nil
	return x, err
}

// number is a field of a column that holds a rating, or what else What says.
func (p *ratingsParser) number(what string, f []byte, column, line int) (float64, error) {
	x, ok := text.WholeNumber(p.withPoint(f))
	switch {
	case !ok && Missing(string(f)):
		return 0, p.errorf(line, "the %s is %q, a missing value; fill it in or leave the line out (column %d; see --columns)", what, f,
			column+1)
	case !ok:
		return 0, p.errorf(line, "the %s %q is not a number (column %d; see --columns)", what, f, column+1)
	}
	return x, p.checkNumber(what, x, line, f...)
}

// checkNumber refuses what is not finite, or too large to be squared; written is how the file has it, where it is text.
func (p *ratingsParser) checkNumber(what string, x float64, line int, written ...byte) error {
	if len(written) == 0 {
		written = strconv.AppendFloat(nil, x, 'g', -1, 64)
	}
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return p.errorf(line, "the %s is %q; %ss are finite numbers", what, written, what)
	case math.Abs(x) > largestRating:
		return p.errorf(line, "the %s is %q; beyond %g powers of %ss overflow: give them in a larger unit", what, written,
			largestRating, what)
	}
	return nil
}

// beside takes the weight and the offset of a rating.
func (p *ratingsParser) beside(f [6][]byte, line int) error {
	for k, what := range []string{"weight", "offset"} {
		at := p.at[4+k]
		if at < 0 {
			continue
		}
		x, err := p.number(what, f[4+k], at, line)
		if err != nil {
			return err
		}
		if what == "weight" && x < 0 {
			return p.errorf(line, "the weight is %s; a weight is 0 or more (column %d; see --columns)", f[4], at+1)
		}
		p.extra[k].push(x)
	}
	return nil
}
