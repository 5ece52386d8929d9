package views

import (
	"cmp"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge/views"
)

// gauge is Gauge with its default: that of two views and their labels, or the convex model of more views.
func (t *Task) gauge() gcg.Gauge {
	if t.Gauge != nil {
		return t.Gauge
	}
	if len(t.Views) > 2 {
		return t.Simplex()
	}
	k := views.Views{Sizes: t.sizes(), Radii: t.radii()}
	if t.Labels != nil {
		k.Labels = t.Labels.Width()
	}
	return k
}

// Simplex is the convex model of any number of views without labels, the largest trace norm of W with weighed views. Of two views
// it is the gauge of two views, and of more a lower bound of theirs.
func (t *Task) Simplex() gcg.Gauge { return views.Simplex{Sizes: t.sizes(), Radii: t.radii()} }

func (t *Task) sizes() (n []int) {
	for _, v := range t.Views {
		n = append(n, v.X.Cols)
	}
	return n
}

func (t *Task) radii() (r []float64) {
	for _, v := range t.Views {
		r = append(r, cmp.Or(v.Radius, 1))
	}
	return r
}
