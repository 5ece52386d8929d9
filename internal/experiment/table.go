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

// Text writes the table in columns. What would be wider than so many columns of text, if width is not 0, follows below, with the
// first column again.
func (t *Table) Text(w io.Writer, width int) error {
	wide := make([]int, len(t.Heads))
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		for j, cell := range row {
			wide[j] = max(wide[j], utf8.RuneCountInString(cell))
		}
	}
	for from := 1; from == 1 || from < len(wide); {
		to, used := from, wide[0]
		for to < len(wide) && (to == from || width == 0 || used+len(gap)+wide[to] <= width) {
			used += len(gap) + wide[to]
			to++
		}
		if from > 1 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := t.part(w, wide, from, to); err != nil {
			return err
		}
		from = max(to, 2)
	}
	return nil
}

// gap is between columns of text.
const gap = "  "

// part writes the first column and those from ≤ j < to.
func (t *Table) part(w io.Writer, wide []int, from, to int) error {
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		var b strings.Builder
		for j, cell := range row {
			if j > 0 && (j < from || j >= to) {
				continue
			}
			if j > 0 {
				b.WriteString(gap)
			}
			pad := strings.Repeat(" ", wide[j]-utf8.RuneCountInString(cell))
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
