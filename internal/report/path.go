package report

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A PathPoint is one λ of a regularization path. Sizes are those of the curve's Sizes.
type PathPoint struct {
	Lambda        float64
	Sizes         []int   // such as the rank, or rows and columns
	Error, StdErr float64 // StdErr is 0 where there is none
}

// A Coefficient is an entry of W along a path: its name, and its value at each point of the curve, NaN where it is not known.
type Coefficient struct {
	Name   string
	Values []float64
}

// A Choice is a λ that a rule takes.
type Choice struct {
	Lambda float64
	Rule   string // such as "min" or "1se"
	Taken  bool   // by the command, not only named
}

// A PathCurve is a path with what its numbers are called.
type PathCurve struct {
	Title, Subtitle string // such as "Regularization path" and the data
	Points          []PathPoint
	Error           string   // such as RMSE; empty where nothing was measured
	Sizes           []string // what the sizes count, such as "rank"
	Choices         []Choice
	Coefficients    []Coefficient // of a sparse W
	Unit            string        // of the coefficients
}

// Path draws the error against λ on a logarithmic axis that falls, as a path goes, with one standard error above and below, below
// it the sizes of W, and below that the coefficients, if there are some; where nothing was measured it begins with the sizes. The
// choices of λ are marked in all. It is written as svg, png or pdf.
func Path(w io.Writer, format string, c PathCurve) error {
	if len(c.Points) == 0 {
		return fmt.Errorf("report: the path has no points to draw")
	}
	for _, q := range c.Points {
		if !(q.Lambda > 0) || math.IsInf(q.Lambda, 0) || math.IsNaN(q.Error) || math.IsInf(q.Error, 0) || len(q.Sizes) != len(c.Sizes) {
			return fmt.Errorf("report: λ %v with %v has no place on a plot", q.Lambda, q.Error)
		}
	}
	f := &figure{title: c.Title, subtitle: c.Subtitle}
	if c.Error != "" {
		p := c.panel(f, c.Error+unitOf(c.Error))
		e := curve{color: colorOf(0), lines: true, marks: true}
		for _, q := range c.Points {
			e.places, e.spread = append(e.places, place{q.Lambda, q.Error}), append(e.spread, q.StdErr)
		}
		p.add(e)
	}
	c.addSizes(f)
	c.addCoefficients(f)
	return f.write(w, format)
}

// panel adds a panel over λ; the first one names the choices.
func (c PathCurve) panel(f *figure, y string) *panel {
	p := f.panel("λ (loss / norm of W)", y)
	p.x.logarithmic, p.x.falling = true, true
	p.rules = c.rules(len(f.panels) == 1)
	return p
}

// rules are the choices, each λ once.
func (c PathCurve) rules(named bool) (all []rule) {
	for i, q := range c.Choices {
		name := q.Rule
		for _, other := range c.Choices[i+1:] {
			if other.Lambda == q.Lambda {
				name += ", " + other.Rule
			}
		}
		again, taken := false, q.Taken
		for k, other := range c.Choices {
			if other.Lambda == q.Lambda && k != i {
				again, taken = again || k < i, taken || other.Taken
			}
		}
		if again {
			continue
		}
		if name = fmt.Sprintf("λ = %.4g (%s)", q.Lambda, name); taken && len(c.Choices) > 1 {
			name += ", chosen"
		}
		if !named {
			name = ""
		}
		all = append(all, rule{q.Lambda, name})
	}
	return all
}

// unitOf is the unit of a score, which its name does not say.
func unitOf(score string) string {
	switch score {
	case "RMSE", "MAE", "pinball loss":
		return " (in units of what is predicted)"
	case "log loss":
		return " (nats)"
	case "error rate":
		return " (share of the rows)"
	}
	return ""
}

// addSizes adds a panel of what W counts.
func (c PathCurve) addSizes(f *figure) {
	if len(c.Sizes) == 0 {
		return
	}
	label := strings.Join(c.Sizes, " and ") + " (count)"
	if len(c.Sizes) == 1 {
		label = c.Sizes[0] + " of W (count)"
	}
	p := c.panel(f, label)
	p.y.whole = true
	for k, name := range c.Sizes {
		s := curve{color: colorOf(k + 1), lines: true, marks: true}
		if len(c.Sizes) > 1 {
			s.name = name
		}
		for _, q := range c.Points {
			s.places = append(s.places, place{q.Lambda, float64(q.Sizes[k])})
		}
		p.add(s)
	}
}

// addCoefficients adds a panel of the coefficients, without marks, which would hide lines that are near each other. Their names
// stand at their ends.
func (c PathCurve) addCoefficients(f *figure) {
	if len(c.Coefficients) == 0 {
		return
	}
	p := c.panel(f, "weight ("+c.Unit+")")
	for i, w := range c.Coefficients {
		line := curve{color: colorOf(i), dashes: patterns[i/len(colors)%len(patterns)], lines: true}
		for k, x := range w.Values {
			line.places = append(line.places, place{c.Points[k].Lambda, x})
		}
		p.add(line)
		for k := len(w.Values) - 1; k >= 0; k-- {
			if !math.IsNaN(w.Values[k]) {
				p.tags = append(p.tags, tag{line.places[k], w.Name, line.color})
				break
			}
		}
	}
}
