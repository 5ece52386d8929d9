package model

import (
	"errors"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// A model of an iterate whose rows ranks share has the rows of U of its rank alone: it predicts for these, and all ranks save it
// together.

// Whole is the model with all rows of U on every rank, which make it together; itself where ranks share none.
func (m *Model) Whole() *Model {
	if m.shared == nil {
		return m
	}
	all := *m
	all.shared, all.U = nil, make([]float64, m.Rows*m.Rank)
	lo, _ := m.shared.OwnRows()
	copy(all.U[lo*m.Rank:], m.U)
	cluster.Fill(m.shared, all.U, m.Rank)
	return &all
}

// SaveOver is Save of the first rank. Of a model whose rows ranks share they call it together: the first has what the others send
// piece by piece.
func (m *Model) SaveOver(ranks *cluster.Comm, name string) error {
	if m.shared == nil || ranks.Size() == 1 {
		if ranks.Rank() > 0 {
			return nil
		}
		return m.Save(name)
	}
	from, err := &gathered{m: m}, error(nil)
	if ranks.Rank() == 0 {
		whole := *m
		whole.gathered = from
		err = atomicfile.Write(name, whole.Write)
	}
	for from.passes < savingPasses { // on other ranks, and what an error has left out
		from.pass(func([]float64) {})
	}
	return err
}

// savingPasses are over the numbers of a model that is saved: for the checksum, and to write them.
const savingPasses = 2

// gathered hands the rows of U to the first rank.
type gathered struct {
	m      *Model
	passes int
}

// gatheredAtOnce is how many numbers a rank sends in one message.
const gatheredAtOnce = 1 << 18

// pass has do called on the first rank with the numbers of U piece by piece.
func (g *gathered) pass(do func(x []float64)) {
	rows := g.m.shared
	ranks := rows.Comm()
	for rank := range ranks.Size() {
		lo, hi := rows.RowsOf(rank)
		own := []float64(nil)
		if rank == ranks.Rank() {
			own = g.m.U
		}
		for at := 0; at < (hi-lo)*g.m.Rank; at += gatheredAtOnce {
			to := make([][]float64, ranks.Size())
			if own != nil {
				to[0] = own[at:min(at+gatheredAtOnce, len(own))]
			}
			if x := cluster.Deal(ranks, to)[rank]; ranks.Rank() == 0 {
				do(x)
			}
		}
	}
	g.passes++
}

// errShared is of a model that one rank cannot write.
var errShared = errors.New("other ranks have rows of it, and save it together by SaveOver")

// first is the first row of U that is here.
func (m *Model) first() int {
	if m.shared == nil {
		return 0
	}
	lo, _ := m.shared.OwnRows()
	return lo
}

// rowsHere is how many rows of U there are.
func (m *Model) rowsHere() int {
	if m.shared == nil {
		return m.Rows
	}
	lo, hi := m.shared.OwnRows()
	return hi - lo
}

// leftRow is row i of U.
func (m *Model) leftRow(i int) []float64 {
	i -= m.first()
	return m.U[i*m.Rank : (i+1)*m.Rank]
}
