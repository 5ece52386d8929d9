package main

import (
	"encoding/csv"
	"io"
)

// csvWriter is encoding/csv with the first error kept until flush.
type csvWriter struct{ w *csv.Writer }

func newCSV(out io.Writer) csvWriter { return csvWriter{csv.NewWriter(out)} }

func (c csvWriter) line(fields ...string) { c.w.Write(fields) }

func (c csvWriter) flush() error {
	c.w.Flush()
	return c.w.Error()
}
