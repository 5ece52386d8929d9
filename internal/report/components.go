package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// Components are directions of data, from the first on.
type Components struct {
	Title, Subtitle string
	Explained       []Explained // of one set of data, or of several views
	Loadings        [][]Loading // of each of the first: those that are not 0
	Names           []string    // of the components
	Scores          []float64   // rows × components, row-major; nil where the rows are not known
	RowNames        []string    // or nil
}

// Explained is the part of the variance of data that each component explains beyond those before it.
type Explained struct {
	Name  string // "" of the only one
	Parts []float64
}

// A Loading is that of a variable, counted from 0.
type Loading struct {
	Variable int
	Name     string
	Value    float64
}

// mostNamed are the loadings of a component that are named, the largest ones, and mostRows the rows that all are.
const (
	mostNamed = 4
	mostRows  = 40
)

// DrawComponents draws the variance that the components explain together, of each view where there are several; their loadings,
// the largest with names; and the scores of the rows on the first two, or on the only one against the number of the row. Without
// components it is the first alone, at 0. It is written as svg, png or pdf.
func DrawComponents(w io.Writer, format string, c Components) error {
	k := len(c.Names)
	if k+len(c.Explained) == 0 || len(c.Loadings) > k || len(c.Loadings) == 0 && k > 0 || len(c.Scores)%max(1, k) != 0 {
		return fmt.Errorf("report: %d components have %d sets of loadings and %d scores", k, len(c.Loadings), len(c.Scores))
	}
	f := &figure{title: c.Title, subtitle: c.Subtitle}
	variance := f.panel("number of components", "part of the variance")
	variance.x.whole = true
	variance.x.hold(0, float64(max(1, k)))
	if k == 0 {
		variance.y.hold(0, 1)
	}
	for v, e := range c.Explained {
		together := []place{{0, 0}}
		for j, part := range e.Parts {
			together = append(together, place{float64(j + 1), together[j].y + part})
		}
		variance.add(curve{name: e.Name, places: together, color: colorOf(v), lines: true, marks: true})
	}
	if k > 0 {
		c.addLoadings(f)
	}
	if len(c.Scores) > 0 {
		c.addScores(f)
	}
	return f.write(w, format)
}

// addLoadings draws what components weigh the variables with.
func (c Components) addLoadings(f *figure) {
	loadings := f.panel("variable", "loading")
	loadings.x.whole = true
	for j, list := range c.Loadings {
		one := curve{name: c.Names[j], color: colorOf(j), marks: true}
		for _, l := range list {
			one.places = append(one.places, place{float64(l.Variable + 1), l.Value})
		}
		loadings.add(one)
		largest := slices.SortedFunc(slices.Values(list), func(a, b Loading) int {
			return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value))
		})
		for _, l := range largest[:min(mostNamed, len(list))] {
			loadings.inside = append(loadings.inside, tag{place{float64(l.Variable + 1), l.Value}, l.Name, colorOf(j)})
		}
	}
}

// addScores draws the rows.
func (c Components) addScores(f *figure) {
	k := len(c.Names)
	rows := len(c.Scores) / k
	across, up := c.Names[0], ""
	if k == 1 {
		across, up = "row", c.Names[0]
	} else {
		up = c.Names[1]
	}
	p := f.panel(across, up)
	all := curve{color: colorOf(0), marks: true}
	for i := range rows {
		at := place{float64(i + 1), c.Scores[i*k]}
		if k > 1 {
			at = place{c.Scores[i*k], c.Scores[i*k+1]}
		}
		all.places = append(all.places, at)
		if i < len(c.RowNames) && rows <= mostRows {
			p.inside = append(p.inside, tag{at, c.RowNames[i], ink})
		}
	}
	p.add(all)
}
