package text

import (
	"bytes"
	"errors"
)

// DelimiterOf guesses what separates the fields of a line: a tab, semicolon, comma or bar outside quotes, or 0 for runs
// of blanks. A semicolon goes before a comma, which then is a decimal one and refused.
func DelimiterOf(line []byte) byte {
	var found [256]bool
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			found[c] = true
		}
	}
	for _, d := range []byte("\t;,|") {
		if found[d] {
			return d
		}
	}
	return 0
}

// CutField is the first field of a line, and what follows its delimiter. The field comes without the blanks around it and
// without quotes; doubled quotes stand for one, and blanks inside are kept. more tells whether there was a delimiter. With
// blanks for delimiters the line has none at its ends.
func CutField(line []byte, delim byte) (field, rest []byte, more bool, err error) {
	if t := bytes.TrimLeft(line, " "); len(t) > 0 && t[0] == '"' {
		return cutQuoted(t, delim)
	}
	if delim == 0 {
		field, rest = CutWord(line)
		return field, rest, len(rest) > 0, nil
	}
	field, rest, more = CutByte(line, delim)
	return TrimSpace(field), rest, more, nil
}

// CutByte is bytes.Cut for fields of a few bytes, where calling a search costs more than the search.
func CutByte(line []byte, delim byte) (field, rest []byte, more bool) {
	for i, c := range line {
		if c == delim {
			return line[:i], line[i+1:], true
		}
	}
	return line, nil, false
}

// TrimSpace is bytes.TrimSpace, which fields that begin and end with a visible ASCII character need not ask.
func TrimSpace(field []byte) []byte {
	visible := func(c byte) bool { return c > ' ' && c < 0x7f }
	if n := len(field); n > 0 && visible(field[0]) && visible(field[n-1]) {
		return field
	}
	return bytes.TrimSpace(field)
}

func cutQuoted(line []byte, delim byte) (field, rest []byte, more bool, err error) {
	end := 1
	for ; ; end++ {
		i := bytes.IndexByte(line[end:], '"')
		if i < 0 {
			return nil, nil, false, errors.New("a quote is not closed on its line; close it, or join the lines")
		}
		if end += i; end+1 == len(line) || line[end+1] != '"' {
			break
		}
		end++
	}
	field = bytes.ReplaceAll(line[1:end], []byte(`""`), []byte(`"`))
	rest = line[end+1:]
	t := TrimLeft(rest)
	if delim == '\t' {
		t = bytes.TrimLeft(rest, " ")
	}
	switch {
	case len(t) == 0:
		return field, nil, false, nil
	case delim == 0 && len(t) < len(rest):
		return field, t, true, nil
	case delim != 0 && t[0] == delim:
		return field, t[1:], true, nil
	}
	return nil, nil, false, errors.New("text follows a closing quote; double the quotes inside a field")
}
