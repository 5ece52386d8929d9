package loss

// domainRounding is how far outside the domain of a conjugate rounding may put a point: it is moved back onto the boundary. Four
// units in the last place, no more: what is moved back without its polar is what a bound may be too high by, times the
// predictions.
const domainRounding = 0x1p-50

// scale is the common factor of a loss of n observations.
func scale(mean bool, n int) float64 {
	if mean {
		return 1 / float64(n)
	}
	return 1
}

// weight is ωᵢ.
func weight(omega []float64, i int) float64 {
	if omega == nil {
		return 1
	}
	return omega[i]
}

// heaviest is max ωᵢ.
func heaviest(omega []float64) float64 {
	if omega == nil {
		return 1
	}
	var top float64
	for _, w := range omega {
		top = max(top, w)
	}
	return top
}

// total is Σ ωᵢ over n observations.
func total(omega []float64, n int) float64 {
	if omega == nil {
		return float64(n)
	}
	var sum float64
	for _, w := range omega {
		sum += w
	}
	return sum
}

// widened is the width for which a smoothed loss of n groups is below the sharp one by short, μ·c Σω·½R², or μ if it is larger.
func widened(mu, short float64, mean bool, omega []float64, n int, radius float64) float64 {
	return max(mu, 2*short/(scale(mean, n)*total(omega, n)*radius*radius))
}
