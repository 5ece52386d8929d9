package views

import (
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/task"
)

// overweight is the ratio of two views' losses beyond which the smaller one hardly counts.
const overweight = 1e4

// dataWarnings are doubts about the views before they are scaled.
func (t *Task) dataWarnings(s *stacked) (all []task.Warning) {
	for k := range t.Views {
		w := warning.ConstantColumns{View: t.Views[k].Name}
		for i := s.parts[k].from; i < s.parts[k].to; i++ {
			if y, weight := s.row(i); isConstant(y, weight) {
				if w.Count == 0 {
					w.First = t.Views[k].column(i - s.parts[k].from)
				}
				w.Count++
			}
		}
		if w.Count > 0 {
			all = append(all, w)
		}
	}
	if t.Scale == Raw {
		all = append(all, t.outweighed(s)...)
	}
	return all
}

// isConstant says that the entries of a row that are not missing are all the same.
func isConstant(y, weight []float64) bool {
	first := -1
	for j, w := range weight {
		if w == 0 {
			continue
		}
		if first < 0 {
			first = j
		} else if y[j] != y[first] {
			return false
		}
	}
	return true
}

// outweighed compares the views by the loss of predicting 0.
func (t *Task) outweighed(s *stacked) []task.Warning {
	large, small := 0, 0
	var losses []float64
	for k, p := range s.parts[:len(t.Views)] {
		lo, hi := p.from*s.samples, p.to*s.samples
		losses = append(losses, lossOf(p.loss, s.y[lo:hi], s.weight[lo:hi]).Eval(0, make([]float64, hi-lo), nil))
		if losses[k] > losses[large] {
			large = k
		}
		if losses[k] < losses[small] {
			small = k
		}
	}
	if ratio := losses[large] / losses[small]; losses[small] > 0 && ratio > overweight {
		return []task.Warning{warning.Overweight{Large: t.Views[large].Name, Small: t.Views[small].Name, Ratio: ratio}}
	}
	return nil
}
