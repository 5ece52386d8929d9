package experiment

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/selection"
)

// ProblemOf is the problem on all data of a task that prepare makes ready, with a penalty of its own.
func ProblemOf[P interface {
	Whole() (*selection.Fitting, error)
}](prepare func() (P, error), h gcg.Penalty) (*gcg.Problem, error) {
	prepared, err := prepare()
	if err != nil {
		return nil, err
	}
	f, err := prepared.Whole()
	if err != nil {
		return nil, err
	}
	p := *f.Problem
	p.Penalty = h
	return &p, nil
}
