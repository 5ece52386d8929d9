package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/param"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// layout finds the columns of a first line, below which next stands; it reports whether the line is a header.
func (p *ratingsParser) layout(fields, next [][]byte, line int) (header bool, err error) {
	names, below := textsOf(fields), textsOf(next)
	if p.opt.Columns != "" {
		header, err = p.chosen(names, below, line)
	} else if header = headsRatings(names, below, p.ratingPlace(len(names)), p.opt.Labels); header {
		if len(below) == len(names)+1 { // R names rows without a word for it
			names = append([]string{""}, names...)
		}
		err = p.byName(names, below, line)
	} else {
		err = p.byPlace(len(names), line)
	}
	if err != nil {
		return false, err
	}
	p.wide, p.most = 1+slices.Max(p.at[:]), len(names)
	if header {
		p.out.Columns = p.taken(names)
	}
	return header, nil
}

// guessDelimiter is what the first line has between its fields, nil for runs of blanks. Two tabs stand between those of Jester.
func (p *ratingsParser) guessDelimiter(head []byte) []byte {
	const two = "\t\t"
	if n := bytes.Count(head, []byte(two)); n > 1 && bytes.Count(head, []byte("\t")) == 2*n {
		return []byte(two)
	}
	for _, d := range []string{"::", "\t", ",", ";", "|"} {
		if d[0] != p.opt.Decimal && bytes.Contains(head, []byte(d)) {
			return []byte(d)
		}
	}
	return nil
}

// columns finds the columns of a table that has names for all. Those of a query come in the order that its author gave, where
// they are called by no word of the trade.
func (p *ratingsParser) columns(names []string, queried bool) (err error) {
	at, _ := rolesOf(names)
	switch {
	case p.opt.Columns != "":
		_, err = p.chosen(names, nil, 0)
	case queried && at[userRole] < 0 && at[itemRole] < 0:
		err = p.byPlace(len(names), 0)
	default:
		err = p.byName(names, nil, 0)
	}
	if err == nil {
		p.out.Columns = p.taken(names)
	}
	return err
}

func textsOf(fields [][]byte) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = string(f)
	}
	return list
}

// ratingPlace is where the rating of a line without names stands, of so many fields; -1 where it has none.
func (p *ratingsParser) ratingPlace(fields int) int {
	switch {
	case fields == 2 && p.opt.OneUser:
		return 1
	case fields <= 2:
		return -1
	}
	return 2
}

// byPlace takes the columns of a file without a header: a user, an item, a rating and a time, or less where that may be.
func (p *ratingsParser) byPlace(fields, line int) error {
	p.at = noPlaces()
	switch {
	case fields == 1 && p.opt.OneUser && p.opt.ValuesOptional:
		p.at[itemRole], p.out.NoValues = 0, true
	case fields == 2 && p.opt.OneUser:
		p.at[itemRole], p.at[ratingRole] = 0, 1
	case fields == 2 && p.opt.ValuesOptional:
		p.at[userRole], p.at[itemRole], p.out.NoValues = 0, 1, true
	case fields < 2 && p.opt.ValuesOptional:
		return p.errorf(line, "has %s; a line has two ids, and perhaps a value", text.Counted(fields, "field"))
	case fields < 3:
		return unrated{p.errorf(line, "has %s; a line has a user, an item and a rating", text.Counted(fields, "field"))}
	case fields > mostUnnamed:
		return p.errorf(line, "has %d fields, where a rating has a user, an item, a rating and perhaps a time; "+
			"say which they are with %v", fields, param.Columns)
	default:
		p.at[userRole], p.at[itemRole], p.at[ratingRole] = 0, 1, 2
		if fields > 3 && p.opt.times() {
			p.at[timeRole] = 3
		}
	}
	return nil
}

// ErrUnrated is what errors of text are that has users and items, and no column for their ratings.
var ErrUnrated = errors.New("dataset: no column is called like a rating")

// An unrated is an ErrUnrated in words of its own.
type unrated struct{ error }

func (unrated) Is(target error) bool { return target == ErrUnrated }

func (u unrated) Unwrap() error { return u.error }

// byName takes the columns that a header names. One that it does not name is taken where a single column is left for it. A header
// that names neither users nor items is not guessed at.
func (p *ratingsParser) byName(names, below []string, line int) error {
	at, tied := rolesOf(names)
	at[weightRole], at[offsetRole] = -1, -1
	for r, two := range tied {
		if two != "" && (role(r) != timeRole || p.opt.Times) {
			return p.errorf(line, "%s may both be the %s; say which columns to take, as %v %s", two, roleNames[r], param.Columns,
				p.asked())
		}
	}
	left := p.left(names, at)
	alone := p.opt.OneUser && at[itemRole] >= 0 && at[userRole] < 0 // of one user, who is not named
	switch {
	case at[userRole] < 0 && at[itemRole] < 0:
		return p.errorf(line, "the header (%s) names neither users nor items; say which columns to take, as %v %s",
			listedNames(names), param.Columns, p.asked())
	case at[userRole] >= 0 && at[itemRole] >= 0 || alone:
	case len(left) == 1 || len(left) > 0 && at[ratingRole] < 0 && len(left) == 2:
		for _, r := range []role{userRole, itemRole} {
			if at[r] < 0 {
				at[r], left = left[0], left[1:]
			}
		}
	default:
		r := userRole
		if at[itemRole] < 0 {
			r = itemRole
		}
		return p.errorf(line, "no column of the header (%s) is called like an %s; say which columns to take, as %v %s",
			listedNames(names), roleNames[r], param.Columns, p.asked())
	}
	if at[ratingRole] < 0 && len(left) == 1 && (!p.opt.ValuesOptional || left[0] < len(below) && looksLikeNumber(below[left[0]])) {
		at[ratingRole] = left[0]
	}
	if at[ratingRole] < 0 {
		if !p.opt.ValuesOptional {
			return unrated{p.errorf(line, "no column of the header (%s) is called like a rating; say which columns to take, as %v %s",
				listedNames(names), param.Columns, p.asked())}
		}
		p.out.NoValues = true
	}
	if !p.opt.times() {
		at[timeRole] = -1
	}
	p.at = at
	return nil
}

// asked is an example of RatingsReader.Columns.
func (p *ratingsParser) asked() string {
	if p.opt.ValuesOptional {
		return "USER,ITEM"
	}
	return "USER,ITEM,RATING"
}

// left are the columns with a name and without a role.
func (p *ratingsParser) left(names []string, at places) (list []int) {
	for c, name := range names {
		if name != "" && !slices.Contains(at[:], c) {
			list = append(list, c)
		}
	}
	return list
}

// taken says which columns were taken for what, where their names and places do not.
func (p *ratingsParser) taken(names []string) string {
	var list []string
	plain := true // as they are called here, in this order
	for r, c := range p.at {
		if c >= 0 {
			plain = plain && c == r && strings.EqualFold(names[c], roleNames[r])
			list = append(list, fmt.Sprintf("%s %s", roleNames[r], text.Clip([]byte(names[c]))))
		}
	}
	if plain {
		return ""
	}
	return strings.Join(list, ", ")
}

// listedNames are the first names of a header.
func listedNames(names []string) string {
	const most = 8
	s := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		s += ", …"
	}
	return string(text.Clip([]byte(s)))
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
		return p.errorf(line, "has %s where the first line has at least %d", text.Counted(n, "field"), p.wide)
	case n <= p.most:
		return nil
	case string(p.delim) == "," && looksLikeNumber(string(fields[n-1])):
		return p.errorf(line, "has %d fields where the first line has %d; for a decimal comma separate fields with ; or tabs, and add "+
			"%v ,", n, p.most, param.Decimal)
	}
	return p.errorf(line, "has %d fields where the first line has %d; put quotes around a field with the delimiter in it", n, p.most)
}

// chosen places the columns that the caller named.
func (p *ratingsParser) chosen(names, below []string, line int) (header bool, err error) {
	p.at = noPlaces()
	want, beside := columnsOf(p.opt.Columns)
	if p.opt.ValuesOptional && len(want) == 2 {
		p.at[2] = -1
		p.out.NoValues = true
	} else if len(want) < 3 || len(want) > 4 {
		return false, p.errorf(line, "%v %q: %s", param.Columns, p.opt.Columns, whichColumns)
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
				return false, p.errorf(line, "has %s; %v asks for number %d", text.Counted(len(names), "column"), param.Columns, n)
			}
			p.at[c] = n - 1
			continue
		}
		if at < 0 {
			return false, p.errorf(line, "%s", Absent(w, names))
		}
		p.at[c], header = at, true
	}
	if !header { // by number
		header = headsRatings(names, below, p.at[ratingRole], p.opt.Labels)
	}
	return header, nil
}

// whichColumns says what RatingsReader.Columns are.
const whichColumns = "a user, an item and a rating column, and perhaps a time, with commas between; " +
	"and weight=NAME and offset=NAME where there are some; or wide, of a table with a column for each item"

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
	if columns == "" || columns == WideColumns {
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
		if _, ok := text.WholeNumber(withPoint(f, p.opt.Decimal)); !ok {
			return math.NaN(), nil
		}
	}
	x, err := p.number("rating", f, p.at[2], line)
	p.given = p.given || err == nil
	return x, err
}

// number is a field of a column that holds a rating, or what else What says.
func (p *ratingsParser) number(what string, f []byte, column, line int) (float64, error) {
	x, ok := text.WholeNumber(withPoint(f, p.opt.Decimal))
	switch {
	case !ok && Missing(string(f)):
		return 0, p.errorf(line, "the %s is %q, a missing value; fill it in or leave the line out (column %d; see %v)", what, f,
			column+1, param.Columns)
	case !ok:
		return 0, p.errorf(line, "the %s %q is not a number (column %d; see %v)", what, f, column+1, param.Columns)
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
			return p.errorf(line, "the weight is %s; a weight is 0 or more (column %d; see %v)", f[4], at+1, param.Columns)
		}
		p.extra[k].push(x)
	}
	return nil
}
