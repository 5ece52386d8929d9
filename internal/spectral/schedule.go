package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A boundSchedule says after how many Lanczos steps a bound of ‖D‖ is worth computing again. The excess of the bound over the
// largest Ritz value falls more or less geometrically. So two bounds predict the step at which the next one is small enough.
type boundSchedule struct {
	steps  int     // at the last bound
	excess float64 // of that bound over the largest Ritz value, relative to it; 0 before the first bound
}

// next is the number of steps at which to compute the next bound. The last one was tau after the given steps, the largest Ritz
// value is top, and a bound of need would do.
func (p *boundSchedule) next(steps int, tau, top, need float64) int {
	was, now := *p, boundSchedule{steps, tau/top - 1}
	*p = now
	rate := math.Log(was.excess/now.excess) / float64(steps-was.steps)
	left := math.Log(now.excess/(need/top-1)) / rate
	if was.excess > 0 && rate > 0 && left < float64(stepsAhead(steps)) { // neither is NaN
		return steps + max(1, steps/8, int(math.Ceil(left)))
	}
	return steps + stepsAhead(steps)
}

// stepsAhead is how many more steps are taken where nothing is predicted.
func stepsAhead(steps int) int { return max(3, steps/4) }

// allowed is the τ ≥ 0 at which the norm of [c f; e τ] is w, or 0 where there is none. With a = w² - c² - e² it solves
//
//	(a + e²) τ² + 2cfe τ + c²f² = a (w² - f²).
func allowed(c, e, f, w float64) float64 {
	if !(w > linalg.Norm2(c, f, e, 0)) {
		return 0
	}
	c, e, f = c/w, e/w, f/w
	a := 1 - c*c - e*e
	half := c * f * e
	return w * (math.Sqrt(half*half+(a+e*e)*(a*(1-f*f)-c*c*f*f)) - half) / (a + e*e)
}
