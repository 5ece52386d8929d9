package dataset

import (
	"fmt"
	"strconv"
)

// WriteRatings writes user, item and rating with a header, separated by tabs, or by commas for a name that ends in .csv.
func WriteRatings(name string, r *Ratings) error {
	sep := byte('\t')
	if len(name) > 4 && name[len(name)-4:] == ".csv" {
		sep = ','
	}
	f, err := CreateAtomic(name)
	if err != nil {
		return err
	}
	defer f.Abort()
	line := append([]byte("user"), sep)
	line = append(append(append(line, "item"...), sep), "rating\n"...)
	for e := -1; e < len(r.Values); e++ {
		if e >= 0 {
			line = appendField(line[:0], r.RowIDs.Text(int(r.Rows[e])), sep)
			line = appendField(append(line, sep), r.ColIDs.Text(int(r.Cols[e])), sep)
			line = strconv.AppendFloat(append(line, sep), r.Values[e], 'g', -1, 64)
			line = append(line, '\n')
		}
		if _, err := f.Write(line); err != nil {
			return fmt.Errorf("%s: not written: %w", name, err)
		}
	}
	return f.Commit()
}

// appendField quotes a text that holds the separator or a quote.
func appendField(line []byte, s string, sep byte) []byte {
	quote := false
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
