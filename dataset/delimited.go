package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/param"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// RatingsReader says how a file of ratings is read; the zero value guesses.
type RatingsReader struct {
	// Columns are the user, item and rating columns, by name or by number from 1: "user,item,rating". Empty means the
	// first three, or those of a header that are called so. Behind the rating come, in any order, a time, and a weight and an
	// offset: columns that are called so, or weight=NAME and offset=NAME, which may stand anywhere. WideColumns is a table with a
	// row for each user and a column for each item; one with gaps, below a header of other words, is taken for it without.
	Columns string
	// Labels reads ratings that are any text, such as yes and no: Ratings.Values are places in Ratings.Labels.
	Labels bool
	// Times keeps the column of times, if there is one: of a header the one that is called so, without a header the fourth.
	Times bool
	// TimesOptional does so as long as they are whole numbers: Ratings.TimesLost is the error of the first that is not.
	TimesOptional bool
	// ValuesOptional reads files of users and items alone; ratings are 0 then, and Ratings.NoValues is set. So they are where all
	// ratings are missing; where some are, these are NaN.
	ValuesOptional bool
	// OneUser reads files of item and rating as those of one user, who is called new; files with users are read as ever. With
	// ValuesOptional files of items alone are hers, too, and a header with a user and an item is of these.
	OneUser bool
	// Decimal is the decimal mark of ratings, a point if it is 0; a comma does not separate fields then.
	Decimal byte
	// Narrow keeps values in float32 and leaves Rows, Cols and Values empty: 12 bytes a rating, from which Ratings.Compact goes on.
	Narrow bool
	// RowIDs and ColIDs are those of another file: an id that is not among them becomes -1.
	RowIDs, ColIDs *IDs
	// Query chooses the rows of a database, see ColumnFormat; elsewhere it is an error.
	Query string
	// Ranks read a file together: of plain text each reads a part by bytes, and whatever else the first reads and deals out. Each
	// gets the ratings of its rows, see Ratings.Spread. With RowIDs these are Rows. Fields in quotes may hold no line break.
	// Apart leaves each rank what it reads, those of later ones standing behind, with ids of its own: see Ratings.ToFirst.
	Ranks *cluster.Comm
	Rows  *cluster.Rows
	Apart bool

	size        int64 // of the text in bytes, where that is known; else 0
	part, parts int   // of a table whose other parts other ranks read; 0 parts are all
}

// ReadRatings reads a file of any format that is known: MovieLens' three, delimited text, JSON lines, Matrix Market, the arrays
// of a sparse matrix in a folder or an .npz, and what RegisterColumns added.
func (o RatingsReader) ReadRatings(name string) (*Ratings, error) {
	if o.Ranks != nil {
		return o.readOverRanks(name)
	}
	f, typed := ColumnsOf(name)
	switch {
	case o.Query != "" && !f.Queried:
		return nil, fmt.Errorf("%s: is no database, and takes no query", name)
	case typed:
		return o.readColumns(f, name)
	}
	in, err := openInput(name, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.typed != nil {
		return o.readColumns(*jsonTable(in, false), name)
	}
	if a, done, err := in.arrays(o.ValuesOptional); a != nil || err != nil {
		defer done()
		if err != nil {
			return nil, err
		}
		return a.ratings(o)
	}
	o.size = in.size
	r, err := o.Read(in.bytes, in.Name)
	if err != nil {
		return nil, err
	}
	r.Checksum = in.Checksum()
	return r, nil
}

// Read reads ratings from a stream; name stands in the errors.
func (o RatingsReader) Read(src io.Reader, name string) (*Ratings, error) {
	p := o.parser(name)
	lines := text.NewLineReader(src)
	head, err := p.firstLine(lines)
	if err != nil {
		return nil, err
	}
	var wide *table
	if !isMarket(head) {
		wide = p.wideTable(lines)
	}
	switch {
	case wide != nil:
		err = p.readWide(wide)
	case isMarket(head):
		err = p.readMatrixMarket(lines)
	case bytes.IndexByte(lines.Window(), '"') >= 0:
		err = p.readQuoted(lines, true)
	default:
		err = p.readPlain(head, lines)
	}
	if err == nil {
		err = stopped(lines, name)
	}
	if err != nil && !strings.HasPrefix(err.Error(), name) {
		err = fmt.Errorf("%s:%d: cannot be read further: %w", name, lines.Line+1, err)
	}
	if err != nil {
		return nil, err
	}
	return p.finish()
}

// parser is one that has read nothing yet.
func (o RatingsReader) parser(name string) *ratingsParser {
	p := &ratingsParser{opt: o, out: &Ratings{Name: name, RowIDs: o.RowIDs, ColIDs: o.ColIDs},
		known: o.RowIDs != nil}
	if !p.known {
		p.out.RowIDs, p.out.ColIDs = &IDs{}, &IDs{}
	}
	return p
}

type ratingsParser struct {
	opt    RatingsReader
	out    *Ratings
	in     gathered
	clock  clockReader
	known  bool
	delim  []byte                // nil for runs of blanks
	extra  [2]chunkList[float64] // weights and offsets
	texts  IDs                   // labels
	at     places                // the columns
	wide   int                   // fields a line must have at least
	most   int                   // and at most: those of the first line
	failed int                   // lines in a row that were not simple
	batch  simpleBatch           // of simple lines
	given  bool                  // some rating is
	roomy  bool                  // room was made for all of the file
	typed  bool                  // a table with typed columns is read, which has rows and no lines
}

func (p *ratingsParser) errorf(line int, format string, args ...any) error {
	place := fmt.Sprintf("%s:%d: ", p.out.Name, line)
	switch {
	case p.typed && line == 0:
		place = p.out.Name + ": "
	case p.typed:
		place = fmt.Sprintf("%s, row %d: ", p.out.Name, line)
	}
	return param.At(place, format, args...)
}

// firstLine is the first line that says something, without a byte order mark.
func (p *ratingsParser) firstLine(lines *text.LineReader) ([]byte, error) {
	for lines.Next() {
		b := bytes.TrimPrefix(lines.Text, []byte("\xef\xbb\xbf"))
		if kind := foreign(lines.Window()); kind != "" && lines.Line == 1 {
			return nil, p.errorf(lines.Line, "is %s; ratings are text, plain or in gzip or zstd", kind)
		}
		if len(bytes.TrimSpace(b)) > 0 && b[0] != '#' && (b[0] != '%' || isMarket(b)) {
			if bytes.IndexByte(b, 0) >= 0 {
				return nil, p.errorf(lines.Line, "holds binary data; ratings are text")
			}
			lines.Text = b
			return b, nil
		}
	}
	if lines.Err != nil {
		return nil, fmt.Errorf("%s:%d: cannot be read: %w", p.out.Name, lines.Line+1, lines.Err)
	}
	return nil, fmt.Errorf("%s: is empty; a line has a user, an item and a rating", p.out.Name)
}

func (p *ratingsParser) readPlain(head []byte, lines *text.LineReader) error {
	p.delim = p.guessDelimiter(head)
	header, err := p.layout(splitAll(head, p.delim), splitAll(p.below(lines), p.delim), lines.Line)
	if err != nil {
		return err
	}
	if !header {
		if err := p.plainLine(lines.Text, lines.Line); err != nil {
			return err
		}
	}
	return p.plainLines(lines)
}

// plainLines reads the lines after the first, once the columns are known.
func (p *ratingsParser) plainLines(lines *text.LineReader) error {
	for {
		if scan := p.simple(); scan != nil { // any other line may change what is simple
			if err := p.simpleLines(scan, lines); err != nil {
				return err
			}
		}
		if !lines.Next() {
			return nil
		}
		if blank(lines.Text) {
			if p.looksLikeRating(lines.Text) {
				return p.errorf(lines.Line,
					"starts with #, as comments do, but looks like a rating; put the user in quotes, or remove the line")
			}
			continue
		}
		if len(p.delim) == 1 && bytes.IndexByte(lines.Text, '"') >= 0 {
			return p.readQuoted(lines, false)
		}
		if err := p.plainLine(lines.Text, lines.Line); err != nil {
			return err
		}
	}
}

// below is the line below the current one that says something, as far as it was read.
func (p *ratingsParser) below(lines *text.LineReader) []byte {
	for _, line := range lines.Below(mostBelow) {
		if !blank(line) {
			return line
		}
	}
	return nil
}

// mostBelow is how many lines are looked at to tell what the first is.
const mostBelow = 200

func blank(b []byte) bool { return len(b) == 0 || b[0] == '#' || len(bytes.TrimSpace(b)) == 0 }

// looksLikeRating says whether a comment has all that a line has.
func (p *ratingsParser) looksLikeRating(line []byte) bool {
	if len(line) == 0 || line[0] != '#' || p.at[ratingRole] < 0 {
		return false
	}
	fields := splitAll(line, p.delim)
	return len(fields) >= p.wide && looksLikeNumber(string(fields[p.at[2]]))
}

func splitAll(line, delim []byte) [][]byte {
	if delim == nil {
		return bytes.Fields(line)
	}
	fields := bytes.Split(line, delim)
	for i, f := range fields {
		fields[i] = bytes.TrimSpace(f)
	}
	return fields
}

func (p *ratingsParser) plainLine(line []byte, number int) error {
	var fields [6][]byte
	count := 0
	if p.delim == nil {
		all := bytes.Fields(line)
		count = len(all)
		for c, at := range p.at {
			if at >= 0 && at < count {
				fields[c] = all[at]
			}
		}
	} else {
		rest, more := line, true
		for ; more && count < p.wide; count++ {
			var f []byte
			if len(p.delim) == 1 {
				f, rest, more = text.CutByte(rest, p.delim[0])
			} else {
				f, rest, more = bytes.Cut(rest, p.delim)
			}
			for c, at := range p.at {
				if at == count {
					fields[c] = text.TrimSpace(f)
				}
			}
		}
		if more {
			count += 1 + bytes.Count(rest, p.delim)
		}
	}
	if count < p.wide || count > p.most {
		if err := p.wrongWidth(splitAll(line, p.delim), number); err != nil {
			return err
		}
	}
	return p.add(fields, number)
}

// add appends one rating.
func (p *ratingsParser) add(f [6][]byte, line int) error {
	x, err := p.value(f[2], line)
	if err != nil {
		return err
	}
	return p.push(f, x, line)
}

// push appends a rating of value x, whose other fields are in f.
func (p *ratingsParser) push(f [6][]byte, x float64, line int) error {
	if p.at[0] < 0 {
		f[0] = []byte("new")
	}
	if len(f[0]) == 0 || len(f[1]) == 0 {
		return p.errorf(line, "the user or the item is empty")
	}
	if err := p.place(f[0], f[1], x, line); err != nil {
		return err
	}
	if p.opt.times() && p.at[timeRole] >= 0 {
		if err := p.addTime(f[timeRole], line); err != nil {
			return err
		}
	}
	return p.beside(f, line)
}

// place appends a rating of a user and an item.
func (p *ratingsParser) place(user, item []byte, x float64, line int) error {
	r := p.out
	if p.known {
		return p.keep(r.RowIDs.Find(user), r.ColIDs.Find(item), x, line)
	}
	return p.keep(r.RowIDs.Add(user), r.ColIDs.Add(item), x, line)
}

// keep appends a rating of row i and column j.
func (p *ratingsParser) keep(i, j int32, x float64, line int) error {
	p.out.breaks.Note(p.in.count(), line)
	if !p.known && (i < 0 || j < 0 || p.in.count() == math.MaxInt32) {
		return p.errorf(line, "more than 2³¹-1 users, items or ratings")
	}
	p.in.rows.push(i)
	p.in.cols.push(j)
	if p.opt.Narrow {
		p.in.singles.push(p.in.narrowed.of(x))
	} else {
		p.in.values.push(x)
	}
	return nil
}

func (o RatingsReader) times() bool { return o.Times || o.TimesOptional }

func (p *ratingsParser) addTime(b []byte, line int) error {
	r := p.out
	if r.TimesLost != nil {
		return nil
	}
	if p.clock.push(b) {
		return nil
	}
	err := p.errorf(line, "the time %q is no number, and no date and time as 2005-12-14T09:30:00Z is, or not written as those "+
		"above it (column %d; see %v)", text.Clip(b), p.at[timeRole]+1, param.Columns)
	if p.opt.TimesOptional {
		p.clock, r.TimesLost = clockReader{}, err
		return nil
	}
	return err
}

func (p *ratingsParser) finish() (*Ratings, error) {
	r := p.out
	if p.in.count() == 0 {
		return nil, fmt.Errorf("%s: has no ratings, only a header", r.Name)
	}
	if p.opt.Narrow {
		r.narrow = &p.in
	} else {
		r.Rows, r.Cols, r.Values = p.in.rows.join(), p.in.cols.join(), p.in.values.join()
	}
	if p.clock.times.n > 0 {
		r.Times = p.clock.times.join()
	}
	if p.at[4] >= 0 {
		r.Omega = p.extra[0].join()
	}
	if p.at[5] >= 0 {
		r.Offset = p.extra[1].join()
	}
	if p.opt.Labels {
		r.Labels = p.texts.Texts()
	}
	if p.opt.ValuesOptional && !p.given {
		clear(r.Values)
		r.NoValues = true
	}
	r.Shape = [2]int{r.RowIDs.Len(), r.ColIDs.Len()}
	return r, nil
}
