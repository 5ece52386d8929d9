package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	points := []PathPoint{{8, []int{0}, 2, 0.1}, {4, []int{2}, 1.5, 0.2}, {2, []int{5}, 1.7, 0.1}}
	var b bytes.Buffer
	if err := Path(&b, "svg", PathCurve{Points: points, Error: "RMSE", Sizes: []string{"rank"},
		Choices: []Choice{{Lambda: 4, Rule: "min"}}}); err != nil ||
		!strings.Contains(b.String(), "RMSE") ||
		!strings.Contains(b.String(), "λ = 4") {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	b.Reset()
	if err := Path(&b, "svg", PathCurve{Points: points[:1], Sizes: []string{"nonzeros"}}); err != nil ||
		!strings.Contains(b.String(), "nonzeros") {
		t.Errorf("one point: %v, %d bytes", err, b.Len())
	}
	for size, want := range map[int]string{25: ">20<", 2: ">2<"} { // ranks and nonzeros have whole numbers on their axis
		b.Reset()
		err := Path(&b, "svg", PathCurve{Points: []PathPoint{{2, []int{0}, 0, 0}, {1, []int{size}, 0, 0}}, Sizes: []string{"nonzeros"}})
		if s := b.String(); err != nil || !strings.Contains(s, want) || strings.Contains(s, ".00<") || strings.Contains(s, ".50<") {
			t.Errorf("up to %d: %v, %s", size, err, s)
		}
	}
	for _, c := range []PathCurve{{}, {Points: []PathPoint{{0, []int{1}, 1, 0}}, Error: "RMSE"},
		{Points: []PathPoint{{1, []int{1}, math.NaN(), 0}}, Error: "RMSE"}} {
		if err := Path(&b, "svg", c); err == nil {
			t.Errorf("%v was drawn", c)
		}
	}
}

// Coefficients have a panel of their own, with their names beside it; a value that is not known is left out.
func TestPathCoefficients(t *testing.T) {
	c := PathCurve{Points: []PathPoint{{4, []int{0}, 0, 0}, {2, []int{1}, 0, 0}, {1, []int{2}, 0, 0}},
		Sizes: []string{"nonzeros"}, Choices: []Choice{{Lambda: 2, Rule: "min"}},
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

// A coefficient is drawn only between neighbours on the path where it is known: no line crosses a λ at which it was not kept.
func TestPathBreaksWhereUnknown(t *testing.T) {
	var points []PathPoint
	values := []float64{0, 1, math.NaN(), 3, math.NaN(), 5}
	for k := range values {
		points = append(points, PathPoint{Lambda: math.Pow(2, -float64(k)), Sizes: []int{k}})
	}
	draw := func(values []float64) string {
		var b bytes.Buffer
		c := PathCurve{Points: points, Sizes: []string{"nonzeros"}, Coefficients: []Coefficient{{"w", values}}}
		if err := Path(&b, "svg", c); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole, broken := draw([]float64{0, 1, 2, 3, 4, 5}), draw(values)
	if strings.Count(broken, "<circle") != strings.Count(whole, "<circle")+2 {
		t.Error("values between unknown ones are not drawn as points")
	}
	for _, line := range strings.Split(broken, "\n") {
		if strings.Contains(line, "stroke-width=\"1.3\"") && strings.Contains(line, hexOf(0)) && strings.Count(line, ",") > 2 {
			t.Errorf("a line crosses what is not known: %s", line)
		}
	}
}

// hexOf is a colour as SVG has it.
func hexOf(i int) string { c := colorOf(i); return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// The rules that choose λ are named by their words, once where they choose the same, and the one that was taken is said.
func TestPathNamesChoices(t *testing.T) {
	points := []PathPoint{{4, []int{1}, 2, 0.1}, {2, []int{2}, 1, 0.1}}
	for want, choices := range map[string][]Choice{
		"λ = 2 (min)": {{Lambda: 2, Rule: "min"}, {Lambda: 4, Rule: "1se", Taken: true}}, "λ = 4 (1se), chosen": {
			{Lambda: 2, Rule: "min"}, {Lambda: 4, Rule: "1se", Taken: true}},
		"λ = 2 (min, 1se), chosen": {{Lambda: 2, Rule: "min", Taken: true}, {Lambda: 2, Rule: "1se"}},
		"λ = 2 (smallest error)":   {{Lambda: 2, Rule: "smallest error"}},
	} {
		var b bytes.Buffer
		c := PathCurve{Title: "Cross-validation", Points: points, Error: "RMSE", Sizes: []string{"rank"}, Choices: choices}
		if err := Path(&b, "svg", c); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), ">"+want+"<"); n != 1 || strings.Contains(b.String(), "the best") {
			t.Errorf("%q is drawn %d times", want, n)
		}
	}
}
