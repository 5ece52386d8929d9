package implicit

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/task"
)

// Strangers tells of test clicks of users or items without any in training: no list can have them, and they are left out.
type Strangers struct {
	Name string
	N    int // of them
	Of   int // test clicks
}

func (w Strangers) String() string {
	if w.N == w.Of {
		return fmt.Sprintf("%s: none of the %d test clicks is of a user and an item of training, so there is nothing to measure",
			w.Name, w.Of)
	}
	return fmt.Sprintf("%s: %d of %d test clicks are of users or items without one in training, and are left out of "+
		"what is measured",
		w.Name, w.N, w.Of)
}

// LooksLikeRatings warns of counts that are those of a scale: a low rating is then taken for a click.
type LooksLikeRatings struct {
	Name   string
	Lo, Hi float64
}

func (w LooksLikeRatings) String() string {
	return fmt.Sprintf("%s: its counts are whole numbers from %v to %v, as ratings are, "+
		"of which low ones are taken for clicks too",
		w.Name, w.Lo, w.Hi)
}

// Warnings warns of the clicks themselves.
func (p *Prepared) Warnings() (list []task.Warning) {
	if p.unknown > 0 {
		list = append(list, Strangers{p.task.Test.Name, p.unknown, p.task.Test.Len()})
	}
	if w := p.scale(); w != nil && p.task.Relevant == 0 { // else they are known to be ratings, which weigh what they are
		list = append(list, w)
	}
	return list
}

// A scale of ratings has at most so many values, and the highest ones are the usual ones: of counts, 1 is.
const mostGrades = 10

// scale is a warning of counts that look like ratings, or nil.
func (p *Prepared) scale() task.Warning {
	var times [mostGrades + 1]int
	lo, hi := mostGrades, 0
	for _, x := range p.data.Values {
		n := int(x)
		if p.task.Positive != 0 || float64(n) != x || n < 1 || n > mostGrades {
			return nil
		}
		times[n]++
		lo, hi = min(lo, n), max(hi, n)
	}
	if hi <= lo || times[lo] >= times[hi] {
		return nil
	}
	return LooksLikeRatings{p.task.Train.Name, float64(lo), float64(hi)}
}
