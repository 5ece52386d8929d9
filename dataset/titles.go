package dataset

import (
	"bytes"
	"errors"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// ReadTitles reads what items are called, by their ids, from a file or from standard input for "-": MovieLens' u.item, movies.dat
// and movies.csv, or any text with an item and a title on each line. The delimiter is the one of "::", tab, bar, comma and
// semicolon that comes first on the first line. The item and the title are the first two columns, or those that a header calls
// so; a title without quotes in the last of them may hold commas. Text that is not UTF-8 is taken for Latin-1.
func ReadTitles(name string) (map[string]string, error) {
	lines, in, err := openLines(name, nil, "an item and its title on each line")
	if err != nil {
		return nil, err
	}
	defer in.Close()
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
		titles[text.Latin1(id)] = text.Latin1(title)
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
	title := slices.IndexFunc(names, func(name string) bool {
		words := parts(name)
		return len(words) > 0 && slices.Contains([]string{"title", "name"}, words[len(words)-1])
	})
	if title >= 0 {
		t.headed, t.title = true, title
		if at, _ := rolesOf(names); at[itemRole] >= 0 && at[itemRole] != title {
			t.id = at[itemRole]
		} else {
			t.id = 1 - min(title, 1) // the first other column
		}
	}
	t.open = !t.headed || t.title == len(names)-1
	return t, nil
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
