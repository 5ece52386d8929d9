package dataset

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// zipOfArrays says whether a zip file holds arrays of NumPy: whether its first file is one.
func zipOfArrays(raw *bufio.Reader) bool {
	const fixed = 30 // bytes of a file's header before its name, whose length stands at 26
	head, err := raw.Peek(fixed)
	if err != nil {
		return false
	}
	n := int(binary.LittleEndian.Uint16(head[26:]))
	head, _ = raw.Peek(fixed + n)
	return strings.HasSuffix(string(head[fixed:]), ".npy")
}

// A zipped is what a zip file holds: one file, or arrays of NumPy, which others read from the zip file itself.
type zipped struct {
	io.Reader          // of the one file
	ending    string   // of its name
	copy      *os.File // of arrays: the zip file, where it was copied
	arrays    bool
	done      func()
}

// unzip opens the one file of a zip file. raw is what r gives, from its start on.
func unzip(name string, r, raw io.Reader) (z zipped, err error) {
	f, size, done, err := regular(name, r, raw)
	if err != nil {
		return z, err
	}
	z.done = done
	defer func() {
		if err != nil {
			done()
		}
	}()
	list, err := zip.NewReader(f, size)
	if err != nil && list == nil {
		return z, fmt.Errorf("%s: starts like a zip file but is no whole one (%w); it is cut short or damaged, copy it again", name,
			err)
	}
	var files []*zip.File
	for _, m := range list.File {
		switch {
		case strings.HasSuffix(m.Name, ".npy"):
			if z.arrays = true; f != r {
				z.copy = f
			}
			return z, nil
		case m.Name == "[Content_Types].xml":
			return z, fmt.Errorf("%s: is a spreadsheet; save its sheet as CSV", name)
		case m.FileInfo().IsDir() || strings.HasPrefix(m.Name, "__MACOSX/") || path.Base(m.Name)[0] == '.':
		default:
			files = append(files, m)
		}
	}
	if len(files) != 1 {
		return z, severalZipped(name, files)
	}
	member, err := files[0].Open()
	if err != nil {
		return z, fmt.Errorf("%s: its file %s cannot be read: %w", name, clippedName(files[0].Name), err)
	}
	z.Reader, z.ending, z.done = member, ending(files[0].Name), func() { member.Close(); done() }
	return z, nil
}

// unzipped is the source of what a zip file holds.
func (s *Source) unzipped(r io.Reader, raw *bufio.Reader) (*Source, error) {
	z, err := unzip(s.Name, r, raw)
	if err != nil {
		s.close()
		return nil, err
	}
	behind := s.close
	s.close = func() { z.done(); behind() }
	switch {
	case z.copy != nil:
		z.copy.Seek(0, io.SeekStart)
		s.Reader = bufio.NewReader(z.copy)
	case z.arrays:
		s.Reader = raw
	default:
		in, err := newSource(s.Name, z, s.close)
		if err == nil {
			in.Reader, in.ext = compressed{in.Reader, "zip"}, z.ending
		}
		return in, err
	}
	return s, nil
}

// severalZipped says that a zip file has none or several files.
func severalZipped(name string, files []*zip.File) error {
	if len(files) == 0 {
		return fmt.Errorf("%s: is a zip file without a file in it", name)
	}
	var list []string
	for _, f := range files[:min(4, len(files))] {
		list = append(list, clippedName(f.Name))
	}
	if len(files) > len(list) {
		list = append(list, "…")
	}
	return fmt.Errorf("%s: holds %d files (%s), and one is read; unpack it and name the file", name, len(files),
		strings.Join(list, ", "))
}

func clippedName(name string) string { return string(text.Clip([]byte(name))) }

// regular is the file itself, where r is one, and else a temporary copy of what raw gives: a zip file has its list of contents at
// its end.
func regular(name string, r, raw io.Reader) (f *os.File, size int64, done func(), err error) {
	if f, is := r.(*os.File); is {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			return f, st.Size(), func() {}, nil
		}
	}
	return copied(name, raw)
}

// copied is a temporary copy of a stream, which done removes.
func copied(name string, r io.Reader) (f *os.File, size int64, done func(), err error) {
	f, err = os.CreateTemp("", "gcg-*.zip")
	if err != nil {
		return nil, 0, nil, fmt.Errorf("%s: cannot be copied to read its contents: %w", name, err)
	}
	// at once, where the system lets an open file go on without a name: who is killed leaves nothing
	gone := os.Remove(f.Name()) == nil
	done = func() {
		f.Close()
		if !gone {
			os.Remove(f.Name())
		}
	}
	if size, err = io.Copy(f, r); err != nil {
		done()
		return nil, 0, nil, fmt.Errorf("%s: cannot be copied to %s to read its contents: %w", name, os.TempDir(), err)
	}
	return f, size, done, nil
}
