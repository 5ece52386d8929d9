package recovery

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// An acceleration is Anderson's, of steps M → M + move that are close to linear once ranks and supports settle: the combination
// of the last M for which that of the moves is shortest [Walker and Ni 2011]. Where the move is longer after it, it is taken
// back.
type acceleration struct {
	ends, moves [][]float64
	plain       []float64 // M without the last combination; nil where there was none
	last        float64   // ‖move‖ before it
}

const (
	depth     = 10      // of moves that are combined; with 5 a tenth more steps
	longer    = 2       // times as long as before, a move takes the combination back
	plainness = 20      // steps before the first combination: problems of full data end before, and need no room
	most      = 1 << 20 // entries of all blocks, beyond which there is no room for so many moves
)

// forget begins anew, as where ρ changes.
func (c *acceleration) forget() { c.ends, c.moves, c.plain = nil, nil, nil }

// next overwrites m, which a step has made of m - move, by the combination.
func (c *acceleration) next(m, move []float64) {
	size := math.Sqrt(kernel.SumSq(move))
	if c.plain != nil && size > longer*c.last {
		copy(m, c.plain)
		c.forget()
		return
	}
	c.plain, c.last = nil, size
	if len(c.moves) == depth {
		c.ends, c.moves = append(c.ends[1:], c.ends[0]), append(c.moves[1:], c.moves[0])
		copy(c.ends[depth-1], m)
		copy(c.moves[depth-1], move)
	} else {
		c.ends, c.moves = append(c.ends, append([]float64(nil), m...)), append(c.moves, append([]float64(nil), move...))
	}
	if len(c.moves) < 2 {
		return
	}
	weights := linalg.Shortest(c.moves)
	c.plain = append([]float64(nil), m...)
	clear(m)
	for k, w := range weights {
		kernel.Axpy(w, c.ends[k], m)
	}
}
