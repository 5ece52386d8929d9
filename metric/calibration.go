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

// A CalibrationBin has the predictions from Lo to Hi. Means and fractions are weighted where predictions are.
type CalibrationBin struct {
	Lo, Hi    float64
	Predicted float64 // their mean
	Observed  float64 // the fraction that came true
	N         int
}

// leastProbability keeps the log loss of a certainty that was wrong finite, as in scikit-learn.
const leastProbability = 1e-15

// calibrating counts predictions by bins.
type calibrating struct {
	bins           []CalibrationBin // with sums, not means
	weights        []float64
	n              int
	brier, logLoss float64
}

func newCalibrating(bins int) *calibrating {
	return &calibrating{bins: make([]CalibrationBin, bins), weights: make([]float64, bins)}
}

// add counts a prediction p of what came true or not; one that is no number is left out.
func (c *calibrating) add(p float64, truth bool, weight float64) {
	if math.IsNaN(p) {
		return
	}
	k := min(int(p*float64(len(c.bins))), len(c.bins)-1)
	y, of := 0.0, 1-p
	if truth {
		y, of = 1, p
	}
	b := &c.bins[k]
	b.N++
	b.Predicted += weight * p
	b.Observed += weight * y
	c.weights[k] += weight
	c.n++
	c.brier += weight * (p - y) * (p - y)
	c.logLoss -= weight * math.Log(math.Max(of, leastProbability))
}

// done is what was counted.
func (c *calibrating) done() *Calibration {
	r := &Calibration{N: c.n}
	var all float64
	for _, w := range c.weights {
		all += w
	}
	if !(all > 0) {
		return r
	}
	r.Brier, r.LogLoss = c.brier/all, c.logLoss/all
	for k, b := range c.bins {
		if !(c.weights[k] > 0) {
			continue
		}
		b.Lo, b.Hi = float64(k)/float64(len(c.bins)), float64(k+1)/float64(len(c.bins))
		r.Error += math.Abs(b.Predicted-b.Observed) / all
		b.Predicted /= c.weights[k]
		b.Observed /= c.weights[k]
		r.Bins = append(r.Bins, b)
	}
	return r
}
