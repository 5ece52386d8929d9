package dataset

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// isZip says whether a file begins as zip files do, empty ones too.
func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// readNPZ reads the first array of a zip file of .npy files, stored or deflated, or the sparse matrix that SciPy keeps
// in several.
func (in *input) readNPZ() (m *Matrix, err error) {
	f, size, done, err := in.seekable()
	if err != nil {
		return nil, err
	}
	defer done()
	a, err := zipArrays(f, size, in.Name, in.opt.gaps)
	switch {
	case err != nil:
		return nil, err
	case a.sparse():
		return a.matrix()
	case in.only && len(a.members) > 1:
		return nil, fmt.Errorf("%s: holds %d arrays, of which %q is the first; save the answers in a file of their own",
			in.Name, len(a.members), text.Clip([]byte(a.first+".npy")))
	}
	err = a.open(a.first, func(r io.Reader, name string, size int64) (err error) {
		m, err = readNPY(r, name, size, in.opt.gaps)
		return err
	})
	return m, err
}

// direct is the file itself with its size, where it is one and not compressed, and else what comes of it, with a size of 0.
func (in *input) direct() (r io.Reader, size int64, done func()) {
	if f, size := in.itself(); f != nil {
		return bufio.NewReaderSize(f, 1<<16), size, func() { f.Close() }
	}
	return in.bytes, 0, func() {}
}

// itself is the file that is read, opened once more, if it is one and not compressed; else nil.
func (in *input) itself() (*os.File, int64) {
	if _, plain := in.Source.Reader.(*bufio.Reader); !plain || in.path == "" {
		return nil, 0
	}
	st, err := os.Stat(in.path)
	if err != nil || !st.Mode().IsRegular() { // to open a pipe again would wait for another writer
		return nil, 0
	}
	f, err := os.Open(in.path)
	if err != nil {
		return nil, 0
	}
	return f, st.Size()
}

// seekable is the file itself, where it is one, and else a temporary copy, which done removes: a zip file has its list
// of contents at its end.
func (in *input) seekable() (f *os.File, size int64, done func(), err error) {
	if f, size := in.itself(); f != nil {
		return f, size, func() { f.Close() }, nil
	}
	return copied(in.Name, in.bytes)
}

// zipArrays are the arrays of a zip file of so many bytes.
func zipArrays(f io.ReaderAt, size int64, name string, gaps bool) (*arrays, error) {
	z, err := zip.NewReader(f, size)
	if err != nil && z == nil {
		return nil, fmt.Errorf("%s: starts like .npz but is no whole zip file (%w); it is cut short or damaged, copy it again",
			name, err)
	}
	a := newArrays(name, gaps)
	for _, m := range z.File {
		member, isArray := strings.CutSuffix(m.Name, ".npy")
		if !isArray {
			continue
		}
		if len(a.members) == 0 {
			a.first = member
		}
		bytes := int64(0)
		if m.Method == zip.Store && m.UncompressedSize64 < uint64(size) { // else only reading tells
			bytes = int64(m.UncompressedSize64)
		}
		a.members[member] = arrayMember{fmt.Sprintf("%s (%s)", name, text.Clip([]byte(path.Base(m.Name)))), m.Open, bytes}
	}
	if len(a.members) == 0 {
		return nil, fmt.Errorf("%s: is a zip file without a .npy array; save it with numpy.savez", name)
	}
	return a, nil
}

// arrays are those of a sparse matrix, where the input is a folder or a zip file of them; else nil. done is to be called after
// they are read.
func (in *input) arrays(gaps bool) (a *arrays, done func(), err error) {
	done = func() {}
	if in.dir {
		a, err = folderArrays(in.path, gaps)
		return a, done, err
	}
	if head, _ := in.bytes.Peek(4); !isZip(head) {
		return nil, done, nil
	}
	f, size, done, err := in.seekable()
	if err != nil {
		return nil, func() {}, err
	}
	if a, err = zipArrays(f, size, in.Name, gaps); err == nil && !a.sparse() {
		err = fmt.Errorf("%s: holds no arrays of a sparse matrix; it needs indptr and indices, or row and col", in.Name)
	}
	return a, done, err
}
