package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks are ticks at 1, 2 or 5 times a power of ten, five to ten of them; whole ones are at whole numbers.
type roundTicks struct{ whole bool }

const fewestTicks = 5

func (t roundTicks) Ticks(min, max float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((max-min)/fewestTicks)))
	for _, by := range []float64{5, 2} {
		if (max-min)/(step*by) >= fewestTicks {
			step *= by
			break
		}
	}
	if t.whole {
		step = math.Max(1, math.Round(step))
	}
	if !(step > 0) || math.IsInf(step, 0) || math.IsInf(max-min, 0) || min+step == min || max+step == max {
		return plot.DefaultTicks{}.Ticks(min, max)
	}
	digits := int(math.Max(0, -math.Floor(math.Log10(step))))
	for k := math.Ceil(min / step); k*step <= max; k++ {
		ticks = append(ticks, plot.Tick{Value: k*step + 0, Label: label(k*step+0, digits)})
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
type decades struct{}

func (decades) Ticks(min, max float64) (ticks []plot.Tick) {
	lo, hi := math.Floor(math.Log10(min)), math.Ceil(math.Log10(max))
	const most, few = 10, 3
	every := math.Ceil((hi - lo) / most)
	between := math.Log10(max/min) < few
	for e := lo; e <= hi; e++ {
		for d := 1.0; d < 10; d++ {
			x := d * math.Pow(10, e)
			if x < min || x > max || d > 1 && every > 1 {
				continue
			}
			tick := plot.Tick{Value: x}
			if d == 1 && math.Mod(e-lo, every) == 0 || between && (d == 2 || d == 5) {
				tick.Label = strconv.FormatFloat(x, 'g', 6, 64) // five zeros at most
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// logarithmic makes an axis so. Its ends are 1, 2 or 5 times a power of ten, so that the first and the last tick have labels.
func logarithmic(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, decades{}
	if a.Min == a.Max {
		a.Min, a.Max = a.Min/10, a.Max*10
	}
	a.Min, a.Max = roundDown(a.Min), 1/roundDown(1/a.Max)
}

// roundDown is the next lower of 1, 2 and 5 times a power of ten.
func roundDown(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	const slack = 1 - 1e-9 // of the rounding of a power
	for _, by := range []float64{5, 2} {
		if x >= slack*by*power {
			return by * power
		}
	}
	return power
}

// wide gives a linear axis some room beside the curve, and one of a single value the range that it needs.
func wide(a *plot.Axis) {
	const room = 0.03 // of the range
	by := room * (a.Max - a.Min)
	if by == 0 {
		by = math.Max(1, math.Abs(a.Max)/2)
	}
	a.Min, a.Max = a.Min-by, a.Max+by
}
