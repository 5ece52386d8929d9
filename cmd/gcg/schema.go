package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
)

// learn makes the schema of training samples, and the samples by it.
func learn(problem string, l lossWord, u *unread) (*schema, *samples, error) {
	c := &schema{problem: problem, width: u.x.Cols, features: u.x.Names, libsvm: u.libsvm, zeroBased: u.zeroBased}
	s := &samples{name: u.name, xname: u.xname, x: u.x}
	var err error
	switch problem {
	case "classification":
		s.class, c.outputs = dataset.LabelIDs(u.labels)
		if len(c.outputs) < 2 {
			return nil, nil, fmt.Errorf("%s: all %d rows have the label %q; classification needs two classes at least", u.name, len(u.labels), u.labels[0])
		}
		return c, s, nil
	case "multitask":
		s.task, c.outputs, s.y = u.task, u.tasks, u.targets.Dense
	default:
		if s.y, c.outputs, err = u.values(); err != nil {
			return nil, nil, err
		}
	}
	if l.kind.signs {
		if c.zeroOne, err = signs(u, s.y, len(s.y)/s.rows()); err != nil {
			return nil, nil, err
		}
	}
	return c, s, nil
}

// values are targets with their names.
func (u *unread) values() (y []float64, names []string, err error) {
	if u.targets == nil {
		y, err = u.numbers()
		return y, []string{"y"}, err
	}
	if names = u.targets.Names; names == nil {
		for j := range u.targets.Cols {
			names = append(names, "y"+strconv.Itoa(j+1))
		}
		if u.targets.Cols == 1 {
			names[0] = "y"
		}
	}
	return u.targets.Dense, names, nil
}

// signs makes labels 0 and 1 to -1 and 1, and says whether it did.
func signs(u *unread, y []float64, wide int) (zeroOne bool, err error) {
	zero, minus := slices.Contains(y, 0), slices.Contains(y, -1)
	for e, v := range y {
		if v != 1 && v != 0 && v != -1 || zero && minus {
			if zero && minus {
				v = 0
				e = slices.Index(y, 0)
			}
			return false, fmt.Errorf("%s: the label %v is not one of -1 and 1, or of 0 and 1, which this loss takes; for more classes there is gcg fit classification",
				u.answerAt(e/wide), v)
		}
	}
	if !slices.Contains(y, 1) || !zero && !minus {
		return false, fmt.Errorf("%s: all %d labels are %v; there must be two classes", u.name, len(y), y[0])
	}
	if zero {
		asSigns(y)
	}
	return zero, nil
}

func asSigns(y []float64) {
	for e, v := range y {
		if v == 0 {
			y[e] = -1
		}
	}
}

// read makes other samples by the schema of training. With strict, an answer that training does not have is an error;
// else it is -1.
func (c *schema) read(l lossWord, u *unread, strict bool) (*samples, error) {
	s, err := c.take(l, u, strict)
	if err == nil {
		err = moderate(s, c, u)
	}
	return s, err
}

// take is read but for the size of numbers.
func (c *schema) take(l lossWord, u *unread, strict bool) (*samples, error) {
	if u.libsvm && c.zeroBased && !u.zeroBased {
		u.shift()
	}
	if u.zeroBased && !c.zeroBased {
		return nil, fmt.Errorf("%s: counts features from 0, but the training data from 1; give both alike", u.xname)
	}
	if err := c.fits(u.xname, u.x, u.libsvm); err != nil {
		return nil, err
	}
	s := &samples{name: u.name, xname: u.xname, x: u.x}
	var err error
	switch c.problem {
	case "classification":
		if u.labels != nil {
			s.class, err = c.known(u, "label", u.labels, strict)
		}
		return s, err
	case "multitask":
		none := !slices.ContainsFunc(u.tasks, func(t string) bool { return slices.Contains(c.outputs, t) })
		tasks, err := c.known(u, "task", u.tasks, strict || none)
		if err != nil {
			return nil, err
		}
		s.task = make([]int32, len(u.task))
		for i, t := range u.task {
			s.task[i] = tasks[t]
		}
		if u.targets != nil {
			s.y = u.targets.Dense
		}
	default:
		if u.targets == nil && u.labels == nil {
			return s, nil
		}
		if s.y, _, err = u.values(); err != nil {
			return nil, err
		}
		if len(s.y) != s.rows()*len(c.outputs) {
			return nil, fmt.Errorf("%s: has %d targets a row; there are %d in training", u.name, len(s.y)/s.rows(), len(c.outputs))
		}
	}
	err = c.sameSigns(l, u, s)
	if err != nil && !strict && u.libsvm && u.name == u.xname { // a label that its format makes one write
		s.y, err = nil, nil
	}
	return s, err
}

// sameSigns checks the labels of a loss of signs, written as in training.
func (c *schema) sameSigns(l lossWord, u *unread, s *samples) error {
	if !l.kind.signs {
		return nil
	}
	low := -1.0
	if c.zeroOne {
		low = 0
	}
	for e, v := range s.y {
		if v != 1 && v != low {
			return fmt.Errorf("%s: the label %v does not occur in training; there are %v and 1", u.answerAt(e*s.rows()/len(s.y)), v, low)
		}
	}
	if c.zeroOne {
		asSigns(s.y)
	}
	return nil
}

// known finds classes or tasks among those of training. Numbers that are equal are one class, as +1 and 1 are.
func (c *schema) known(u *unread, what string, texts []string, strict bool) ([]int32, error) {
	at := map[string]int32{}
	for i, t := range c.outputs {
		at[t] = int32(i)
	}
	if what == "label" {
		all, names := dataset.LabelIDs(append(slices.Clone(c.outputs), texts...))
		place := make([]int32, len(names)) // of each name among outputs, plus 1
		for i := range c.outputs {
			place[all[i]] = int32(i) + 1
		}
		for i, t := range texts {
			if p := place[all[len(c.outputs)+i]]; p > 0 {
				at[t] = p - 1
			}
		}
	}
	ids := make([]int32, len(texts))
	for i, t := range texts {
		id, ok := at[t]
		if !ok && strict {
			where := u.name
			if what == "label" {
				where = u.answerAt(i)
			}
			shown := strings.Join(c.outputs[:min(len(c.outputs), 20)], ", ")
			return nil, fmt.Errorf("%s: the %s %q does not occur in training; there are %s", where, what, t, shown)
		}
		if ids[i] = id; !ok {
			ids[i] = -1
		}
	}
	return ids, nil
}
