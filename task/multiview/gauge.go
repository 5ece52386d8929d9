package multiview

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	views "github.com/seed-b18ef778/gcg/gauge/multiview"
)

// gauge is Gauge with its default: that of two views and labels, or the convex model of more views.
func (t *Task) gauge() gcg.Gauge {
	if t.Gauge != nil {
		return t.Gauge
	}
	var sizes []int
	var radii []float64
	for _, v := range t.Views {
		sizes, radii = append(sizes, v.X.Cols), append(radii, v.Radius)
	}
	if len(sizes) > 2 || t.Labels != nil {
		return gauge.Trace{}
	}
	k := views.Views{Sizes: sizes, Radii: radii}
	if t.Labels != nil {
		k.Labels = t.Labels.Width()
	}
	return k
}
