package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"
)

// A Cost is what one run took, as fit --json prints it.
type Cost struct {
	Observations int     `json:"observations"`
	Rows         int     `json:"rows"`
	Cols         int     `json:"cols"`
	Rank         int     `json:"rank"`
	RelativeGap  float64 `json:"relative_gap"`
	Seconds      float64 `json:"seconds"`
	CPU          float64 `json:"cpu_seconds"`
	Memory       int64   `json:"peak_memory_bytes"`
}

// ReadCost reads the result of one run, an object of gcg fit --json; name stands in the errors.
func ReadCost(r io.Reader, name string) (Cost, error) {
	var c Cost
	if err := json.NewDecoder(r).Decode(&c); err != nil {
		return c, fmt.Errorf("%s: is no result of a fit in JSON: %v", name, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("%s: is no result of a fit in JSON: %w", name, err)
	}
	return c, nil
}

// check refuses what no run takes, and what logarithmic axes cannot hold.
func (c Cost) check() error {
	if c.Observations < 1 || !(c.CPU > 0) || math.IsInf(c.CPU, 0) || c.Memory < 0 {
		return fmt.Errorf("it has %d observations, %v CPU seconds and %d bytes of memory", c.Observations, c.CPU, c.Memory)
	}
	return nil
}

// Scaling draws CPU time and peak memory against the number of observations, on logarithmic axes, with lines of slope 1
// through the largest run: what costs that grow in proportion would be. A run without observations or CPU time is an error.
func Scaling(w io.Writer, format string, costs []Cost) error {
	if len(costs) < 2 {
		return fmt.Errorf("a cost against the number of observations needs two runs or more, not %d", len(costs))
	}
	for i, c := range costs {
		if err := c.check(); err != nil {
			return fmt.Errorf("report: run %d has no place on a plot: %w", i+1, err)
		}
	}
	costs = append([]Cost(nil), costs...)
	sort.SliceStable(costs, func(a, b int) bool { return costs[a].Observations < costs[b].Observations })
	f := &figure{title: "Cost against size", subtitle: "dashed: in proportion, through the largest run"}
	f.scaling(costs, "CPU time (s)", func(c Cost) float64 { return c.CPU })
	f.scaling(costs, "peak memory (GB)", func(c Cost) float64 { return float64(c.Memory) / 1e9 })
	return f.write(w, format)
}

// scaling adds a panel of one cost and its proportional line. Values that a logarithmic axis cannot hold are left out.
func (f *figure) scaling(costs []Cost, label string, of func(Cost) float64) {
	var points, line []place
	top := costs[len(costs)-1]
	for _, c := range costs {
		if y := of(c); y > 0 {
			points = append(points, place{float64(c.Observations), y})
			line = append(line, place{float64(c.Observations), of(top) * float64(c.Observations) / float64(top.Observations)})
		}
	}
	if len(points) == 0 || !(of(top) > 0) {
		return
	}
	p := f.panel("observations (count)", label)
	p.x.logarithmic, p.y.logarithmic = true, true
	color := colorOf(len(f.panels) - 1)
	p.add(curve{places: points, color: color, lines: true, marks: true})
	p.add(curve{places: line, color: color, lines: true, dashes: patterns[1]})
}
