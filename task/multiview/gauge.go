package multiview

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
)

// gauge is Gauge with its default.
func (t *Task) gauge() gcg.Gauge {
	if t.Gauge != nil {
		return t.Gauge
	}
	return gauge.Trace{}
}
