package report

import (
	"math"
	"strconv"

	"github.com/seed-b18ef778/gcg/internal/canvas"
)

// An axis is one side of a panel: what it counts, and from where to where.
type axis struct {
	label       string
	low, high   float64
	logarithmic bool
	falling     bool // the larger numbers come first
	whole       bool // ticks are whole numbers
	exact       bool // no room beyond the ends
	downward    int  // so many rows are counted from the top; 0 is none
}

func newAxis(label string) axis { return axis{label: label, low: math.Inf(1), high: math.Inf(-1)} }

// hold widens an axis to a range; what is no number has no place.
func (a *axis) hold(low, high float64) {
	if math.IsNaN(low) || math.IsNaN(high) {
		return
	}
	a.low, a.high = math.Min(a.low, low), math.Max(a.high, high)
}

// settle gives an axis its ends: 1, 2 or 5 times powers of ten if it is logarithmic, so that the first and the last tick have
// labels, or else some room beside what it holds.
func (a *axis) settle() {
	switch {
	case math.IsInf(a.low, 0) || math.IsInf(a.high, 0):
		a.low, a.high = 0, 1
		if a.logarithmic {
			a.low = 0.1
		}
	case a.exact:
	case a.logarithmic:
		if a.low == a.high {
			a.low, a.high = a.low/10, a.high*10
		}
		a.low, a.high = roundDown(a.low), 1/roundDown(1/a.high)
	default:
		const room = 0.03 // of the range
		by := room * (a.high - a.low)
		if by == 0 {
			by = math.Max(1, math.Abs(a.high)/2)
		}
		a.low, a.high = a.low-by, a.high+by
	}
}

// part is where a number stands between the ends: 0 at the first, 1 at the last.
func (a *axis) part(x float64) float64 {
	at := (x - a.low) / (a.high - a.low)
	if a.logarithmic {
		at = math.Log(x/a.low) / math.Log(a.high/a.low)
	}
	if a.falling {
		return 1 - at
	}
	return at
}

func (a *axis) length() float64 { return a.high - a.low }

// labelsWidth is the width of the widest number of the axis.
func (a *axis) labelsWidth() (wide float64) {
	for _, t := range a.ticked() {
		wide = math.Max(wide, canvas.Width(t.label, textSize))
	}
	return wide
}

// A tick is a number of an axis; those between others have no label.
type tick struct {
	value float64
	label string
}

// ticked are the ticks of a settled axis.
func (a *axis) ticked() []tick {
	switch {
	case a.logarithmic:
		return decades(a.low, a.high)
	case a.downward > 0:
		return countedDown(a.downward, a.low, a.high)
	}
	return roundTicks(a.low, a.high, a.whole)
}

const fewestTicks = 5

// roundTicks are ticks at 1, 2 or 5 times a power of ten, five to ten of them; whole ones are at whole numbers.
func roundTicks(low, high float64, whole bool) (ticks []tick) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/fewestTicks)))
	for _, by := range []float64{5, 2} {
		if (high-low)/(step*by) >= fewestTicks {
			step *= by
			break
		}
	}
	if whole {
		step = math.Max(1, math.Round(step))
	}
	if !(step > 0) || math.IsInf(step, 0) || math.IsInf(high-low, 0) || low+step == low || high+step == high {
		return []tick{{low, label(low, 3)}, {high, label(high, 3)}}
	}
	digits := int(math.Max(0, -math.Floor(math.Log10(step))))
	for k := math.Ceil(low / step); k*step <= high; k++ {
		ticks = append(ticks, tick{k*step + 0, label(k*step+0, digits)})
	}
	return ticks
}

// countedDown are the ticks of rows that are drawn from the top, from 1, where the last one is at 0.
func countedDown(rows int, low, high float64) (ticks []tick) {
	for _, t := range roundTicks(1, float64(rows), true) {
		if at := float64(rows) - t.value; at >= low && at <= high && t.value >= 1 {
			ticks = append(ticks, tick{at, t.label})
		}
	}
	return ticks
}

// label writes large and small numbers with a power of ten.
func label(x float64, digits int) string {
	const large, most = 1e6, 5 // beyond them a power of ten is shorter
	if math.Abs(x) >= large || digits > most {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// decades are the ticks of a logarithmic axis: powers of ten, at most ten of them; on less than three also 2 and 5 times these.
// The numbers between have no label.
func decades(low, high float64) (ticks []tick) {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	const most, few = 10, 3
	every := math.Ceil((last - first) / most)
	between := math.Log10(high/low) < few
	for e := first; e <= last; e++ {
		for d := 1.0; d < 10; d++ {
			x := d * math.Pow(10, e)
			if x < low*(1-rounding) || x > high*(1+rounding) || d > 1 && every > 1 {
				continue
			}
			t := tick{value: x}
			if d == 1 && math.Mod(e-first, every) == 0 || between && (d == 2 || d == 5) {
				t.label = strconv.FormatFloat(x, 'g', 6, 64) // five zeros at most
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// rounding is that of a power of ten.
const rounding = 1e-9

// roundDown is the next lower of 1, 2 and 5 times a power of ten.
func roundDown(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, by := range []float64{5, 2} {
		if x >= (1-rounding)*by*power {
			return by * power
		}
	}
	return power
}
