package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine bounds a line, so that a file without line ends does not fill the memory.
const MaxLine = 1 << 24

// A LineReader yields lines without their ends (LF or CRLF) from large reads. A line that is not UTF-8 is taken for Windows-1252.
type LineReader struct {
	src  io.Reader
	buf  []byte
	lo   int    // start of what was not yielded
	hi   int    // end of what was read
	prev int    // start of the current line
	Text []byte // the current line as UTF-8, valid until next
	Line int    // its number, from 1
	Else int    // the first line that was not UTF-8, and was taken for Windows-1252; 0 if none
	Err  error
	eof  bool
	read int64 // bytes of src
}

// NewLineReader reads lines from src, which it reads in pieces of 256 KiB.
func NewLineReader(src io.Reader) *LineReader {
	return &LineReader{src: src, buf: make([]byte, 1<<18)}
}

// Next moves to the next line.
func (l *LineReader) Next() bool {
	from := l.lo
	for {
		if i := bytes.IndexByte(l.buf[from:l.hi], '\n'); i >= 0 {
			return l.yield(from+i, from+i+1)
		}
		if l.eof || l.Err != nil {
			if l.lo == l.hi || l.Err != nil {
				return false
			}
			if l.Line == 0 && loneReturns(l.buf[l.lo:l.hi]) {
				l.Err = errReturns
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

func (l *LineReader) yield(end, next int) bool {
	l.prev = l.lo
	l.Text = l.buf[l.lo:end]
	if n := len(l.Text); n > 0 && l.Text[n-1] == '\r' {
		l.Text = l.Text[:n-1]
	}
	l.lo = next
	l.Line++
	if utf8 := UTF8(l.Text); len(utf8) != len(l.Text) {
		l.Text = utf8
		if l.Else == 0 {
			l.Else = l.Line
		}
	}
	return true
}

// fill reads more behind what is left, which moves to the front; it returns the number of bytes read.
func (l *LineReader) fill() int {
	copy(l.buf, l.buf[l.lo:l.hi])
	l.hi -= l.lo
	l.lo = 0
	if l.hi == len(l.buf) {
		if l.Line == 0 && len(l.buf) >= MaxLine && loneReturns(l.buf) {
			l.Err = errReturns
			return 0
		}
		if len(l.buf) >= MaxLine {
			l.Err = fmt.Errorf("line %d is longer than %d bytes", l.Line+1, MaxLine)
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
	l.read += int64(n)
	if err == io.EOF {
		l.eof = true
	} else if err != nil {
		l.Err = err
	}
	return n
}

// Window is what has been read of the stream, from the current line on.
func (l *LineReader) Window() []byte { return l.buf[l.prev:l.hi] }

// Ahead is what has been read of the stream behind the current line.
func (l *LineReader) Ahead() []byte { return l.buf[l.lo:l.hi] }

// Passed is how many bytes of the stream are before Ahead.
func (l *LineReader) Passed() int64 { return l.read - int64(l.hi-l.lo) }

// Pass goes on by so many bytes of Ahead, which are so many whole lines. There is no current line then.
func (l *LineReader) Pass(bytes, lines int) {
	l.lo += bytes
	l.prev, l.Line = l.lo, l.Line+lines
}

// Below are the next lines, at most n, as far as they have been read; the last of them may be cut.
func (l *LineReader) Below(n int) (lines [][]byte) {
	for rest := l.buf[l.lo:l.hi]; len(rest) > 0 && len(lines) < n; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		lines = append(lines, bytes.TrimSuffix(line, []byte("\r")))
	}
	return lines
}

// Rest is the stream from the current line on.
func (l *LineReader) Rest() io.Reader {
	start := l.prev
	if i := bytes.Index(l.buf[l.prev:l.hi], l.Text); i > 0 { // behind a byte order mark
		start += i
	}
	return io.MultiReader(bytes.NewReader(l.buf[start:l.hi]), l.src)
}
