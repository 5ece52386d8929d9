package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zip"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// An arrays is a set of named arrays in NumPy's format: the .npy files of a folder, or of an .npz.
type arrays struct {
	name    string
	members map[string]arrayMember // without .npy
	first   string                 // the member that comes first
	gaps    bool                   // values may be missing: they are NaN
	sum     hash.Hash64            // of the bytes of all that is read, where that is wanted; else nil
}

// An arrayMember is one array: how it is opened, and the bytes that it has, 0 where only reading tells.
type arrayMember struct {
	file string // what it is called
	open func() (io.ReadCloser, error)
	size int64
}

func newArrays(name string, gaps bool) *arrays {
	return &arrays{name: name, members: map[string]arrayMember{}, gaps: gaps}
}

// isFolder says whether a name is that of a folder.
func isFolder(name string) bool {
	st, err := os.Stat(name)
	return name != "-" && err == nil && st.IsDir()
}

// folderArrays are the arrays of a folder.
func folderArrays(folder string, gaps bool) (*arrays, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", folder, atomicfile.Pathless(err))
	}
	a := newArrays(folder, gaps)
	for _, f := range files {
		member, isArray := strings.CutSuffix(f.Name(), ".npy")
		if !isArray {
			continue
		}
		where, size := filepath.Join(folder, f.Name()), int64(0)
		if st, err := os.Stat(where); err == nil && st.Mode().IsRegular() {
			size = st.Size()
		}
		a.members[member] = arrayMember{where, func() (io.ReadCloser, error) { return os.Open(where) }, size}
	}
	if !a.sparse() {
		return nil, fmt.Errorf("%s: is a folder without arrays of a sparse matrix; it needs indptr.npy and indices.npy, "+
			"or row.npy and col.npy: else name a file", folder)
	}
	return a, nil
}

// sparse says whether the arrays are those of a sparse matrix.
func (a *arrays) sparse() bool {
	return a.has("indptr") && a.has("indices") || a.has("row") && a.has("col") || a.has("format") && a.has("shape")
}

func (a *arrays) has(member string) bool { _, is := a.members[member]; return is }

// summed has the checksum of the arrays that are read from here on.
func (a *arrays) summed() { a.sum = crc64.New(crc64.MakeTable(crc64.ECMA)) }

// checksum is the CRC-64 of the arrays that were read since summed, in their order.
func (a *arrays) checksum() string { return fmt.Sprintf("crc64:%016x", a.sum.Sum64()) }

// open calls f with a member, what it is called, and the bytes that it is known to have.
func (a *arrays) open(member string, f func(r io.Reader, name string, size int64) error) error {
	m, is := a.members[member]
	if !is {
		return fmt.Errorf("%s: has no array %s.npy; save the matrix with scipy.sparse.save_npz", a.name, member)
	}
	r, err := m.open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return fmt.Errorf("%s: is compressed by another method than deflate; save it with numpy.savez_compressed", m.file)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", m.file, atomicfile.Pathless(err))
	}
	defer r.Close()
	in := io.Reader(bufio.NewReaderSize(r, 1<<16))
	if a.sum != nil {
		in = io.TeeReader(in, a.sum)
	}
	return f(in, m.file, m.size)
}

// read calls f with the array of a member.
func (a *arrays) read(member string, f func(n *npyArray) error) error {
	return a.open(member, func(r io.Reader, name string, size int64) error {
		n, err := newNPY(r, name)
		if err != nil {
			return err
		}
		n.gaps, n.size = a.gaps && member == "data", size
		return f(n)
	})
}

// line reads an array of one axis.
func line[T float64 | float32 | int32](a *arrays, member string) (values []T, err error) {
	err = a.read(member, func(n *npyArray) error {
		if len(n.shape) != 1 {
			return n.errorf("has %d axes; save the matrix with scipy.sparse.save_npz", len(n.shape))
		}
		values, err = numbersOf[T](n)
		return err
	})
	return values, err
}

// whole reads an array of whole numbers from 0 to limit.
func (a *arrays) whole(member string, limit float64) ([]float64, error) {
	values, err := line[float64](a, member)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		if v < 0 || v > limit || v != math.Trunc(v) {
			return nil, a.unexpected(member, v, limit)
		}
	}
	return values, nil
}

func (a *arrays) unexpected(member string, v, limit float64) error {
	return fmt.Errorf("%s: holds %v, where whole numbers from 0 to %v are expected; save the matrix again",
		a.members[member].file, v, limit)
}

// index reads numbers of rows or columns, below limit; largest is the last of them, -1 of none.
func (a *arrays) index(member string, limit int) (index []int32, largest int, err error) {
	if index, err = line[int32](a, member); err != nil {
		return nil, 0, err
	}
	largest = -1
	for _, v := range index {
		if v < 0 || int(v) >= limit {
			return nil, 0, a.unexpected(member, float64(v), float64(limit-1))
		}
		largest = max(largest, int(v))
	}
	return index, largest, nil
}

// word reads a member that is a short text, of bytes or of four-byte characters.
func (a *arrays) word(member string) (s string, err error) {
	err = a.read(member, func(n *npyArray) error {
		b, err := io.ReadAll(io.LimitReader(n.r, 64))
		s = strings.ReplaceAll(string(b), "\x00", "")
		return err
	})
	return s, err
}

// texts reads an array of one axis as texts: strings, bytes, or numbers.
func (a *arrays) texts(member string) (list []string, err error) {
	err = a.read(member, func(n *npyArray) error {
		list, err = n.texts()
		return err
	})
	return list, err
}

// texts reads an array of one axis, or of a column, as texts: strings, bytes, or numbers.
func (a *npyArray) texts() (list []string, err error) {
	if len(a.shape) != 1 && !(len(a.shape) == 2 && a.shape[1] == 1) {
		return nil, a.errorf("is no column but has the shape %v; labels are one column, and so are ids", a.shape)
	}
	kind, size := a.textType()
	if kind == 0 {
		numbers, err := numbersOf[float64](a)
		for _, x := range numbers {
			list = append(list, class.Label(x))
		}
		return list, err
	}
	var all chunkList[string]
	buf := make([]byte, size)
	var order binary.ByteOrder = binary.LittleEndian
	if a.descr[0] == '>' {
		order = binary.BigEndian
	}
	for range a.shape[0] {
		if _, err := io.ReadFull(a.r, buf); err != nil {
			return nil, a.short(err, all.n)
		}
		all.push(a.decoded(buf, kind, order))
	}
	return all.join(), a.ends(all.n)
}

// decoded is one text of an array of them.
func (a *npyArray) decoded(b []byte, kind byte, order binary.ByteOrder) string {
	if kind == 'S' {
		return text.Decoded(bytes.TrimRight(b, "\x00"))
	}
	var s []byte
	for ; len(b) >= 4; b = b[4:] {
		if r := rune(order.Uint32(b)); r != 0 {
			s = utf8.AppendRune(s, r)
		}
	}
	return string(s)
}

// longestText bounds the bytes of a text of an array.
const longestText = 1 << 20

// textType is the kind of an array of texts, S or U, and the bytes of each; 0 of others.
func (a *npyArray) textType() (kind byte, size int) {
	if len(a.descr) < 3 || a.descr[1] != 'S' && a.descr[1] != 'U' {
		return 0, 0
	}
	n, err := strconv.Atoi(a.descr[2:])
	if err != nil || n < 1 || n > longestText {
		return 0, 0
	}
	if a.descr[1] == 'U' {
		n *= 4
	}
	return a.descr[1], n
}

// A sparseIndex is where the entries of a set of arrays stand.
type sparseIndex struct {
	ptr        []int64 // of compressed rows, nil for coordinates
	rows, cols []int32 // rows is nil for compressed rows
	shape      [2]int  // the numbers of rows and columns
	entries    int
}

// where reads the places of entries, by whichever format they are kept.
func (a *arrays) where() (*sparseIndex, error) {
	format, err := a.format()
	if err != nil {
		return nil, err
	}
	limit, known := [2]int{math.MaxInt32, math.MaxInt32}, a.has("shape")
	if known {
		shape, err := a.whole("shape", math.MaxInt32)
		if err != nil {
			return nil, err
		}
		if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 {
			return nil, fmt.Errorf("%s: has no shape of rows and columns; save it with scipy.sparse.save_npz", a.name)
		}
		limit = [2]int{int(shape[0]), int(shape[1])}
	}
	x := &sparseIndex{shape: limit}
	if format == "coo" {
		err = a.coordinates(x, known)
	} else {
		err = a.compressed(x, known, format == "csc")
	}
	return x, err
}

// format is csr, csc or coo.
func (a *arrays) format() (string, error) {
	if !a.has("format") {
		if a.has("indptr") {
			return "csr", nil
		}
		return "coo", nil
	}
	format, err := a.word("format")
	if err == nil && !slices.Contains([]string{"csr", "csc", "coo"}, format) {
		err = fmt.Errorf("%s: is a sparse matrix of SciPy's format %q; save it with .tocsr()", a.name, text.Clip([]byte(format)))
	}
	return format, err
}

// coordinates reads a row and a column of each entry.
func (a *arrays) coordinates(x *sparseIndex, known bool) (err error) {
	var last [2]int
	if x.rows, last[0], err = a.index("row", x.shape[0]); err != nil {
		return err
	}
	if x.cols, last[1], err = a.index("col", x.shape[1]); err != nil {
		return err
	}
	if !known {
		x.shape = [2]int{last[0] + 1, last[1] + 1}
	}
	x.entries = len(x.rows)
	if len(x.cols) != x.entries {
		return fmt.Errorf("%s: has %d rows of entries and %d columns; give one of each for every entry", a.name, x.entries,
			len(x.cols))
	}
	return a.worth(x)
}

// compressed reads pointers and indices: those of rows, or of columns where the matrix is kept by these.
func (a *arrays) compressed(x *sparseIndex, known, byColumns bool) error {
	side := 0
	if byColumns {
		side = 1
	}
	pointers, err := a.whole("indptr", math.MaxInt64/2)
	if err != nil {
		return err
	}
	index, last, err := a.index("indices", x.shape[1-side])
	if err != nil {
		return err
	}
	if !known {
		x.shape[side], x.shape[1-side] = len(pointers)-1, last+1
	}
	x.entries, x.cols, x.ptr = len(index), index, make([]int64, len(pointers))
	for i, p := range pointers {
		x.ptr[i] = int64(p)
	}
	n := len(x.ptr) - 1
	fits := n == x.shape[side] && n > 0 && x.ptr[0] == 0 && x.ptr[n] == int64(x.entries)
	for i := 0; fits && i < n; i++ {
		fits = x.ptr[i] <= x.ptr[i+1]
	}
	if !fits {
		return a.misfit()
	}
	if byColumns {
		x.expand()
		x.rows, x.cols = x.cols, x.rows
	}
	return a.worth(x)
}

func (a *arrays) misfit() error {
	return fmt.Errorf("%s: its indptr, indices, data and shape do not fit together; save the matrix again", a.name)
}

// worth refuses a shape of very many rows or columns that have no entry.
func (a *arrays) worth(x *sparseIndex) error {
	if m := x.shape[0]; m > emptyRows(x.entries) {
		return fmt.Errorf("%s: claims %d rows but has only %d entries; mend its shape", a.name, m, x.entries)
	}
	return nil
}

// expand makes a row of each entry of the pointers.
func (x *sparseIndex) expand() {
	x.rows = make([]int32, x.entries)
	for i := range len(x.ptr) - 1 {
		for e := x.ptr[i]; e < x.ptr[i+1]; e++ {
			x.rows[e] = int32(i)
		}
	}
	x.ptr = nil
}

// matrix reads a sparse matrix of features.
func (a *arrays) matrix() (*Matrix, error) {
	x, err := a.where()
	if err != nil {
		return nil, err
	}
	if !a.has("shape") {
		return nil, fmt.Errorf("%s: has no shape.npy; features need the numbers of rows and columns", a.name)
	}
	values, err := line[float64](a, "data")
	if err != nil {
		return nil, err
	}
	if len(values) != x.entries {
		return nil, a.misfit()
	}
	if x.ptr == nil {
		c := &coordinates{rows: listOf(x.rows), cols: listOf(x.cols), values: listOf(values)}
		return c.compress(a.name, x.shape[0], x.shape[1])
	}
	m := &Matrix{Rows: x.shape[0], Cols: x.shape[1], Ptr: x.ptr, Index: x.cols, Values: values}
	if i, j, ok := m.twice(); ok {
		return nil, fmt.Errorf("%s: row %d has column %d twice; call sum_duplicates() and save it again", a.name, i+1, j+1)
	}
	m.sortRows()
	return m, nil
}
