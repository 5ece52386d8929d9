package text

import (
	"iter"
	"sort"
)

// LineBreaks tells the line of each entry of a file in little memory: only where the entries do not stand on successive
// lines is anything kept.
type LineBreaks []lineBreak

// A lineBreak says that from entry at on, the line is entry - at + line.
type lineBreak struct{ at, line int }

// Note says that entry e, the next one, stands on a line.
func (b *LineBreaks) Note(e, line int) {
	if n := len(*b); n > 0 && (*b)[n-1].line+e-(*b)[n-1].at == line {
		return
	}
	*b = append(*b, lineBreak{e, line})
}

// All are the entries that begin a run of successive lines, each with its line.
func (b LineBreaks) All() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, run := range b {
			if !yield(run.at, run.line) {
				return
			}
		}
	}
}

// Line is that of entry e, or 0.
func (b LineBreaks) Line(e int) int {
	i := sort.Search(len(b), func(i int) bool { return b[i].at > e }) - 1
	if i < 0 {
		return 0
	}
	return b[i].line + e - b[i].at
}
