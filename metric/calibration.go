package metric

import "math"

// A Calibration compares predicted probabilities with outcomes. They are calibrated where, of all predictions with probability p,
// a fraction p came true.
type Calibration struct {
	Bins    []CalibrationBin // of equal width over [0, 1]; those without a prediction are left out
	Brier   float64          // the mean of (p - y)², y being 0 or 1
	Error   float64          // the mean over predictions of |mean p - fraction that came true| of their bin
	N       int
	LogLoss float64 // the mean of -log of the probability of what came
}

// A CalibrationBin has the predictions from Lo to Hi.
type CalibrationBin struct {
	Lo, Hi    float64
	Predicted float64 // their mean
	Observed  float64 // the fraction that came true
	N         int
}

// leastProbability keeps the log loss of a certainty that was wrong finite, as in scikit-learn.
const leastProbability = 1e-15

// Calibrate compares probabilities in [0, 1] with outcomes, of the same length, in bins of equal width.
func Calibrate(probabilities []float64, truths []bool, bins int) *Calibration {
	c, all := &Calibration{N: len(probabilities)}, make([]CalibrationBin, bins)
	for e, p := range probabilities {
		b := &all[min(int(p*float64(bins)), bins-1)]
		y, of := 0.0, 1-p
		if truths[e] {
			y, of = 1, p
		}
		b.N++
		b.Predicted += p
		b.Observed += y
		c.Brier += (p - y) * (p - y)
		c.LogLoss -= math.Log(math.Max(of, leastProbability))
	}
	if c.N == 0 {
		return c
	}
	c.Brier /= float64(c.N)
	c.LogLoss /= float64(c.N)
	for k, b := range all {
		if b.N == 0 {
			continue
		}
		b.Lo, b.Hi = float64(k)/float64(bins), float64(k+1)/float64(bins)
		c.Error += math.Abs(b.Predicted-b.Observed) / float64(c.N)
		b.Predicted /= float64(b.N)
		b.Observed /= float64(b.N)
		c.Bins = append(c.Bins, b)
	}
	return c
}
