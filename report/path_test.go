package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	points := []PathPoint{{8, 0, 2, 0.1}, {4, 2, 1.5, 0.2}, {2, 5, 1.7, 0.1}}
	var b bytes.Buffer
	if err := Path(&b, "svg", PathCurve{Points: points, Error: "RMSE", Size: "rank", Selected: 4}); err != nil ||
		!strings.Contains(b.String(), "RMSE") ||
		!strings.Contains(b.String(), "λ = 4") {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	b.Reset()
	if err := Path(&b, "svg", PathCurve{Points: points[:1], Size: "nonzeros"}); err != nil ||
		!strings.Contains(b.String(), "nonzeros") {
		t.Errorf("one point: %v, %d bytes", err, b.Len())
	}
	for size, want := range map[int]string{25: ">20<", 2: ">2<"} { // ranks and nonzeros have whole numbers on their axis
		b.Reset()
		err := Path(&b, "svg", PathCurve{Points: []PathPoint{{Lambda: 2}, {Lambda: 1, Size: size}}, Size: "nonzeros"})
		if s := b.String(); err != nil || !strings.Contains(s, want) || strings.Contains(s, ".00<") || strings.Contains(s, ".50<") {
			t.Errorf("up to %d: %v, %s", size, err, s)
		}
	}
	for _, c := range []PathCurve{{}, {Points: []PathPoint{{0, 1, 1, 0}}, Error: "RMSE"},
		{Points: []PathPoint{{1, 1, math.NaN(), 0}}, Error: "RMSE"}} {
		if err := Path(&b, "svg", c); err == nil {
			t.Errorf("%v was drawn", c)
		}
	}
}

// Coefficients have a panel of their own, with their names beside it; a value that is not known is left out.
func TestPathCoefficients(t *testing.T) {
	c := PathCurve{Points: []PathPoint{{Lambda: 4}, {Lambda: 2, Size: 1}, {Lambda: 1, Size: 2}}, Size: "nonzeros", Selected: 2,
		Unit: "per unit", Coefficients: []Coefficient{{"income", []float64{0, 1, 1.5}}, {"age", []float64{0, math.NaN(), -3}}}}
	var b bytes.Buffer
	if err := Path(&b, "svg", c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"income", "age", "weight (per unit)", "λ = 2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not drawn", want)
		}
	}
}
