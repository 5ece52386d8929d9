package implicit

import (
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/task"
)

// Warnings warns of the clicks themselves.
func (p *Prepared) Warnings() (list []task.Warning) {
	if p.unknown > 0 {
		list = append(list, warning.Strangers{Name: p.task.Test.Name, N: p.unknown, Of: p.task.Test.Total()})
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
	times := make([]float64, mostGrades+1) // the first is how many are no grades
	for _, x := range p.data.Values {
		if n := int(x); float64(n) != x || n < 1 || n > mostGrades {
			times[0]++
		} else {
			times[n]++
		}
	}
	p.data.Spread.Comm().Total(times)
	if p.task.Positive != 0 || times[0] > 0 {
		return nil
	}
	lo, hi := mostGrades, 0
	for n := 1; n <= mostGrades; n++ {
		if times[n] > 0 {
			lo, hi = min(lo, n), max(hi, n)
		}
	}
	if hi <= lo || times[lo] >= times[hi] {
		return nil
	}
	return warning.LooksLikeRatings{Name: p.task.Train.Name, Lo: float64(lo), Hi: float64(hi)}
}
