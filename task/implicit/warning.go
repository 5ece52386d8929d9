package implicit

import (
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/task"
)

// Warnings warns of the clicks themselves.
func (p *Prepared) Warnings() (list []task.Warning) {
	if p.unknown > 0 {
		list = append(list, warning.Strangers{Name: p.task.Test.Name, N: p.unknown, Of: p.task.Test.Len()})
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
	return warning.LooksLikeRatings{Name: p.task.Train.Name, Lo: float64(lo), Hi: float64(hi)}
}
