package metric

import (
	"math"
	"testing"
)

// Of four predictions of three classes one is wrong and one is of a class that nobody knows, which has no log loss.
func TestClassesByHand(t *testing.T) {
	c := NewClasses(3)
	c.Add(0, []float64{math.Log(2), 0, 0})
	c.Add(2, []float64{0, 0, math.Log(6)})
	c.Add(1, []float64{5, 5, 5}) // the first of the largest is 0
	c.Add(-1, []float64{1, 2, 3})
	near(t, "accuracy", c.Accuracy(), 2.0/4)
	near(t, "log loss", c.LogLoss(), (math.Log(2)+math.Log(8.0/6)+math.Log(3))/3)
	if c.N() != 4 || c.Table[0][0] != 1 || c.Table[2][2] != 1 || c.Table[1][0] != 1 || c.Table[1][1] != 0 {
		t.Errorf("%d predictions, %v", c.N(), c.Table)
	}
}

// Signs are two classes whose scores are 0 and z, and 0 counts as 1.
func TestSignsAreTwoClasses(t *testing.T) {
	signs, classes := NewClasses(2), NewClasses(2)
	for _, p := range []struct{ truth, z float64 }{{1, 2}, {-1, 0.5}, {-1, -30}, {1, -800}, {1, 1e-9}} {
		right := signs.AddSign(p.truth, p.z)
		if right != (p.truth*p.z > 0) {
			t.Errorf("%+v is right: %v", p, right)
		}
		classes.Add(SignClass(p.truth), []float64{0, p.z})
	}
	near(t, "accuracy", signs.Accuracy(), classes.Accuracy())
	near(t, "log loss", signs.LogLoss(), classes.LogLoss())
	if right := signs.AddSign(1, 0); !right {
		t.Error("0 is not the sign of 1")
	}
}

// Probabilities sum to 1 and do not overflow; a constant added to all scores changes nothing.
func TestSoftmax(t *testing.T) {
	p, q := Softmax([]float64{1000, 1001, 999}), Softmax([]float64{0, 1, -1})
	var sum float64
	for j := range p {
		near(t, "a probability", p[j], q[j])
		sum += p[j]
	}
	near(t, "their sum", sum, 1)
	near(t, "log Σ exp", logSumExp([]float64{0, 0, 0, 0}), math.Log(4))
}

// Two classes, as signs or as scores, are calibrated alike, and as a list of their probabilities is; weights count as repeats.
func TestCalibrationOfClasses(t *testing.T) {
	signs, scores := NewClasses(2), NewClasses(2)
	var p []float64
	var truths []bool
	for i, z := range []float64{-2, -1, 0.3, 1, 4, 4} {
		truth := float64(1 - 2*(i%2))
		signs.AddSignWeighted(truth, z, 1)
		scores.Add(SignClass(truth), []float64{0, z})
		p, truths = append(p, 1/(1+math.Exp(-z))), append(truths, truth > 0)
	}
	signs.AddSignWeighted(1, 1, 2)
	for range 2 {
		scores.Add(1, []float64{0, 1})
		p, truths = append(p, 1/(1+math.Exp(-1))), append(truths, true)
	}
	want := calibrate(p, truths, 10)
	for _, c := range []*Calibration{signs.Calibration(), scores.Calibration()} {
		if math.Abs(c.Brier-want.Brier) > 1e-12 || math.Abs(c.Error-want.Error) > 1e-12 || math.Abs(c.LogLoss-want.LogLoss) > 1e-12 {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	if NewClasses(3).Calibration() != nil {
		t.Error("three classes have no such calibration")
	}
}

// calibrate compares probabilities in [0, 1] with outcomes, of the same length, in bins of equal width.
func calibrate(probabilities []float64, truths []bool, bins int) *Calibration {
	c := newCalibrating(bins)
	for e, p := range probabilities {
		c.add(p, truths[e], 1)
	}
	return c.done()
}

func TestCalibration(t *testing.T) {
	c := calibrate([]float64{0.1, 0.15, 0.9, 1}, []bool{false, true, true, true}, 5)
	if len(c.Bins) != 2 || c.Bins[0].N != 2 || c.Bins[1].N != 2 || c.N != 4 {
		t.Fatalf("%+v", c)
	}
	if b := c.Bins[0]; math.Abs(b.Predicted-0.125) > 1e-15 || b.Observed != 0.5 || b.Lo != 0 || b.Hi != 0.2 {
		t.Errorf("%+v", b)
	}
	if want := (2*0.375 + 2*0.05) / 4; math.Abs(c.Error-want) > 1e-15 {
		t.Errorf("calibration error %v, want %v", c.Error, want)
	}
	if want := (0.01 + 0.85*0.85 + 0.01 + 0) / 4; math.Abs(c.Brier-want) > 1e-15 {
		t.Errorf("Brier %v, want %v", c.Brier, want)
	}
	if want := -(math.Log(0.9) + math.Log(0.15) + math.Log(0.9)) / 4; math.Abs(c.LogLoss-want) > 1e-15 {
		t.Errorf("log loss %v, want %v", c.LogLoss, want)
	}
	if c := calibrate([]float64{0}, []bool{true}, 5); math.IsInf(c.LogLoss, 0) {
		t.Error("the log loss of a certainty that was wrong is not finite")
	}
}
