package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

func init() {
	dataset.RegisterColumns(dataset.ColumnFormat{Kind: "a Parquet file", Has: named, Parts: true,
		Open: func(name, _ string) (dataset.ColumnReader, error) { return open(name) }})
	dataset.RegisterRecords(dataset.RecordsFormat{Has: ending, Write: write})
}

const magic = "PAR1"

// named says whether a name is that of a Parquet file, of a folder that holds some, or a pattern that some have.
func named(name string) bool {
	st, err := os.Stat(name)
	switch {
	case name == "-":
		return false
	case err != nil:
		return ending(name) && (strings.ContainsAny(name, "*?[") || errors.Is(err, fs.ErrNotExist))
	case st.IsDir():
		return len(inFolder(name)) > 0
	case ending(name):
		return true
	}
	return st.Mode().IsRegular() && st.Size() > int64(2*len(magic)) && starts(name)
}

// ending says whether a name ends as those of Parquet files do.
func ending(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, ".parq") || strings.HasSuffix(name, ".pq")
}

// starts says whether a file begins as Parquet does.
func starts(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// inFolder are the files of a folder and of those in it, in the order of their names. What begins with a dot or an underscore is
// none of the table's: programs keep notes there.
func inFolder(folder string) (files []string) {
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		hidden := path != folder && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"))
		switch {
		case err != nil:
			return fs.SkipDir
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && !d.IsDir() && ending(d.Name()):
			files = append(files, path)
		}
		return nil
	})
	return files
}

// filesOf are the files of a name, which is a file, a folder or a pattern.
func filesOf(name string) ([]string, error) {
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return inFolder(name), nil
	case err == nil || !strings.ContainsAny(name, "*?["):
		return []string{name}, nil
	}
	files, err := filepath.Glob(name)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: is the name of no file; mend the pattern", name)
	}
	return files, nil
}

// A reader reads the rows of one or several files of the same columns.
type reader struct {
	name   string
	files  []*file
	names  []string
	groups []group
	sum    uint64

	results chan chan result // of the row groups, in order; nil before the first
	stop    chan struct{}
}

// A file is one that is open, and what its columns are.
type file struct {
	name    string
	close   func() error
	pq      *parquet.File
	columns []*parquet.Column
}

// A group is a row group of a file.
type group struct {
	file *file
	rows parquet.RowGroup
	from int64 // the row of the file that it begins with
}

// A result is a row group's columns.
type result struct {
	columns []dataset.Column
	err     error
}

// open opens a file, the files of a folder, or those of a pattern. An error names the file that is none, or that lacks columns of
// the first.
func open(name string) (*reader, error) {
	list, err := filesOf(name)
	if err != nil {
		return nil, err
	}
	r := &reader{name: name, stop: make(chan struct{})}
	for _, name := range list {
		f, err := openFile(name, &r.sum)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.files = append(r.files, f)
		from := int64(0)
		for _, rows := range f.pq.RowGroups() {
			r.groups = append(r.groups, group{f, rows, from})
			from += rows.NumRows()
		}
	}
	for _, c := range r.files[0].columns {
		r.names = append(r.names, c.Name())
	}
	return r, nil
}

// openFile opens one file; its footer, which has sizes, places and statistics of all columns, goes into the checksum.
func openFile(name string, sum *uint64) (_ *file, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", name, atomicfile.Pathless(err))
	}
	defer func() {
		if bad := recover(); bad != nil { // of a damaged file
			err = fmt.Errorf("%v", bad)
		}
		if err != nil {
			f.Close()
			err = fmt.Errorf("%s: is no whole Parquet file (%s); it is cut short or damaged, copy it again", name, oneLine(err))
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	pq, err := parquet.OpenFile(f, st.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.ReadBufferSize(readBuffer))
	if err != nil {
		return nil, err
	}
	*sum = crc64.Update(*sum, crc64.MakeTable(crc64.ECMA), footer(f, st.Size()))
	return &file{name: name, close: f.Close, pq: pq, columns: pq.Root().Columns()}, nil
}

const (
	readBuffer    = 1 << 18 // bytes that are read at once
	largestFooter = 1 << 28 // more would not fit what it describes
)

// footer is the last part of a file.
func footer(f io.ReaderAt, size int64) []byte {
	tail := make([]byte, 2*len(magic))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil
	}
	n := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24
	if n < 0 || n > min(largestFooter, size) {
		return nil
	}
	b := make([]byte, n)
	f.ReadAt(b, size-n-int64(len(tail)))
	return b
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Name is that of the file, the folder or the pattern.
func (r *reader) Name() string { return r.name }

// Columns are the names of the columns of the first file.
func (r *reader) Columns() []string { return r.names }

// Checksum is the CRC-64 of what the files say of their columns: sizes, places and statistics.
func (r *reader) Checksum() string { return fmt.Sprintf("crc64:%016x", r.sum) }

// Part leaves the row groups that begin in part k of n of all rows, from 0.
func (r *reader) Part(k, n int) {
	var all, before int64
	for _, g := range r.groups {
		all += g.rows.NumRows()
	}
	var own []group
	for _, g := range r.groups {
		if before*int64(n) >= all*int64(k) && before*int64(n) < all*int64(k+1) {
			own = append(own, g)
		}
		before += g.rows.NumRows()
	}
	r.groups = own
}

// Next gives the columns of the next row group. While it is worked on, the next ones are read.
func (r *reader) Next(columns []int) ([]dataset.Column, error) {
	if r.results == nil {
		r.results = make(chan chan result, runtime.GOMAXPROCS(0))
		go r.run(slices.Clone(columns))
	}
	next, more := <-r.results
	if !more {
		return nil, io.EOF
	}
	got := <-next
	return got.columns, got.err
}

// run reads the row groups, a few at a time.
func (r *reader) run(columns []int) {
	defer close(r.results)
	for _, g := range r.groups {
		if g.rows.NumRows() == 0 {
			continue
		}
		next := make(chan result, 1)
		select {
		case <-r.stop:
			return
		case r.results <- next:
			go func() { next <- r.read(g, columns) }()
		}
	}
}

// read reads the columns of a row group.
func (r *reader) read(g group, columns []int) (got result) {
	defer func() {
		if bad := recover(); bad != nil { // of a damaged file
			got.err = fmt.Errorf("%s: cannot be read (%v); it is damaged, copy it again", g.file.name, bad)
		}
	}()
	for _, c := range columns {
		column, err := g.file.column(r.names[c])
		if err != nil {
			return result{err: err}
		}
		d := &decoder{file: g.file.name, column: column, schema: g.file.pq.Metadata().Schema}
		values, err := d.read(g.rows)
		if err != nil {
			return result{err: fmt.Errorf("%s: column %q: %s", g.file.name, column.Name(), oneLine(err))}
		}
		got.columns = append(got.columns, values)
	}
	return got
}

// column is one of a file by its name.
func (f *file) column(name string) (*parquet.Column, error) {
	at := slices.IndexFunc(f.columns, func(c *parquet.Column) bool { return c.Name() == name })
	if at < 0 {
		var names []string
		for _, c := range f.columns {
			names = append(names, c.Name())
		}
		return nil, fmt.Errorf("%s: %s", f.name, dataset.Absent(name, names))
	}
	c := f.columns[at]
	if !c.Leaf() || c.Repeated() {
		return nil, fmt.Errorf("%s: column %q is nested: a list, a map or a struct; a column has one value in each row", f.name, name)
	}
	return c, nil
}

// Close closes the files. What is still being read of them ends with an error that nobody waits for.
func (r *reader) Close() error {
	close(r.stop)
	if r.results != nil {
		for next := range r.results {
			<-next
		}
	}
	var first error
	for _, f := range r.files {
		if err := f.close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// texts are the parts of a copy of bytes between offsets.
func texts(data []byte, offsets []uint32) [][]byte {
	if len(offsets) == 0 {
		return nil
	}
	data = bytes.Clone(data)
	list := make([][]byte, len(offsets)-1)
	for k := range list {
		list[k] = data[offsets[k]:offsets[k+1]:offsets[k+1]]
	}
	return list
}
