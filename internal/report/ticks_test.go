package report

import (
	"strings"
	"testing"
)

// Ticks are at round numbers, at least five of them, and whole where they count.
func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		axis axis
		want string
	}{
		{axis{low: -0.1, high: 4.3}, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0"},
		{axis{low: 0.97, high: 1.03}, "0.97 0.98 0.99 1.00 1.01 1.02 1.03"},
		{axis{low: -0.06, high: 2.06, whole: true}, "0 1 2"},
		{axis{low: 0, high: 103, whole: true}, "0 20 40 60 80 100"},
		{axis{low: 1e-6, high: 10, logarithmic: true}, "1e-06 1e-05 0.0001 0.001 0.01 0.1 1 10"},
		{axis{low: 1, high: 50, logarithmic: true}, "1 2 5 10 20 50"},
		{axis{low: 1000, high: 1e7, logarithmic: true}, "1000 10000 100000 1e+06 1e+07"},
	} {
		var labels []string
		for _, tick := range c.axis.ticked() {
			if tick.label != "" {
				labels = append(labels, tick.label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.axis.low, c.axis.high, got, c.want)
		}
	}
}

// Runs of one problem have one reference, the best bound; a bound above another's objective shows different problems.
func TestReference(t *testing.T) {
	bounded := func(objective, bound float64) Trace {
		return Trace{Name: "r", Points: []Point{{Objective: objective, LowerBound: &bound}}}
	}
	for _, c := range []struct {
		traces []Trace
		want   float64
		what   string
	}{
		{[]Trace{bounded(5, 4), bounded(4.5, 2)}, 4, "the best bound"},
		{[]Trace{bounded(5, 4), bounded(3, 2)}, 2, "its own best bound"},
		{[]Trace{{Points: []Point{{Objective: 3}, {Objective: 7}}}, {Points: []Point{{Objective: 4}}}}, 3, "the least"},
	} {
		if of, what := reference(c.traces); of(1) != c.want || what != c.what {
			t.Errorf("%v, %s; want %v, %s", of(1), what, c.want, c.what)
		}
	}
}
