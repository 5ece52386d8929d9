package inductive

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Side is the matrix S = [diag(Scale) F diag(Listed)B] of the rows or the columns of X: an indicator of its own for each, and
// its p features, by compressed rows: row i has Values[Ptr[i]:Ptr[i+1]] in the columns Index[Ptr[i]:Ptr[i+1]] of F.
type Side struct {
	N, P   int
	Scale  []float64 // N positive numbers, or nil for ones
	Ptr    []int64   // N+1 offsets; nil where P is 0
	Index  []int32
	Values []float64
	// Listed makes what a row observes, or what else the cells of NewListed say of it, features of it, behind the others: its
	// list of ones, times its weight here. There are as many as the other side has rows, and an indicator of each. nil is none.
	Listed []float64
	Lists  int // how many there are, 0 without Listed
}

// check refuses slices that do not fit together and numbers that are not finite.
func (s *Side) check() error {
	switch {
	case s.N < 1 || s.P < 0 || s.P > math.MaxInt32-s.N:
		return fmt.Errorf("operator: %d rows with %d features", s.N, s.P)
	case s.Listed != nil && len(s.Listed) != s.N || s.Listed == nil && s.Lists != 0:
		return fmt.Errorf("operator: %d weights of lists for %d rows", len(s.Listed), s.N)
	case s.Scale != nil && len(s.Scale) != s.N:
		return fmt.Errorf("operator: %d scales for %d rows", len(s.Scale), s.N)
	case s.P == 0 && len(s.Values) == 0 && len(s.Ptr) == 0:
	case len(s.Ptr) != s.N+1 || s.Ptr[0] != 0 || s.Ptr[s.N] != int64(len(s.Values)) || len(s.Index) != len(s.Values):
		return fmt.Errorf("operator: %d offsets, %d places and %d values of the features of %d rows", len(s.Ptr), len(s.Index),
			len(s.Values), s.N)
	}
	for i, x := range s.Scale {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("operator: the scale of row %d is %v; scales are positive and finite", i+1, x)
		}
	}
	for i := range max(0, len(s.Ptr)-1) {
		if s.Ptr[i+1] < s.Ptr[i] {
			return fmt.Errorf("operator: the features of row %d end before they begin", i+1)
		}
	}
	for e, x := range s.Values {
		if f := s.Index[e]; f < 0 || int(f) >= s.P || x-x != 0 {
			return fmt.Errorf("operator: feature %d, of %d, is %v", f+1, s.P, x)
		}
	}
	return nil
}

// Rows is how many rows of W there are: n indicators, p features, and what is listed.
func (s *Side) Rows() int { return s.N + s.P + s.Lists }

// features are those of row i.
func (s *Side) features(i int) (index []int32, values []float64) {
	if s.P == 0 {
		return nil, nil
	}
	return s.Index[s.Ptr[i]:s.Ptr[i+1]], s.Values[s.Ptr[i]:s.Ptr[i+1]]
}

// Times is S W (n×k), for W of n+p rows.
func (s *Side) Times(w *gcg.Factor) *gcg.Factor { return times(s, w) }

// times is S W in a new factor.
func times[T gcg.Real](s *Side, w *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	x := gcg.Room[T](s.N, w.K)
	x.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			rowTo(s, x.Row(i), w, i)
		}
	})
	return x
}

// rowTo writes row i of S W.
func rowTo[T gcg.Real](s *Side, dst []T, w *gcg.FactorOf[T], i int) {
	copy(dst, w.Row(i))
	if s.Scale != nil {
		kernel.Scale(T(s.Scale[i]), dst)
	}
	index, values := s.features(i)
	for e, f := range index {
		kernel.Axpy(T(values[e]), w.Row(s.N+int(f)), dst)
	}
}

// transposeTo writes W = Sᵀ X, for X of n rows.
func transposeTo[T gcg.Real](s *Side, w, x *gcg.FactorOf[T]) {
	x.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := w.Row(i)
			copy(row, x.Row(i))
			if s.Scale != nil {
				kernel.Scale(T(s.Scale[i]), row)
			}
		}
	})
	sumOver(s, w.Data[s.N*w.Stride:(s.N+s.P)*w.Stride], w.Stride, x.Row)
}

// sumOver overwrites dst (p×stride) with Fᵀ X.
func sumOver[T gcg.Real](s *Side, dst []T, stride int, x func(i int) []T) {
	if s.P == 0 {
		return
	}
	parts := par.Grain(len(s.Values), max(s.P, rowsOfPart), mostParts)
	par.Accumulate(dst, parts, s.N, func(part []T, lo, hi int) {
		for i := lo; i < hi; i++ {
			index, values := s.features(i)
			for e, f := range index {
				kernel.Axpy(T(values[e]), x(i), part[int(f)*stride:(int(f)+1)*stride])
			}
		}
	})
}

// A sum of features has at most mostParts parts. A part has at least rowsOfPart values, and as many as it has features, so that
// adding it costs less than making it.
const (
	rowsOfPart = 1 << 12
	mostParts  = 8
)
