package report

import (
	"fmt"
	"io"

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

// write draws p in a format of gonum/plot: svg, png or pdf.
func write(w io.Writer, format string, p *plot.Plot) error {
	out, err := p.WriterTo(6*vg.Inch, 4*vg.Inch, format)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}
