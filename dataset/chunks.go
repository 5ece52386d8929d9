package dataset

import (
	"runtime/debug"
)

// A chunkList grows without copying. Its length is what a file really holds, not what a header claims. Joining it takes little
// more than the memory of the result, where a slice that doubles takes three times as much.
type chunkList[T any] struct {
	chunks [][]T // full, but for the last
	n      int
}

const (
	chunkShift = 15
	chunkSize  = 1 << chunkShift
)

func (p *chunkList[T]) push(x T) {
	last := p.last()
	p.chunks[last] = append(p.chunks[last], x)
	p.n++
}

func (p *chunkList[T]) append(xs []T) {
	p.n += len(xs)
	for len(xs) > 0 {
		last := p.last()
		k := min(len(xs), chunkSize-len(p.chunks[last]))
		p.chunks[last] = append(p.chunks[last], xs[:k]...)
		xs = xs[k:]
	}
}

// last is the chunk with room; the first one starts small, for small files.
func (p *chunkList[T]) last() int {
	last := len(p.chunks) - 1
	switch {
	case last < 0:
		p.chunks = append(p.chunks, nil)
	case len(p.chunks[last]) == chunkSize:
		p.chunks = append(p.chunks, make([]T, 0, chunkSize))
	default:
		return last
	}
	return last + 1
}

func (p *chunkList[T]) at(k int) T { return p.chunks[k>>chunkShift][k&(chunkSize-1)] }

// join is the list as one slice; the list is empty afterwards.
func (p *chunkList[T]) join() []T {
	chunks, n := p.chunks, p.n
	*p = chunkList[T]{}
	if len(chunks) == 1 {
		return chunks[0][:n:n]
	}
	all := make([]T, 0, n)
	part := max(len(chunks)/8, largePart/chunkSize)
	for c := range chunks {
		if c > 0 && c%part == 0 {
			debug.FreeOSMemory() // of the chunks that are in their place
		}
		all = append(all, chunks[c]...)
		chunks[c] = nil
	}
	return all
}

// largePart is the number of items in whose memory the system may have an interest before all are joined.
const largePart = 4 << 20

// joinTransposed takes the list as a rows×cols matrix by columns and gives it by rows.
func (p *chunkList[T]) joinTransposed(rows, cols int) []T { return transpose(p.join(), rows, cols) }

// transpose gives by rows a rows×cols matrix by columns. Columns go in groups, so that what is written lies together.
func transpose[T any](values []T, rows, cols int) []T {
	if rows == 1 || cols == 1 {
		return values
	}
	const group = 8
	all := make([]T, len(values))
	for lo := 0; lo < cols; lo += group {
		hi := min(lo+group, cols)
		for i := range rows {
			for j := lo; j < hi; j++ {
				all[i*cols+j] = values[j*rows+i]
			}
		}
	}
	return all
}

// listOf is a slice as a list, which shares its memory.
func listOf[T any](all []T) chunkList[T] {
	p := chunkList[T]{n: len(all)}
	for lo := 0; lo < len(all); lo += chunkSize {
		hi := min(lo+chunkSize, len(all))
		p.chunks = append(p.chunks, all[lo:hi:hi])
	}
	return p
}
