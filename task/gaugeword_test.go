package task

import (
	"reflect"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/gaugeword"
)

// A word is its gauge; pairs and exponents with a closed form are that, and gauges of symmetric matrices are for these alone.
func TestParseGauge(t *testing.T) {
	for word, want := range map[string]any{"trace": gauge.Trace{}, "l1": gauge.L1{}, "columns": gauge.Group{ByColumns: true},
		"schatten:1": gauge.Trace{},
		"schatten:3": gauge.SchattenP{P: 3}, "lp:1": gauge.L1{}, "lp:2.5": gauge.Lp{P: 2.5}, "factor:2,2": gauge.Trace{},
		"factor:1,1": gauge.L1{}} {
		g, err := gaugeword.Parse(word, false)
		if err != nil || !reflect.DeepEqual(g.Gauge, want) || g.Norm == "" || g.File != "" {
			t.Errorf("%s: %+v, %v", word, g, err)
		}
		if k, err := g.On(nil, 3, 2); err != nil || !reflect.DeepEqual(k, g.Gauge) {
			t.Errorf("%s on 3 × 2: %v, %v", word, k, err)
		}
	}
	for word, file := range map[string]string{"l1:w.csv": "w.csv", "group:g.txt": "g.txt", "group-inf:g.txt,by-size": "g.txt"} {
		if g, err := gaugeword.Parse(word, false); err != nil || g.File != file {
			t.Errorf("%s: %+v, %v", word, g, err)
		}
	}
	for _, word := range []string{"", "nothing", "l1:", "schatten:0.5", "lp:x", "factor:2", "factor:3,2", "group:,by-size",
		"psd-trace"} {
		if g, err := gaugeword.Parse(word, false); err == nil {
			t.Errorf("%q is read as %+v", word, g)
		}
	}
	if g, err := gaugeword.Parse("psd-trace", true); err != nil || g.Gauge != (gauge.PSDTrace{}) {
		t.Errorf("psd-trace: %+v, %v", g, err)
	}
}
