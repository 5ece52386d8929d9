package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zip"
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
		return nil, fmt.Errorf("%s: starts like .npz but is no whole zip file (%w); it is cut short or damaged, copy it again", in.Name, err)
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
			in.Name, len(a.members), clip([]byte(path.Base(first.Name))))
	}
	var m *Matrix
	err = a.open(first, func(r io.Reader, name string) (err error) {
		m, err = readNPY(r, name)
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
	gone := os.Remove(f.Name()) == nil // at once, where the system lets an open file go on without a name: who is killed leaves nothing
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
	name := fmt.Sprintf("%s (%s)", a.name, clip([]byte(path.Base(m.Name))))
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
