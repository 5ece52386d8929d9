package views

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/task"
)

// A ConstantColumns warns that features are the same in every sample that has them: nothing is learnt of these.
type ConstantColumns struct {
	View, First string // the name of the first of them, or its number
	Count       int
}

func (w ConstantColumns) String() string {
	if w.Count == 1 {
		return fmt.Sprintf("%s: column %s is constant, of which there is nothing to learn", w.View, w.First)
	}
	return fmt.Sprintf("%s: %d columns are constant, of which there is nothing to learn; the first is %s", w.View, w.Count, w.First)
}

// An Overweight warns that a view's entries are so much larger than another's that hardly anything of the other one counts.
type Overweight struct {
	Large, Small string
	Ratio        float64 // of the losses of predicting 0
}

func (w Overweight) String() string {
	return fmt.Sprintf("%s weighs %.2g times as much as %s, of which little will be learnt; scale the features, or give weights",
		w.Large, w.Ratio, w.Small)
}

// overweight is the ratio of two views' losses beyond which the smaller one hardly counts.
const overweight = 1e4

// dataWarnings are doubts about the views before they are scaled.
func (t *Task) dataWarnings(s *stacked) (all []task.Warning) {
	for k := range t.Views {
		w := ConstantColumns{View: t.Views[k].Name}
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
		return []task.Warning{Overweight{t.Views[large].Name, t.Views[small].Name, ratio}}
	}
	return nil
}
