package dataset

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// among says which rows of a matrix that ranks share are here: those from first on, of so many. Ranks have them in their order.
type among struct {
	ranks       *cluster.Comm
	first, rows int
}

// from is the number of the first row that is here.
func (m *Matrix) from() int {
	if m.among == nil {
		return 0
	}
	return m.among.first
}

// Len is the number of rows, of all ranks where these share X.
func (r *Rows) Len() int {
	if r.X.among != nil {
		return r.X.among.rows
	}
	return r.X.Rows
}

// OverRanks leaves this rank those rows of X that are its own by Spread, which it sets. All ranks have the same rows, or have
// read them together (see RowsReader.Ranks). Answers stay those of all rows, on every rank.
func (r *Rows) OverRanks(c *cluster.Comm) (err error) {
	if r.Spread != nil {
		return nil
	}
	if r.X, r.Spread, err = r.X.OverRanks(c); err != nil {
		return fmt.Errorf("%s: %w", r.XName, err)
	}
	return nil
}

// OverRanks is the rows of m that are those of this rank, and how ranks share them: by shards of about equal numbers of what is
// stored. All ranks have the same m, or have read its rows together, or it is a Subset of such a matrix.
func (m *Matrix) OverRanks(c *cluster.Comm) (*Matrix, *cluster.Rows, error) {
	counts := slices.Repeat([]int64{int64(m.Cols)}, m.Rows)
	if m.Dense == nil {
		for i := range counts {
			counts[i] = 1 + m.Ptr[i+1] - m.Ptr[i]
		}
	}
	first := 0
	if m.among != nil {
		all := cluster.All(c, counts)
		for _, list := range all[:c.Rank()] {
			first += len(list)
		}
		counts = slices.Concat(all...)
	}
	rows, err := cluster.Spread(c, counts)
	if err != nil {
		return nil, nil, err
	}
	x := m.dealt(rows, first)
	lo, _ := rows.OwnRows()
	x.among = &among{c, lo, len(counts)}
	return x, rows, nil
}

// dealt is the rows of this rank, of those that the ranks have, this one from first on, or that each has all of.
func (m *Matrix) dealt(to *cluster.Rows, first int) *Matrix {
	c := to.Comm()
	if c.Size() == 1 {
		x := *m
		return &x
	}
	cut := func(rank int) (lo, hi int) {
		if m.among == nil && rank != c.Rank() {
			return 0, 0
		}
		lo, hi = to.RowsOf(rank)
		return min(max(lo-first, 0), m.Rows), min(max(hi-first, 0), m.Rows)
	}
	own, end := to.OwnRows()
	x := &Matrix{Rows: end - own, Cols: m.Cols, Names: m.Names, Categories: m.Categories, lines: m.lines}
	if m.Dense != nil {
		x.Dense = dealtTo(c, func(rank int) []float64 {
			lo, hi := cut(rank)
			return m.Dense[lo*m.Cols : hi*m.Cols]
		})
		return x
	}
	stored := func(rank int) (lo, hi int64) {
		from, to := cut(rank)
		return m.Ptr[from], m.Ptr[to]
	}
	counts := dealtTo(c, func(rank int) (list []int64) {
		lo, hi := cut(rank)
		for i := lo; i < hi; i++ {
			list = append(list, m.Ptr[i+1]-m.Ptr[i])
		}
		return list
	})
	x.Ptr = append(x.Ptr, 0)
	for i, n := range counts {
		x.Ptr = append(x.Ptr, x.Ptr[i]+n)
	}
	x.Index = dealtTo(c, func(rank int) []int32 { lo, hi := stored(rank); return m.Index[lo:hi] })
	x.Values = dealtTo(c, func(rank int) []float64 { lo, hi := stored(rank); return m.Values[lo:hi] })
	return x
}

// dealtTo is what the ranks have for this one, in their order; of is what this one has for each. It is no nil, and nothing that
// the caller keeps is in it.
func dealtTo[T cluster.Number](c *cluster.Comm, of func(rank int) []T) []T {
	to := make([][]T, c.Size())
	for rank := range to {
		to[rank] = of(rank)
	}
	parts, length := cluster.Deal(c, to), 0
	for _, part := range parts {
		length += len(part)
	}
	all := make([]T, 0, length)
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// joined is a dense matrix of all rows, of those that ranks share.
func (m *Matrix) joined() *Matrix {
	if m.among == nil {
		return m
	}
	x := *m
	x.Rows, x.Dense, x.among = m.among.rows, cluster.Joined(m.among.ranks, m.Dense), nil
	return &x
}

// joinedTexts are the texts of all ranks, in their order; equal ones are one in memory. Without ranks they are the own ones.
func joinedTexts(c *cluster.Comm, own []string) []string {
	if c.Size() == 1 {
		return own
	}
	ids, codes := &IDs{}, make([]int32, len(own))
	for i, t := range own {
		codes[i] = ids.Add([]byte(t))
	}
	all, at := ids.OverRanks(c)
	texts := all.Texts()
	var list []string
	for _, code := range joinedCodes(c, codes, at) {
		list = append(list, texts[code])
	}
	return list
}

// joinedCodes are numbers of all ranks, of which number k of this one is at[k] among those of all.
func joinedCodes(c *cluster.Comm, codes, at []int32) []int32 {
	for i, code := range codes {
		codes[i] = at[code]
	}
	return cluster.Joined(c, codes)
}

// agree is how many rows there are of n that this rank has read, and where they are among those of all; lines are those of its
// part of the text, and breaks those of its rows, which become those of all.
func agree(c *cluster.Comm, n, lines int, breaks *text.LineBreaks) *among {
	var all text.LineBreaks
	var flat []int64
	for e, line := range breaks.All() {
		flat = append(flat, int64(e), int64(line))
	}
	a, before := &among{ranks: c}, 0
	counts := cluster.All(c, []int64{int64(n), int64(lines)})
	for rank, list := range cluster.All(c, flat) {
		for k := 0; k < len(list); k += 2 {
			all.Note(a.rows+int(list[k]), before+int(list[k+1]))
		}
		if rank == c.Rank() {
			a.first = a.rows
		}
		a.rows, before = a.rows+int(counts[rank][0]), before+int(counts[rank][1])
	}
	*breaks = all
	return a
}

// linesFrom is the part of the lines of a text file, from a line on, that this rank reads, or nil where the file is none that can
// be read by parts. All ranks decide alike.
func linesFrom(c *cluster.Comm, path string, line int) (*filePart, error) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", path, err)
	}
	p := &filePart{file: f, name: path, size: st.Size(), rank: c.Rank(), headLine: line - 1}
	if !p.plain() {
		f.Close()
		return nil, nil
	}
	for range p.headLine {
		if p.behindTheHead, err = p.lineFrom(p.behindTheHead + 1); err != nil {
			f.Close()
			return nil, err
		}
	}
	span, ranks := p.size-p.behindTheHead, int64(c.Size())
	if p.begin, err = p.lineFrom(p.behindTheHead + span*int64(p.rank)/ranks); err == nil {
		p.end, err = p.lineFrom(p.behindTheHead + span*int64(p.rank+1)/ranks)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

// together reads lines from one on by parts: read takes those of this rank, and reports whether something in them is wrong; then
// it is called once more, after fresh, with lines whose numbers are those of the file. lines is how many the part has. Where the
// file cannot be read by parts ok is false.
func together(c *cluster.Comm, path string, line int, fresh func(),
	read func(*text.LineReader) (wrong bool, err error)) (lines int, ok bool, err error) {
	p, err := linesFrom(c, path, line)
	if err = c.FirstError(err); err != nil || p == nil {
		return 0, false, err
	}
	defer p.file.Close()
	before := 0
	if p.rank == 0 {
		before = p.headLine
	}
	in := p.reader(before)
	wrong, err := read(in)
	if (wrong || err != nil) && p.rank > 0 {
		if before, err = p.lines(p.begin); err == nil {
			fresh()
			_, err = read(p.reader(before))
		}
	}
	return in.Line, true, c.FirstError(err)
}

// reader reads the lines of the part, which follow so many others.
func (p *filePart) reader(before int) *text.LineReader {
	r := io.Reader(io.NewSectionReader(p.file, p.begin, p.end-p.begin))
	if mark := []byte("\xef\xbb\xbf"); p.begin == 0 {
		head := make([]byte, len(mark))
		if n, _ := p.file.ReadAt(head, 0); bytes.Equal(head[:n], mark) {
			r = io.NewSectionReader(p.file, int64(len(mark)), max(p.end-int64(len(mark)), 0))
		}
	}
	lines := text.NewLineReader(r)
	lines.Line = before
	return lines
}
