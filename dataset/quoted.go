package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// readQuoted leaves quoted text, from the current line on, to encoding/csv; first says that the line is the first.
func (p *ratingsParser) readQuoted(lines *text.LineReader, first bool) error {
	c := csv.NewReader(lines.Rest())
	c.Comma = ','
	if d := p.guessDelimiter(lines.Text); first && len(d) == 1 {
		c.Comma = rune(d[0])
	} else if !first {
		c.Comma = rune(p.delim[0])
	}
	c.ReuseRecord, c.FieldsPerRecord, c.Comment = true, -1, '#'
	base, line := lines.Line-1, 0
	for {
		rec, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if pe, ok := err.(*csv.ParseError); ok {
				return p.errorf(base+pe.Line, "%v; put quotes around the field, and double those in it", pe.Err)
			}
			return fmt.Errorf("%s:%d: cannot be read further: %w", p.out.Name, base+line+1, err)
		}
		line, _ = c.FieldPos(0)
		p.noteEncoding(lines, rec, base+line)
		fields := make([][]byte, len(rec))
		for i, f := range rec {
			fields[i] = text.UTF8([]byte(strings.TrimSpace(f)))
		}
		if first {
			first = false
			header, err := p.layout(fields, p.belowQuoted(lines, c.Comma), base+line)
			if err != nil {
				return err
			}
			if header {
				continue
			}
		}
		if err := p.wrongWidth(fields, base+line); err != nil {
			return err
		}
		var f [6][]byte
		for c, at := range p.at {
			if at >= 0 {
				f[c] = fields[at]
			}
		}
		if err := p.add(f, base+line); err != nil {
			return err
		}
	}
}

// belowQuoted are the fields of the line below the current one where some are quoted.
func (p *ratingsParser) belowQuoted(lines *text.LineReader, delim rune) [][]byte {
	c := csv.NewReader(bytes.NewReader(lines.Window()))
	c.Comma, c.FieldsPerRecord, c.Comment = delim, -1, '#'
	c.Read()
	rec, _ := c.Read()
	fields := make([][]byte, len(rec))
	for i, f := range rec {
		fields[i] = text.UTF8([]byte(strings.TrimSpace(f)))
	}
	return fields
}

// noteEncoding remembers the first line of quoted text that is not UTF-8.
func (p *ratingsParser) noteEncoding(lines *text.LineReader, fields []string, line int) {
	if lines.Else == 0 && slices.ContainsFunc(fields, func(f string) bool { return !utf8.ValidString(f) }) {
		lines.Else = line
	}
}
