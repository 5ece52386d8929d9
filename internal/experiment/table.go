package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Table is cells of text below heads.
type Table struct {
	Heads   []string
	Numbers []bool // columns of numbers, set to the right
	Rows    [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// number reports whether a column is one of numbers.
func (t *Table) number(j int) bool { return j < len(t.Numbers) && t.Numbers[j] }

// Text writes the table in columns.
func (t *Table) Text(w io.Writer) error {
	wide := make([]int, len(t.Heads))
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		for j, cell := range row {
			wide[j] = max(wide[j], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		var b strings.Builder
		for j, cell := range row {
			pad := strings.Repeat(" ", wide[j]-utf8.RuneCountInString(cell))
			if j > 0 {
				b.WriteString("  ")
			}
			if t.number(j) {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the table as Markdown.
func (t *Table) Markdown(w io.Writer) error {
	rule := make([]string, len(t.Heads))
	for j := range rule {
		if rule[j] = "---"; t.number(j) {
			rule[j] = "---:"
		}
	}
	for i, row := range append([][]string{t.Heads, rule}, t.Rows...) {
		cells := make([]string, len(row))
		for j, cell := range row {
			if cells[j] = strings.ReplaceAll(cell, "|", `\|`); i == 1 {
				cells[j] = cell
			}
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes the table as comma-separated values.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Heads); err != nil {
		return err
	}
	if err := c.WriteAll(t.Rows); err != nil {
		return err
	}
	return c.Error()
}
