package firstorder

import (
	"math"
	"testing"
)

// spread is ½ Σ cᵢ(xᵢ - yᵢ)² with curvatures from 1 to 1000.
func spread(n int) (eval func(x, g []float64) float64, y []float64) {
	c := make([]float64, n)
	y = make([]float64, n)
	for i := range c {
		c[i], y[i] = math.Pow(1000, float64(i)/float64(n-1)), math.Sin(float64(i*i))
	}
	return func(x, g []float64) (f float64) {
		for i, v := range x {
			d := v - y[i]
			if f += c[i] * d * d / 2; g != nil {
				g[i] = c[i] * d
			}
		}
		return f
	}, y
}

// The lasso in coordinates that do not meet has its solution in closed form, and descent comes to it from any L.
func TestDescent(t *testing.T) {
	const lambda = 0.5
	eval, y := spread(30)
	norm := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += lambda * math.Abs(v)
		}
		return sum
	}
	for _, l := range []float64{0, 1e-3, 1e6} {
		for _, proximal := range []bool{false, true} {
			d, x := Descent{L: l}, make([]float64, len(y))
			value := math.NaN()
			if proximal {
				value = eval(x, nil)
				d.Prox = func(x []float64, step float64) float64 {
					for i, v := range x {
						x[i] = math.Copysign(math.Max(math.Abs(v)-step*lambda, 0), v)
					}
					return norm(x)
				}
			}
			for range 40 {
				before := value
				if value = d.Steps(x, value, 50, eval); value > before {
					t.Fatalf("the value rose from %v to %v", before, value)
				}
			}
			for i, v := range x {
				want := y[i]
				if proximal {
					c := math.Pow(1000, float64(i)/float64(len(x)-1))
					want = math.Copysign(math.Max(math.Abs(y[i])-lambda/c, 0), y[i])
				}
				if math.Abs(v-want) > 1e-6 {
					t.Errorf("L = %v: entry %d is %v, want %v", l, i, v, want)
				}
			}
		}
	}
}

// Steps of a linear map in three dimensions are combined to its fixed point after four.
func TestAnderson(t *testing.T) {
	rate, fixed := []float64{0.9, -0.5, 0.3}, []float64{1, 2, 3}
	a, x := Anderson{Depth: 4}, []float64{0, 0, 0}
	for range 6 {
		move := make([]float64, 3)
		for i := range x {
			move[i] = (rate[i] - 1) * (x[i] - fixed[i])
			x[i] += move[i]
		}
		a.Add(x, move)
	}
	if a.Len() != 4 {
		t.Fatalf("%d steps are remembered, not 4", a.Len())
	}
	got, sum := make([]float64, 3), 0.0
	a.CombineTo(got)
	for i := range got {
		if math.Abs(got[i]-fixed[i]) > 1e-4 {
			t.Errorf("%v is not the fixed point %v", got, fixed)
			break
		}
	}
	for _, w := range a.Weights() {
		sum += w
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the weights sum to %v", sum)
	}
	if a.Forget(1); a.Len() != 1 || a.Weights()[0] != 1 {
		t.Error("the last step is not what is left")
	}
}

// Momentum begins at 0, rises to 1 and begins anew.
func TestMomentum(t *testing.T) {
	var m Momentum
	last := -1.0
	for k := range 100 {
		by := m.Next()
		if by <= last || by >= 1 || k == 0 && by != 0 {
			t.Fatalf("step %d goes beyond by %v after %v", k, by, last)
		}
		last = by
	}
	if m.Restart(); !m.Begins() || m.Next() != 0 {
		t.Error("it does not begin anew")
	}
}
