package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zip"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// readNPZ reads the first array of a zip file of .npy files, stored or deflated, or the sparse matrix that SciPy keeps
// in several.
func (in *input) readNPZ() (*Matrix, error) {
	f, size, done, err := in.seekable()
	if err != nil {
		return nil, err
	}
	defer done()
	z, err := zip.NewReader(f, size)
	if err != nil && z == nil {
		return nil, fmt.Errorf("%s: starts like .npz but is no whole zip file (%w); it is cut short or damaged, copy it again",
			in.Name, err)
	}
	a := npzFile{name: in.Name, members: map[string]*zip.File{}}
	var first *zip.File
	for _, m := range z.File {
		if strings.HasSuffix(m.Name, ".npy") {
			a.members[strings.TrimSuffix(m.Name, ".npy")] = m
			if first == nil {
				first = m
			}
		}
	}
	switch {
	case first == nil:
		return nil, fmt.Errorf("%s: is a zip file without a .npy array; save it with numpy.savez", in.Name)
	case a.members["format"] != nil && a.members["shape"] != nil:
		return a.readSparse()
	case in.only && len(a.members) > 1:
		return nil, fmt.Errorf("%s: holds %d arrays, of which %q is the first; save the answers in a file of their own",
			in.Name, len(a.members), text.Clip([]byte(path.Base(first.Name))))
	}
	var m *Matrix
	err = a.open(first, func(r io.Reader, name string) (err error) {
		m, err = readNPY(r, name, in.gaps)
		return err
	})
	return m, err
}

// seekable is the file itself, where it is one, and else a temporary copy, which done removes: a zip file has its list
// of contents at its end.
func (in *input) seekable() (f *os.File, size int64, done func(), err error) {
	if _, plain := in.Source.Reader.(*bufio.Reader); plain && in.path != "" {
		if st, err := os.Stat(in.path); err == nil && st.Mode().IsRegular() { // to open a pipe again would wait for another writer
			if f, err := os.Open(in.path); err == nil {
				return f, st.Size(), func() { f.Close() }, nil
			}
		}
	}
	f, err = os.CreateTemp("", "gcg-*.npz")
	if err != nil {
		return nil, 0, nil, fmt.Errorf("%s: cannot be copied to read its contents: %w", in.Name, err)
	}
	// at once, where the system lets an open file go on without a name: who is killed leaves nothing
	gone := os.Remove(f.Name()) == nil
	done = func() {
		f.Close()
		if !gone {
			os.Remove(f.Name())
		}
	}
	if size, err = io.Copy(f, in.bytes); err != nil {
		done()
		return nil, 0, nil, fmt.Errorf("%s: cannot be copied to %s to read its contents: %w", in.Name, os.TempDir(), err)
	}
	return f, size, done, nil
}

// An npzFile is a zip file of arrays.
type npzFile struct {
	name    string
	members map[string]*zip.File // without .npy
}

// open reads a member; name tells file and member.
func (a *npzFile) open(m *zip.File, read func(r io.Reader, name string) error) error {
	name := fmt.Sprintf("%s (%s)", a.name, text.Clip([]byte(path.Base(m.Name))))
	r, err := m.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return fmt.Errorf("%s: is compressed by another method than deflate; save it with numpy.savez_compressed", name)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", name, err)
	}
	defer r.Close()
	return read(bufio.NewReaderSize(r, 1<<16), name)
}

// readSparse reads what scipy.sparse.save_npz writes for a matrix by compressed rows: format, shape, indptr, indices
// and data.
func (a *npzFile) readSparse() (*Matrix, error) {
	format, err := a.text("format")
	if err != nil {
		return nil, err
	}
	if format != "csr" {
		return nil, fmt.Errorf("%s: is a sparse matrix of SciPy's format %q; save it with .tocsr()", a.name, text.Clip([]byte(format)))
	}
	x := &Matrix{}
	shape, err := a.numbers("shape", math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if shape.n != 2 || shape.at(0) < 1 || shape.at(1) < 1 {
		return nil, fmt.Errorf("%s: has no shape of rows and columns; save it with scipy.sparse.save_npz", a.name)
	}
	x.Rows, x.Cols = int(shape.at(0)), int(shape.at(1))
	ptr, err := a.numbers("indptr", math.MaxInt64/2)
	if err != nil {
		return nil, err
	}
	x.Ptr = convert[int64](ptr)
	index, err := a.numbers("indices", float64(x.Cols-1))
	if err != nil {
		return nil, err
	}
	x.Index = convert[int32](index)
	data, err := a.array("data")
	if err != nil {
		return nil, err
	}
	x.Values = data.join()
	return x, a.check(x)
}

// check finds out whether the parts of a sparse matrix fit together, and sorts its rows.
func (a *npzFile) check(x *Matrix) error {
	last := len(x.Ptr) - 1
	fits := last == x.Rows && x.Ptr[0] == 0 && x.Ptr[last] == int64(len(x.Index)) && len(x.Index) == len(x.Values)
	for i := 0; fits && i < last; i++ {
		fits = x.Ptr[i] <= x.Ptr[i+1]
	}
	if !fits {
		return fmt.Errorf("%s: its indptr, indices, data and shape do not fit together; save the matrix again", a.name)
	}
	if i, j, ok := x.twice(); ok {
		return fmt.Errorf("%s: row %d has column %d twice; call sum_duplicates() and save it again", a.name, i+1, j+1)
	}
	x.sortRows()
	return nil
}

// array reads a member of one axis.
func (a *npzFile) array(member string) (p *chunkList[float64], err error) {
	err = a.member(member, func(r io.Reader, name string) error {
		n, err := newNPY(r, name)
		if err != nil {
			return err
		}
		if len(n.shape) != 1 {
			return n.errorf("has %d axes; save the matrix with scipy.sparse.save_npz", len(n.shape))
		}
		p, err = n.values()
		return err
	})
	return p, err
}

// numbers reads a member of whole numbers from 0 to limit.
func (a *npzFile) numbers(member string, limit float64) (*chunkList[float64], error) {
	p, err := a.array(member)
	if err != nil {
		return nil, err
	}
	for _, chunk := range p.chunks {
		for _, v := range chunk {
			if v < 0 || v > limit || v != math.Trunc(v) {
				return nil, fmt.Errorf("%s (%s.npy): holds %v, where whole numbers from 0 to %v are expected; save the matrix again", a.name,
					member, v, limit)
			}
		}
	}
	return p, nil
}

func convert[T int32 | int64](p *chunkList[float64]) []T {
	all := make([]T, 0, p.n)
	for c, chunk := range p.chunks {
		for _, v := range chunk {
			all = append(all, T(v))
		}
		p.chunks[c] = nil
	}
	return all
}

// text reads a member that is a short text, of bytes or of four-byte characters.
func (a *npzFile) text(member string) (s string, err error) {
	err = a.member(member, func(r io.Reader, name string) error {
		if _, err := newNPY(r, name); err != nil {
			return err
		}
		b, err := io.ReadAll(io.LimitReader(r, 64))
		s = strings.ReplaceAll(string(b), "\x00", "")
		return err
	})
	return s, err
}

func (a *npzFile) member(name string, read func(r io.Reader, name string) error) error {
	var m *zip.File
	if m = a.members[name]; m == nil {
		return fmt.Errorf("%s: has no member %s.npy; save the matrix with scipy.sparse.save_npz", a.name, name)
	}
	return a.open(m, read)
}
