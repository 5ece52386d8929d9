package dataset

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// readQuoted leaves quoted text, from the current line on, to encoding/csv; first says that the line is the first.
func (p *ratingsParser) readQuoted(lines *lineReader, first bool) error {
	c := csv.NewReader(lines.rest())
	c.Comma = ','
	if d := guessDelimiter(lines.text); first && len(d) == 1 {
		c.Comma = rune(d[0])
	} else if !first {
		c.Comma = rune(p.delim[0])
	}
	c.ReuseRecord, c.FieldsPerRecord, c.Comment = true, -1, '#'
	base, line := lines.line-1, 0
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
		fields := make([][]byte, len(rec))
		for i, f := range rec {
			fields[i] = []byte(strings.TrimSpace(f))
		}
		if first {
			first = false
			header, err := p.layout(fields, base+line)
			if err != nil {
				return err
			}
			if header {
				continue
			}
		}
		if len(fields) < p.wide {
			return p.errorf(base+line, "has %s where the first line has at least %d", counted(len(fields), "field"), p.wide)
		}
		var f [4][]byte
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
