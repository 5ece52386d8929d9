package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/param"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// labelled are samples with their labels.
type labelled struct {
	X      *Matrix  // sparse
	Labels []string // the text of each, len X.Rows
	// ZeroBased tells that the file counts its columns from 0. A file that belongs to this one and never uses column 0
	// looks as if it counted from 1.
	ZeroBased bool
}

// readLIBSVM reads lines «label index:value index:value …», from a file or from stdin for "-" (nil means the standard
// input of the process). Indices ascend and count from 1; where an index 0 occurs, all count from 0. What follows a #
// is a comment; qid: tokens are skipped. X has as many columns as the largest index asks for.
//
// Source: the README of LIBSVM; the qid is SVMrank's.
func readLIBSVM(name string, stdin io.Reader, ranks *cluster.Comm) (*labelled, error) {
	lines, in, err := openLines(name, stdin, "lines of «label index:value …»")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p := newLIBSVM(in.Name)
	if ranks != nil && in.typed == nil {
		read, ok, err := together(ranks, in.path, lines.Line, func() { *p = *newLIBSVM(in.Name) },
			func(part *text.LineReader) (bool, error) { return false, p.read(part) })
		if ok || err != nil {
			if err != nil {
				return nil, err
			}
			return p.finishOf(ranks, read)
		}
	}
	if err := p.read(lines); err != nil {
		return nil, err
	}
	return p.finish(p.index.n)
}

func newLIBSVM(name string) *libsvm {
	p := &libsvm{name: name, texts: sharedTexts{}, largest: -1}
	p.starts.push(0)
	return p
}

// read reads the current line, if there is one, and all others.
func (p *libsvm) read(lines *text.LineReader) error {
	p.lines = lines
	for ok := true; ok; ok = p.lines.Next() {
		if err := p.row(p.lines.Text); err != nil {
			return err
		}
	}
	return stopped(p.lines, p.name)
}

// finishOf is finish where each rank has read a part, of so many lines.
func (p *libsvm) finishOf(c *cluster.Comm, lines int) (*labelled, error) {
	seen, own := []bool{p.zeroSeen}, p.labels.join()
	c.Any(seen)
	_, largest := c.Extremes(0, float64(p.largest))
	rows := agree(c, len(own), lines, &p.breaks)
	p.zeroSeen, p.largest, p.labels = seen[0], int(largest), listOf(joinedTexts(c, own))
	l, err := p.finish(c.Count(p.index.n))
	if err == nil {
		l.X.Rows, l.X.among = len(own), rows
	}
	return l, err
}

type libsvm struct {
	name     string
	lines    *text.LineReader
	texts    sharedTexts
	labels   chunkList[string]
	breaks   text.LineBreaks // of the rows
	starts   chunkList[int64]
	index    chunkList[int32]
	values   chunkList[float64]
	largest  int
	zeroSeen bool
}

func (p *libsvm) errorf(format string, args ...any) error {
	return lineError(p.name, p.lines.Line, format, args...)
}

func (p *libsvm) row(line []byte) error {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	label, rest := text.CutWord(line)
	if bytes.IndexByte(label, ':') >= 0 {
		return p.errorf("starts with %q; a label goes first", text.Clip(label))
	}
	if bytes.EqualFold(label, []byte("nan")) {
		return p.errorf("the label is %q, a missing value; fill it in or leave the row out", label)
	}
	p.breaks.Note(p.labels.n, p.lines.Line)
	p.labels.push(p.texts.text(label))
	last := -1
	for len(rest) > 0 {
		var err error
		if last, rest, err = p.pair(last, rest); err != nil {
			return err
		}
	}
	p.largest = max(p.largest, last)
	p.starts.push(int64(p.index.n))
	return nil
}

// pair reads index:value behind the index last, and what blanks follow.
func (p *libsvm) pair(last int, b []byte) (int, []byte, error) {
	j, n := text.ScanIndex(b)
	if n == 0 || n == len(b) || b[n] != ':' || j > math.MaxInt32-1 {
		if word, rest := text.CutWord(b); bytes.HasPrefix(word, []byte("qid:")) {
			return last, rest, nil
		}
		return 0, nil, p.badIndex(b)
	}
	b = b[n+1:]
	x, n := text.ScanDecimal(b)
	var rest []byte
	switch {
	case n > 0 && n == len(b):
	case n > 0 && b[n] == ' ':
		rest = text.TrimLeft(b[n+1:])
	default:
		var word []byte
		var ok bool
		word, rest = text.CutWord(b)
		if x, ok = text.WholeNumber(word); !ok {
			return 0, nil, p.errorf("index %d has the value %q, which is not a number; mend it", j, text.Clip(word))
		}
		if !text.Finite(x) {
			return 0, nil, p.errorf("index %d has the value %q; the numbers must be finite", j, text.Clip(word))
		}
	}
	if j <= last {
		if j == last {
			return 0, nil, p.errorf("has index %d twice; keep one of the two", j)
		}
		return 0, nil, p.errorf("has index %d after %d; sort the indices of each line", j, last)
	}
	p.zeroSeen = p.zeroSeen || j == 0
	p.index.push(int32(j))
	p.values.push(x)
	return j, rest, nil
}

func (p *libsvm) badIndex(b []byte) error {
	word, _ := text.CutWord(b)
	if i := bytes.IndexByte(word, ':'); i > 0 {
		return p.errorf("the index of %q is not a whole number from 0 to 2³¹-2; mend it", text.Clip(word))
	}
	return p.errorf("holds %q, which is not index:value; mend it, or read the file as CSV", text.Clip(word))
}

// finish makes the matrix and the labels, of all rows with so many entries.
func (p *libsvm) finish(entries int) (*labelled, error) {
	if p.labels.n == 0 {
		return nil, fmt.Errorf("%s: has only comments; give lines of «label index:value …»", p.name)
	}
	if entries == 0 {
		return nil, param.Errorf("%s: has labels and no features; a line is «label index:value …», "+
			"and delimited text has %v to name the column of the answers", p.name, param.Target)
	}
	x := &Matrix{Rows: p.labels.n, Cols: p.largest + 1, Index: p.index.join(), Values: p.values.join(), Ptr: p.starts.join(),
		lines: p.breaks}
	if !p.zeroSeen {
		x.Cols--
		for e := range x.Index {
			x.Index[e]--
		}
	}
	return &labelled{X: x, Labels: p.labels.join(), ZeroBased: p.zeroSeen}, nil
}
