package reproduce

import (
	"bytes"
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/report"
)

// A Picture is a plot as SVG.
type Picture struct {
	Name string // of a file, without its ending
	SVG  []byte
}

// Pictures are the plots: one chart for each plot of the experiment, with a panel for each case. What has no points is left out.
func (r *Report) Pictures() (all []Picture, err error) {
	for _, p := range r.Spec.Draw {
		c := report.Chart{Title: r.Spec.Paper + ", " + r.Spec.What + ": " + p.Y + " against " + p.X}
		if p.X == "size" {
			c.Panels = append(c.Panels, r.bySize(p))
		} else {
			for _, k := range r.Cases {
				if panel := k.panel(p, len(r.Cases) > 1); len(panel.Lines) > 0 {
					c.Panels = append(c.Panels, panel)
				}
			}
		}
		var b bytes.Buffer
		if len(c.Panels) == 0 || report.Lines(&b, "svg", c) != nil {
			continue
		}
		name := strings.Map(func(x rune) rune {
			if x >= 'a' && x <= 'z' || x >= '0' && x <= '9' {
				return x
			}
			return '-'
		}, r.Spec.ID+"-"+p.Y+"-"+p.X)
		all = append(all, Picture{name, b.Bytes()})
	}
	return all, nil
}

// panel is one of a case: a line for each solver.
func (k *Raced) panel(p Plot, named bool) report.ChartPanel {
	c := report.ChartPanel{X: p.X, Y: p.Y, LogX: p.LogX, LogY: p.LogY}
	if p.Y == "score" {
		c.Y = k.Score
	}
	if named {
		c.Y = k.Case.Name + ": " + c.Y
	}
	axis := axes[p.X]
	for i := range k.Runs {
		l := report.ChartLine{Name: k.Runs[i].Solver}
		for _, q := range k.Runs[i].Points() {
			if y, ok := k.ordinate(q, p.Y); ok {
				l.X, l.Y = append(l.X, axis(q)), append(l.Y, y)
			}
		}
		if len(l.X) > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
	return c
}

// ordinate is a quantity of a point.
func (k *Raced) ordinate(q report.Point, name string) (y float64, ok bool) {
	switch name {
	case "objective":
		return q.Objective, true
	case "loss":
		return q.Loss, true
	case "above":
		return experiment.Above(q.Objective, k.ending.reference), true
	case "rank":
		return float64(q.Rank), true
	}
	return experiment.Score(q, k.Score)
}

// bySize has a line for each solver through all cases.
func (r *Report) bySize(p Plot) report.ChartPanel {
	c := report.ChartPanel{X: "size", Y: p.Y, LogX: p.LogX, LogY: p.LogY}
	for _, name := range r.solvers() {
		l := report.ChartLine{Name: name}
		for _, k := range r.Cases {
			if y, ok := k.value(name, p.Y); ok && !math.IsNaN(y) {
				l.X, l.Y = append(l.X, k.Numbers["size"]), append(l.Y, y)
			}
		}
		if len(l.X) > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
	return c
}

// solvers are those of all cases, in their order.
func (r *Report) solvers() (names []string) {
	seen := map[string]bool{}
	for _, k := range r.Cases {
		for i := range k.Runs {
			if n := k.Runs[i].Solver; !seen[n] {
				seen[n], names = true, append(names, n)
			}
		}
	}
	return names
}
