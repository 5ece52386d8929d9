package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// ReadLabels reads one label a line, any text, or the only column of a CSV file, an .npy or .npz array of numbers, or a
// dense Matrix Market matrix; "-" is stdin. There should be want labels, 0 for any number: if there is one more, the
// first line is a header, unless it is one of the labels, or a number above numbers. Blank lines are refused but at the end.
// A first column without a name is row names and left out, as in ReadMatrix.
func ReadLabels(name string, stdin io.Reader, want int) ([]string, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.only = true
	labels, err := in.labels()
	if err != nil {
		return nil, err
	}
	if want > 0 && len(labels) == want+1 && isHeader(labels[0], labels[1:]) {
		labels = labels[1:]
	}
	if want > 0 && len(labels) != want {
		return nil, fmt.Errorf("%s: has %s for %s; give one for each row, and at most a header, which is no label itself",
			in.Name, text.Counted(len(labels), "label"), text.Counted(want, "row"))
	}
	return labels, nil
}

// isHeader says whether a line above labels may name their column. A line that is itself a label, or a number above numbers, is a
// label too many: without it all others would belong to the wrong rows.
func isHeader(first string, labels []string) bool {
	if slices.Contains(labels, first) {
		return false
	}
	_, number := text.WholeNumber([]byte(first))
	_, numbers := text.WholeNumber([]byte(labels[0]))
	return !(number && numbers)
}

func (in *input) labels() ([]string, error) {
	if in.dir {
		return nil, fmt.Errorf("%s: is a folder; name a file: one label a line", in.path)
	}
	if in.typed != nil {
		lines, err := in.text()
		if err != nil {
			return nil, err
		}
		return readLabelLines(lines, in.Name)
	}
	head, _ := in.bytes.Peek(len(marketMagic))
	if bytes.HasPrefix(head, []byte(npyMagic)) {
		a, err := newNPY(in.bytes, in.Name)
		if err != nil {
			return nil, err
		}
		return a.texts()
	}
	if ending := in.ending(); ending == "npy" || ending == "npz" || isMarket(head) || isZip(head) {
		m, err := in.matrix()
		if err != nil {
			return nil, err
		}
		if m.Cols != 1 || m.Dense == nil {
			return nil, fmt.Errorf("%s: is not a dense column but a %d×%d matrix; labels are one column", in.Name, m.Rows, m.Cols)
		}
		labels := make([]string, m.Rows)
		for i, x := range m.Dense {
			labels[i] = class.Label(x)
		}
		return labels, nil
	}
	return readLabelLines(text.NewLineReader(in.bytes), in.Name)
}

func readLabelLines(lines *text.LineReader, name string) ([]string, error) {
	var labels chunkList[string]
	texts := sharedTexts{}
	gap := 0
	var behind byte // row names, 0 where there are none
	for lines.Next() {
		b := lines.Text
		if lines.Line == 1 {
			b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
			if behind = behindRowNames(b); behind != 0 {
				continue
			}
		}
		b, err := labelOf(b, behind, name, lines.Line)
		if err != nil {
			return nil, err
		}
		if len(text.TrimSpace(b)) == 0 {
			if gap == 0 {
				gap = lines.Line
			}
			continue
		}
		if gap > 0 {
			return nil, lineError(name, gap, "has no label, and there are some behind it; fill it in or remove it")
		}
		labels.push(texts.text(b))
	}
	if err := stopped(lines, name); err != nil {
		return nil, err
	}
	if labels.n == 0 {
		return nil, fmt.Errorf("%s: is empty; give one label a line", name)
	}
	return labels.join(), nil
}

// sharedTexts are texts that recur, each kept once. Many different ones are targets, which do not recur.
type sharedTexts map[string]string

func (t sharedTexts) text(b []byte) string {
	if s, ok := t[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(t) < 1<<12 {
		t[s] = s
	}
	return s
}

// behindRowNames is the delimiter of a header of two columns of which the first has no name, 0 for any other line.
func behindRowNames(line []byte) byte {
	delim := text.DelimiterOf(line)
	if delim == 0 {
		return 0
	}
	first, rest, two, err := text.CutField(line, delim)
	if err != nil || !two || len(first) > 0 {
		return 0
	}
	second, _, more, err := text.CutField(rest, delim)
	if err != nil || more || len(second) == 0 {
		return 0
	}
	return delim
}

// labelOf is the only field of a line, or the one behind the name of its row and the delimiter of that.
func labelOf(line []byte, behind byte, name string, number int) ([]byte, error) {
	if behind == 0 || len(text.TrimSpace(line)) == 0 {
		delim := text.DelimiterOf(line)
		if delim == 0 {
			delim = ',' // blanks belong to a label
		}
		return oneField(line, delim, name, number)
	}
	_, rest, two, err := text.CutField(line, behind)
	switch {
	case err != nil:
		return nil, lineError(name, number, "%v", err)
	case !two:
		return nil, lineError(name, number, "has 1 column where line 1 has 2; every line needs as many")
	}
	return oneField(rest, behind, name, number)
}

// oneField is the only field of a line.
func oneField(line []byte, delim byte, name string, number int) ([]byte, error) {
	if bytes.IndexByte(line, 0) >= 0 {
		return nil, lineError(name, number, "holds binary data, not text; give one label a line")
	}
	f, _, more, err := text.CutField(line, delim)
	switch {
	case err != nil:
		return nil, lineError(name, number, "%v", err)
	case more && delim != '|':
		return nil, lineError(name, number,
			"has more than one column; give the labels alone, one a line, and quote those with %q in them", delim)
	case more:
		return bytes.TrimSpace(line), nil
	case strings.EqualFold(string(text.TrimSpace(f)), "nan"):
		return nil, lineError(name, number, "the label is %q, a missing value; fill it in or leave the row out", f)
	}
	return f, nil
}

// ReadTitles reads what items are called, by their ids, from a file or from standard input for "-": MovieLens' u.item, movies.dat
// and movies.csv, or any text with an item and a title on each line. The delimiter is the one of "::", tab, bar, comma and
// semicolon that comes first on the first line. The item and the title are the first two columns, or those that a header calls
// so; a title without quotes in the last of them may hold commas.
func ReadTitles(name string) (map[string]string, error) {
	in, err := openInput(name, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.typed != nil {
		return titlesOf(*in.typed, name)
	}
	lines, err := in.linesOf("an item and its title on each line")
	if err != nil {
		return nil, err
	}
	t, err := titleColumnsOf(lines.Text)
	if err != nil {
		return nil, lineError(in.Name, lines.Line, "%v", err)
	}
	titles := map[string]string{}
	for more := !t.headed || lines.Next(); more; more = lines.Next() {
		if len(bytes.TrimSpace(lines.Text)) == 0 {
			continue
		}
		id, title, err := t.of(lines.Text)
		if err != nil {
			return nil, lineError(in.Name, lines.Line, "%v", err)
		}
		titles[text.Decoded(id)] = text.Decoded(title)
	}
	return titles, stopped(lines, in.Name)
}

// titleColumns are the places of the item and of the title on a line.
type titleColumns struct {
	delim     []byte
	id, title int
	headed    bool // by the first line
	open      bool // the title is the last column, and goes on behind commas
}

func titleColumnsOf(head []byte) (titleColumns, error) {
	t := titleColumns{title: 1}
	at := len(head)
	for _, d := range []string{"::", "\t", "|", ",", ";"} {
		if i := bytes.Index(head, []byte(d)); i >= 0 && i < at {
			t.delim, at = []byte(d), i
		}
	}
	if t.delim == nil {
		return t, errors.New("has no item and title with |, tab, :: or comma between")
	}
	var names []string
	for rest, more := head, true; more; {
		var f []byte
		var err error
		if f, rest, more, err = t.cut(rest); err != nil {
			return t, err
		}
		names = append(names, string(f))
	}
	t.byName(names)
	t.open = !t.headed || t.title == len(names)-1
	return t, nil
}

// byName finds the columns in a header, if names are one.
func (t *titleColumns) byName(names []string) {
	title := slices.IndexFunc(names, func(name string) bool {
		words := parts(name)
		return len(words) > 0 && slices.Contains([]string{"title", "name"}, words[len(words)-1])
	})
	if title < 0 {
		return
	}
	t.headed, t.title = true, title
	if at, _ := rolesOf(names); at[itemRole] >= 0 && at[itemRole] != title {
		t.id = at[itemRole]
	} else {
		t.id = 1 - min(title, 1) // the first other column
	}
}

// titlesOf are those of a table with typed columns; an item without one has none.
func titlesOf(f ColumnFormat, name string) (map[string]string, error) {
	r, err := f.Open(name, "")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := titleColumns{title: 1}
	if t.byName(r.Columns()); len(r.Columns()) < 2 {
		return nil, fmt.Errorf("%s: has one column; titles have an item and a title", r.Name())
	}
	titles := map[string]string{}
	err = eachBatch(r, []int{t.id, t.title}, func(batch []Column) error {
		for k := range batch[0].Len() {
			if id, title := batch[0].appendText(nil, k), batch[1].appendText(nil, k); len(id) > 0 && len(title) > 0 {
				titles[string(id)] = string(title)
			}
		}
		return nil
	})
	return titles, err
}

// of are the item and the title of a line.
func (t *titleColumns) of(line []byte) (id, title []byte, err error) {
	for c, rest, more := 0, line, true; c <= max(t.id, t.title); c++ {
		if !more {
			return nil, nil, errors.New("has no title")
		}
		var f []byte
		whole := rest
		if f, rest, more, err = t.cut(rest); err != nil {
			return nil, nil, err
		}
		switch {
		case c == t.id:
			id = f
		case c != t.title:
		case more && t.open && t.delim[0] == ',' && bytes.TrimLeft(whole, " ")[0] != '"':
			return id, bytes.TrimSpace(whole), nil
		default:
			title = f
		}
	}
	return id, title, nil
}

// cut is the first field. Quotes hold commas and semicolons; beside other delimiters they are part of a title, unless around it.
func (t *titleColumns) cut(line []byte) (field, rest []byte, more bool, err error) {
	if t.delim[0] == ',' || t.delim[0] == ';' {
		field, rest, more, err = text.CutField(line, t.delim[0])
		return text.TrimSpace(field), rest, more, err
	}
	field, rest, more = bytes.Cut(line, t.delim)
	if field = bytes.TrimSpace(field); len(field) > 1 && field[0] == '"' && field[len(field)-1] == '"' {
		field = field[1 : len(field)-1]
	}
	return field, rest, more, nil
}
