package report

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// logarithmic makes an axis so; one of a single value gets the range that it needs.
func logarithmic(a *plot.Axis, digits int) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: digits}
	if a.Min == a.Max {
		a.Min, a.Max = a.Min/10, a.Max*10
	}
}

// countTicks are those of whole numbers.
type countTicks struct{ plot.DefaultTicks }

func (t countTicks) Ticks(min, max float64) []plot.Tick {
	ticks := t.DefaultTicks.Ticks(min, max)
	for i, x := range ticks {
		if x.Label == "" {
			continue
		}
		if ticks[i].Label = ""; x.Value == math.Trunc(x.Value) {
			ticks[i].Label = strconv.FormatFloat(x.Value, 'f', 0, 64)
		}
	}
	return ticks
}

// write draws p in a format of gonum/plot: svg, png or pdf.
func write(w io.Writer, format string, p *plot.Plot) error {
	out, err := p.WriterTo(6*vg.Inch, 4*vg.Inch, format)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}
