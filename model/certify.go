package model

import "math"

// A Certified list says how much of it is known to be that of the optimum. The loss of implicit feedback is w₀-strongly convex in
// all predictions X, so that at a gap F(X) - F* ≤ g no two predictions together are further from those of the optimum than
// ‖X - X*‖_F ≤ √(2g/w₀): of two that differ by more than √2 times as much the order is that of the optimum.
type Certified struct {
	// Within is √(2g/w₀): no prediction is further from that of the optimum.
	Within float64
	// Known says of each place of the list whether the item there is the optimum's: those above belong above it, and those below
	// and outside of the list below it.
	Known []bool
}

// Apart is the difference of two predictions from which on their order is known.
func (c *Certified) Apart() float64 { return math.Sqrt2 * c.Within }

// Count is how many places are known.
func (c *Certified) Count() (count int) {
	for _, known := range c.Known {
		if known {
			count++
		}
	}
	return count
}

// gapRounding is of the squares of all predictions, which the objective is a difference of: of some clicks that are met exactly
// it is 0 or less but for rounding, and no smaller gap is one.
const gapRounding = 0x1p-46

// ScoresWithin is √(2g/w₀) of the model, with g at least what rounding leaves of it; +Inf for one that is not of implicit
// feedback or has no bound: there the fit to the observed entries is known, and single predictions are not.
func (m *Model) ScoresWithin() float64 {
	if !(m.Info.Background > 0) {
		return math.Inf(1)
	}
	size := math.Max(math.Abs(m.Info.Objective), float64(m.Info.Observations))
	return math.Sqrt(2 * math.Max(m.Info.Gap(), gapRounding*size) / m.Info.Background)
}

// Certify says which places of a list are known. next is the prediction of the best item that is not in the list, -Inf where all
// of them are.
func (m *Model) Certify(list []Recommendation, next float64) *Certified {
	c := &Certified{Within: m.ScoresWithin(), Known: make([]bool, len(list))}
	above := true // those before the place are known to belong there
	for k, r := range list {
		after := next
		if k+1 < len(list) {
			after = list[k+1].Score
		}
		below := r.Score-after > c.Apart()
		c.Known[k] = above && below
		above = below
	}
	return c
}

// ToleranceFor is the relative gap at which the order of two predictions is certain that differ by so much.
func (m *Model) ToleranceFor(difference float64) float64 {
	return m.Info.Background / 4 * difference * difference / math.Abs(m.Info.Objective)
}
