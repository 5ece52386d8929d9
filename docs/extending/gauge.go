package extending

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Jumps is the gauge κ(w) = |w₁| + Σ |wᵢ - wᵢ₋₁| of one column w. Its atoms are ± the steps (0, …, 0, 1, …, 1). Its polar is
// the largest |Gₖ + … + G_m| over k.
type Jumps struct{}

// Name is what results and errors call the gauge.
func (Jumps) Name() string { return "jumps" }

// Polar is the step with the largest sum of G behind it. Each sum has at most m roundings, which the bound adds.
func (Jumps) Polar(_ context.Context, g gcg.Map, _ gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if n != 1 {
		return gcg.Polar{}, fmt.Errorf("jumps: works on one column, not %d", n)
	}
	col := make([]float64, m)
	g.MulTo(col, []float64{1})
	best, at, sum, size := 0.0, m-1, 0.0, 0.0
	for k := m - 1; k >= 0; k-- {
		sum += col[k]
		size += math.Abs(col[k])
		if math.Abs(sum) > math.Abs(best) {
			best, at = sum, k
		}
	}
	a := gcg.Atom{Key: 1 + int64(at)} // steps at one place merge
	for i := at; i < m; i++ {
		a.Rows, a.Cols, a.Vals = append(a.Rows, int32(i)), append(a.Cols, 0), append(a.Vals, math.Copysign(1, best))
	}
	value := math.Abs(best)
	rounding := size * float64(m) * 0x1p-52
	return gcg.Polar{Atoms: []gcg.Atom{a}, Value: value, Bound: value + rounding, Kind: gcg.Proven}, nil
}
