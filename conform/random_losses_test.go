package conform_test

import "math"

// A denseLoss is the value of a loss and its gradient, by its definition. All are at least 0.
type denseLoss struct {
	eval      func(z, grad []float64) float64
	curvature float64
}

// separable is the sum of weightᵢ·ℓ(zᵢ; yᵢ), where part returns ℓ and ∂ℓ/∂z.
func separable(y, weights []float64, curvature float64, part func(z, y float64) (value, slope float64)) denseLoss {
	top := 0.0
	for _, w := range weights {
		top = math.Max(top, w)
	}
	return denseLoss{curvature: curvature * top, eval: func(z, grad []float64) (sum float64) {
		for i := range z {
			value, slope := part(z[i], y[i])
			sum += weights[i] * value
			grad[i] = weights[i] * slope
		}
		return sum
	}}
}

func squaredPart(z, y float64) (value, slope float64) { return (z - y) * (z - y) / 2, z - y }

// clippedPart is max over lo ≤ u ≤ hi of u·t - μu²/2 and its u.
func clippedPart(t, mu, lo, hi float64) (value, u float64) {
	u = math.Max(lo, math.Min(hi, t/mu))
	return u*t - mu*u*u/2, u
}

func huberPart(mu float64) func(z, y float64) (value, slope float64) {
	return func(z, y float64) (value, slope float64) { return clippedPart(z-y, mu, -1, 1) }
}

func quantilePart(mu, tau float64) func(z, y float64) (value, slope float64) {
	return func(z, y float64) (value, slope float64) {
		value, u := clippedPart(y-z, mu, tau-1, tau)
		return value, -u
	}
}

func smoothedHingePart(mu float64) func(z, y float64) (value, slope float64) {
	return func(z, y float64) (value, slope float64) {
		value, u := clippedPart(1-y*z, mu, 0, 1)
		return value, -y * u
	}
}

func squaredHingePart(z, y float64) (value, slope float64) {
	short := math.Max(1-y*z, 0)
	return short * short / 2, -y * short
}

func logisticPart(z, y float64) (value, slope float64) {
	t := -y * z
	return math.Max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))), -y / (1 + math.Exp(-t))
}

// softmaxOf is the sum of weightᵢ·(log Σ exp(z_il) - z_i,labelᵢ) over rows of so many classes.
func softmaxOf(labels []int32, classes int, weights []float64) denseLoss {
	top := 0.0
	for _, w := range weights {
		top = math.Max(top, w)
	}
	return denseLoss{curvature: top / 2, eval: func(z, grad []float64) (sum float64) {
		for i, label := range labels {
			row, g := z[i*classes:(i+1)*classes], grad[i*classes:(i+1)*classes]
			most, total := math.Inf(-1), 0.0
			for _, x := range row {
				most = math.Max(most, x)
			}
			for l, x := range row {
				g[l] = math.Exp(x - most)
				total += g[l]
			}
			sum += weights[i] * (math.Log(total) + most - row[label])
			for l := range g {
				g[l] *= weights[i] / total
			}
			g[label] -= weights[i]
		}
		return sum
	}}
}
