package main

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A size is what an iterate is small in: its rank, or the entries that are not 0.
type size struct {
	Rank     *int `json:"rank,omitempty"`
	Nonzeros *int `json:"nonzeros,omitempty"`
}

// solvedSize is the size of a solution: the rank of W, which atoms that are no singular vectors are more than.
func solvedSize(k gcg.Gauge, w *gcg.Iterate) size {
	s := sizeOf(k, w)
	if s.Rank != nil && *s.Rank > 0 {
		_, sigma, _ := gcg.SVD(w.U, w.V, model.Negligible)
		*s.Rank = len(sigma)
	}
	return s
}

// sizeOf counts what the gauge makes few, at any time of a run: of rank the pairs of columns that an iterate holds.
func sizeOf(k gcg.Gauge, w *gcg.Iterate) size {
	if !sparse(k) {
		r := w.Rank()
		return size{Rank: &r}
	}
	n := w.Nonzeros()
	return size{Nonzeros: &n}
}

// sparse says whether the atoms of a gauge are entries.
func sparse(k gcg.Gauge) bool {
	_, lp := k.(gauge.Lp)
	return lp || view.OfGauge(k).BlockGauge != nil
}

func (s size) name() string {
	if s.Rank != nil {
		return "rank"
	}
	return "nonzeros"
}

func (s size) count() int {
	if s.Rank != nil {
		return *s.Rank
	}
	return *s.Nonzeros
}

func (s size) String() string { return fmt.Sprintf("%s %d", s.name(), s.count()) }
