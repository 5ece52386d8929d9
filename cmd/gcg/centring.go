package main

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// centre takes the means of the training rows, of each task its own, off dense features where an intercept is fitted. The constants
// absorb them, so that the problem is the same; but where features are far from 0 only the one without them is well conditioned.
func (l *linear) centre() {
	if !l.f.intercept || l.train.x.Dense == nil {
		return
	}
	l.train.sum = l.train.checksum()
	p, groups := l.train.x.Cols, 1
	if l.train.task != nil {
		groups = len(l.schema.outputs)
	}
	l.mean = &dataset.Matrix{Rows: groups, Cols: p, Dense: make([]float64, groups*p)}
	count := make([]float64, groups)
	for i := range l.train.rows() {
		count[l.train.group(i)]++
	}
	for i := range l.train.rows() {
		g := l.train.group(i)
		kernel.Axpy(1/count[g], l.train.x.Dense[i*p:(i+1)*p], l.meanOf(g))
	}
	for _, s := range []*samples{l.train, l.test, l.valid} {
		if s == nil {
			continue
		}
		if s.x.Dense == nil {
			s.x.Densify()
		}
		for i := range s.rows() {
			kernel.Axpy(-1, l.meanOf(s.group(i)), s.x.Dense[i*p:(i+1)*p])
		}
	}
}

// group is the task of a row, or 0.
func (s *samples) group(i int) int {
	if s.task == nil {
		return 0
	}
	return int(s.task[i])
}

func (l *linear) meanOf(group int) []float64 {
	return l.mean.Dense[group*l.mean.Cols : (group+1)*l.mean.Cols]
}

// absorbed is what the constants for centred features hold more than those for the features as they are given, W'x̄.
func (l *linear) absorbed(w *gcg.Iterate) ([]float64, error) {
	means := &samples{name: l.train.name, x: l.mean}
	if l.train.task != nil {
		for t := range l.mean.Rows {
			means.task = append(means.task, int32(t))
		}
	}
	op, err := l.operator(means)
	if err != nil {
		return nil, err
	}
	return l.predictions(op, &gcg.State{W: w}), nil
}
