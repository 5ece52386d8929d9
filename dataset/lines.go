package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line, so that a file without line ends does not fill the memory.
const maxLine = 1 << 24

// A lineReader yields lines without their ends (LF or CRLF) from large reads.
type lineReader struct {
	src  io.Reader
	buf  []byte
	lo   int    // start of what was not yielded
	hi   int    // end of what was read
	prev int    // start of the current line
	text []byte // the current line, valid until next
	line int    // its number, from 1
	err  error
	eof  bool
}

func newLineReader(src io.Reader) *lineReader {
	return &lineReader{src: src, buf: make([]byte, 1<<18)}
}

// next moves to the next line.
func (l *lineReader) next() bool {
	from := l.lo
	for {
		if i := bytes.IndexByte(l.buf[from:l.hi], '\n'); i >= 0 {
			return l.yield(from+i, from+i+1)
		}
		if l.eof || l.err != nil {
			if l.lo == l.hi || l.err != nil {
				return false
			}
			if l.line == 0 && loneReturns(l.buf[l.lo:l.hi]) {
				l.err = errReturns
				return false
			}
			return l.yield(l.hi, l.hi)
		}
		added := l.fill() // moves hi
		from = l.hi - added
	}
}

// errReturns is that of a text that would be one line.
var errReturns = errors.New("its lines end in CR alone; write it with LF or CRLF, as tr '\\r' '\\n' does")

// loneReturns says whether a first line without an end is several that end in CR alone, and not binary data.
func loneReturns(b []byte) bool {
	return bytes.IndexByte(bytes.TrimRight(b, "\r"), '\r') >= 0 && bytes.IndexByte(b, 0) < 0
}

func (l *lineReader) yield(end, next int) bool {
	l.prev = l.lo
	l.text = l.buf[l.lo:end]
	if n := len(l.text); n > 0 && l.text[n-1] == '\r' {
		l.text = l.text[:n-1]
	}
	l.lo = next
	l.line++
	return true
}

// fill reads more behind what is left, which moves to the front; it returns the number of bytes read.
func (l *lineReader) fill() int {
	copy(l.buf, l.buf[l.lo:l.hi])
	l.hi -= l.lo
	l.lo = 0
	if l.hi == len(l.buf) {
		if l.line == 0 && len(l.buf) >= maxLine && loneReturns(l.buf) {
			l.err = errReturns
			return 0
		}
		if len(l.buf) >= maxLine {
			l.err = fmt.Errorf("line %d is longer than %d bytes", l.line+1, maxLine)
			return 0
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.src.Read(l.buf[l.hi:])
	for tries := 1; n == 0 && err == nil; tries++ { // readers may, but not for ever
		if tries == 100 {
			err = io.ErrNoProgress
			break
		}
		n, err = l.src.Read(l.buf[l.hi:])
	}
	l.hi += n
	if err == io.EOF {
		l.eof = true
	} else if err != nil {
		l.err = err
	}
	return n
}

// window is what has been read of the stream, from the current line on.
func (l *lineReader) window() []byte { return l.buf[l.prev:l.hi] }

// rest is the stream from the current line on.
func (l *lineReader) rest() io.Reader {
	start := l.prev
	if i := bytes.Index(l.buf[l.prev:l.hi], l.text); i > 0 { // behind a byte order mark
		start += i
	}
	return io.MultiReader(bytes.NewReader(l.buf[start:l.hi]), l.src)
}

// EachLine calls f with every line of a text file that says something, and its number, without blanks around it. It ends with
// the first error of f. A file without lines, or with one of more than 16 MiB, is an error that names it.
func EachLine(name string, f func(line int, text string) error) error {
	src, err := Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	name = src.Name
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<24)
	line := 0
	for sc.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if text == "" {
			continue
		}
		if err := f(line, text); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s:%d: cannot be read: %w", name, line+1, err)
	}
	if line == 0 {
		return fmt.Errorf("%s: is empty", name)
	}
	return nil
}
