package spca

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/task"
)

// fewer says that nothing was left for the components that were asked for.
type fewer struct{ found, asked int }

func (w fewer) String() string {
	return fmt.Sprintf("%d of %d components: they explain all of the variance", w.found, w.asked)
}

// interrupted says that the context ended before the components that were asked for.
type interrupted struct{ found, asked int }

func (w interrupted) String() string {
	return fmt.Sprintf("%d of %d components: an interrupt ended the search for more", w.found, w.asked)
}

// alone says that a λ leaves one variable.
type alone struct {
	k           int
	lambda, max float64
	name        string
}

func (w alone) String() string {
	return fmt.Sprintf("component %d is the variable %s alone: λ = %.6g is not below %.6g, the largest variance; take a smaller λ, "+
		"or ask for a number of variables", w.k, w.name, w.lambda, w.max)
}

// untight says that X has no single vector.
type untight struct {
	k       int
	leading float64
}

func (w untight) String() string {
	return fmt.Sprintf("component %d is the leading eigenvector of an X that it has %.0f %% of: several vectors are about as good, "+
		"and its objective is of all of them", w.k, 100*w.leading)
}

// otherCount says that no λ has the number of variables.
type otherCount struct{ k, asked, found int }

func (w otherCount) String() string {
	if w.found < w.asked {
		return fmt.Sprintf("component %d has %d variables, not %d: no λ was found that has more", w.k, w.found, w.asked)
	}
	return fmt.Sprintf("component %d has the %d largest of %d variables: no λ was found that has exactly so many", w.k, w.asked,
		w.found)
}

// tight is the part of the trace of X above which its leading eigenvector is all of it.
const tight = 0.99

// warnings of the components, and of the solver.
func (p *Prepared) warnings(r *Result) (all []task.Warning) {
	t := p.task
	for k := range r.Components {
		x := &r.Components[k]
		if len(x.Support) == 1 && t.Nonzeros != 1 && x.Lambda >= x.top {
			all = append(all, alone{k + 1, x.Lambda, x.top, p.names[x.Support[0]]})
		}
		if x.Leading < tight {
			all = append(all, untight{k + 1, x.Leading})
		}
		if t.Nonzeros > 0 && x.found != t.Nonzeros {
			all = append(all, otherCount{k + 1, t.Nonzeros, x.found})
		}
		for _, w := range x.Result.Warnings {
			all = append(all, task.Remark(w))
		}
	}
	return all
}
