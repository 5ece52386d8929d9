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
	near(t, "log Σ exp", LogSumExp([]float64{0, 0, 0, 0}), math.Log(4))
}
