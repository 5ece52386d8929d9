package selection

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/model"
)

// A Size is what an iterate is small in: its rank, or the number of its entries that are not 0. The other one is nil.
type Size struct {
	Rank     *int `json:"rank,omitempty"`
	Nonzeros *int `json:"nonzeros,omitempty"`
}

// SizeOf counts what the gauge makes few, at any time of a run: of rank the pairs of columns that an iterate holds.
func SizeOf(k gcg.Gauge, w *gcg.Iterate) Size {
	if !Sparse(k) && (w.Rank() > 0 || len(w.Terms) == 0) { // a W of low rank may be kept by its entries, where these are few
		r := w.Rank()
		return Size{Rank: &r}
	}
	n := w.Nonzeros()
	return Size{Nonzeros: &n}
}

// SolvedSize is the size of a solution: the rank of W, which atoms that are no singular vectors are more than.
func SolvedSize(k gcg.Gauge, w *gcg.Iterate) Size {
	s := SizeOf(k, w)
	if s.Rank != nil && *s.Rank > 0 {
		_, sigma, _ := gcg.SVD(w.U, w.V, model.Negligible)
		*s.Rank = len(sigma)
	}
	return s
}

// Sparse says whether the atoms of a gauge are entries of W.
func Sparse(k gcg.Gauge) bool {
	can := view.OfGauge(k)
	return can.BlockGauge != nil || can.Splitter != nil && can.Compressor != nil // which write W by its entries
}

// Name is rank or nonzeros.
func (s Size) Name() string {
	if s.Rank != nil {
		return "rank"
	}
	return "nonzeros"
}

// Count is how many.
func (s Size) Count() int {
	if s.Rank != nil {
		return *s.Rank
	}
	return *s.Nonzeros
}

func (s Size) String() string { return fmt.Sprintf("%s %d", s.Name(), s.Count()) }
