package dataset

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// WriteRatings writes user, item, rating and, where they are known, times, weights and offsets with a header, separated by tabs,
// or by commas for a name that ends in .csv; compressed for one that ends in .zst; or as RecordsFormatOf says of the name.
func WriteRatings(name string, r *Ratings) error {
	if f, ok := RecordsFormatOf(name); ok {
		return atomicfile.Write(name, func(out io.Writer) error { return f.Write(out, r.records()) })
	}
	columns := []string{"user", "item", "rating"}
	times := len(r.Times) == len(r.Values)
	if times {
		columns = append(columns, "timestamp")
	}
	var beside [][]float64
	for k, values := range [][]float64{r.Omega, r.Offset} {
		if values != nil {
			columns, beside = append(columns, []string{"weight", "offset"}[k]), append(beside, values)
		}
	}
	w, err := createRatings(name, columns...)
	if err != nil {
		return err
	}
	defer w.file.Abort()
	for e, x := range r.Values {
		w.pair(r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e])))
		if r.Labels != nil {
			w.line = appendField(w.line, r.Labels[int(x)], w.sep)
		} else {
			w.line = strconv.AppendFloat(w.line, x, 'g', -1, 64)
		}
		if times {
			w.line = strconv.AppendInt(append(w.line, w.sep), r.Times[e], 10)
		}
		for _, values := range beside {
			w.line = strconv.AppendFloat(append(w.line, w.sep), values[e], 'g', -1, 64)
		}
		if err := w.endLine(); err != nil {
			return err
		}
	}
	return w.commit()
}

// records are the ratings with what is known beside them.
func (r *Ratings) records() Records {
	user, item, value := IDField("user", r.RowIDs.Texts()...), IDField("item", r.ColIDs.Texts()...),
		Field{Name: "rating", Kind: NumberField}
	if r.Labels != nil {
		value = IDField("rating", r.Labels...)
	}
	fields, times := []Field{user, item, value}, len(r.Times) == len(r.Values)
	if times {
		fields = append(fields, Field{Name: "timestamp", Kind: WholeField})
	}
	var beside [][]float64
	for k, values := range [][]float64{r.Omega, r.Offset} {
		if values != nil {
			fields = append(fields, Field{Name: []string{"weight", "offset"}[k], Kind: NumberField})
			beside = append(beside, values)
		}
	}
	return Records{Fields: fields, Rows: func(yield func([]Cell, error) bool) {
		var row []Cell
		for e, x := range r.Values {
			row = append(row[:0], user.ID(r.RowIDs.Text(int(r.Rows[e]))), item.ID(r.ColIDs.Text(int(r.Cols[e]))), Cell{Number: x})
			if r.Labels != nil {
				row[2] = value.ID(r.Labels[int(x)])
			}
			if times {
				row = append(row, Cell{Whole: r.Times[e]})
			}
			for _, values := range beside {
				row = append(row, Cell{Number: values[e]})
			}
			if !yield(row, nil) {
				return
			}
		}
	}}
}

// A ratingsWriter writes line by line.
type ratingsWriter struct {
	name   string
	sep    byte
	file   *atomicfile.File
	to     io.Writer
	zstd   *zstd.Encoder // or nil
	line   []byte
	number []byte // scratch
}

func createRatings(name string, columns ...string) (*ratingsWriter, error) {
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	w := &ratingsWriter{name: name, sep: '\t', file: f, to: f}
	plain, compressed := strings.CutSuffix(name, ".zst")
	if strings.HasSuffix(plain, ".csv") {
		w.sep = ','
	}
	if compressed {
		if w.zstd, err = zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
			f.Abort()
			return nil, fmt.Errorf("%s: cannot be compressed: %w", name, err)
		}
		w.to = w.zstd
	}
	w.line = append(append(w.line, strings.Join(columns, string(w.sep))...), '\n')
	if err := w.flush(); err != nil {
		f.Abort()
		return nil, err
	}
	return w, nil
}

// lineBatch is the size above which lines go on to the file.
const lineBatch = 1 << 16

func (w *ratingsWriter) pair(user, item string) {
	w.line = append(appendField(w.line, user, w.sep), w.sep)
	w.line = append(appendField(w.line, item, w.sep), w.sep)
}

func (w *ratingsWriter) rating(user, item string, x float64) {
	w.pair(user, item)
	w.line = strconv.AppendFloat(w.line, x, 'g', -1, 64)
}

func (w *ratingsWriter) endLine() error {
	w.line = append(w.line, '\n')
	if len(w.line) < lineBatch {
		return nil
	}
	return w.flush()
}

func (w *ratingsWriter) flush() error {
	_, err := w.to.Write(w.line)
	w.line = w.line[:0]
	if err != nil {
		return fmt.Errorf("%s: not written: %w", w.name, err)
	}
	return nil
}

func (w *ratingsWriter) commit() error {
	if err := w.flush(); err != nil {
		return err
	}
	if w.zstd != nil {
		if err := w.zstd.Close(); err != nil {
			return fmt.Errorf("%s: not written: %w", w.name, err)
		}
	}
	return w.file.Commit()
}

// appendField quotes a text that holds the separator or a quote, or looks like the start of a comment.
func appendField(line []byte, s string, sep byte) []byte {
	quote := strings.HasPrefix(s, "#")
	for i := range len(s) {
		quote = quote || s[i] == sep || s[i] == '"' || s[i] == '\n'
	}
	if !quote {
		return append(line, s...)
	}
	line = append(line, '"')
	for i := range len(s) {
		if s[i] == '"' {
			line = append(line, '"')
		}
		line = append(line, s[i])
	}
	return append(line, '"')
}
