package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// norms is a Lipschitz loss of a user's own: Σ ‖z_g - y_g‖₂ over rows of three outputs, which forgives whole rows.
type norms struct{ y []float64 }

func (l norms) Len() int        { return len(l.y) }
func (l norms) Stride() int     { return 3 }
func (l norms) Radius() float64 { return 1 }

func (l norms) SmoothTo(value, u []float64, lo int, z []float64, mu float64) {
	for g := range value {
		d := make([]float64, 3)
		for k := range d {
			d[k] = z[3*g+k] - l.y[lo+3*g+k]
		}
		norm := gcg.Norm(d)
		for k := range d {
			u[3*g+k] = d[k] / math.Max(norm, math.Max(mu, 1e-300))
		}
		if value[g] = norm - mu/2; norm < mu {
			value[g] = norm * norm / (2 * mu)
		}
	}
}

func (l norms) SlopeTo(dst []float64, lo int, z, e []float64, mu float64) {
	for g := 0; g < len(z); g += 3 {
		d, x := make([]float64, 3), append([]float64(nil), e[g:g+3]...)
		for k := range d {
			d[k] = z[g+k] - l.y[lo+g+k]
		}
		norm, along := gcg.Norm(d), dot(d, x)
		for k := range d {
			if dst[g+k] = x[k] / mu; norm > mu {
				dst[g+k] = (x[k] - d[k]*along/(norm*norm)) / norm
			}
		}
	}
}

func (l norms) ConjugateTo(value []float64, lo int, u []float64) {
	for g := range value {
		value[g] = dot(u[3*g:3*g+3], l.y[lo+3*g:lo+3*g+3])
		if gcg.Norm(u[3*g:3*g+3]) > 1+1e-12 {
			value[g] = math.Inf(1)
		}
	}
}

func smoothedLosses(rng *rand.Rand, n int) []*loss.Smoothed {
	y, s := normals(rng, n, 1), signs(rng, n)
	w, rows := weights(rng, n), weights(rng, n/3)
	return []*loss.Smoothed{
		{Loss: &loss.Absolute{Y: y}, Mu: 0.5},
		{Loss: &loss.Absolute{Y: y}, Mu: 3, Omega: w, Mean: true, Group: 5},
		{Loss: &loss.Hinge{Y: s}, Mu: 0.7, Omega: w},
		{Loss: &loss.Hinge{Y: s}, Mu: 0.01, Mean: true},
		{Loss: &loss.Quantile{Y: y, Tau: 0.1}, Mu: 1, Omega: w, Mean: true},
		{Loss: &loss.Quantile{Y: y, Tau: 0.5}, Mu: 0.2},
		{Loss: norms{y}, Mu: 0.9},
		{Loss: norms{y}, Mu: 2, Omega: rows, Mean: true, Group: 6},
	}
}

func TestSmoothed(t *testing.T) {
	rng := testRand(10)
	for seed, l := range smoothedLosses(rng, 90) {
		testLoss(t, l, uint64(seed))
	}
}

// L - SmoothingError ≤ L_μ ≤ L, the first attained far from every kink.
func TestSmoothingError(t *testing.T) {
	rng := testRand(11)
	for _, l := range smoothedLosses(rng, 90) {
		sharp, most := l.Unsmoothed(), l.SmoothingError()
		if !(most > 0) || sharp.SmoothingError() != 0 {
			t.Errorf("%T: error %v, and %v without smoothing", l.Loss, most, sharp.SmoothingError())
		}
		for _, size := range []float64{0, 0.1, 1, 10} {
			z := normals(rng, 90, size)
			f, smooth := sharp.Eval(0, z, nil), l.Eval(0, z, nil)
			if tol := 1e-13 * f; smooth > f+tol || smooth < f-most-tol {
				t.Errorf("%T: smoothed %v is not in %v … %v", l.Loss, smooth, f-most, f)
			}
		}
	}
}

func TestSmoothingErrorIsAttained(t *testing.T) {
	omega, y, far := []float64{1, 2, 0, 1, 1, 1, 1, 1}, make([]float64, 8), make([]float64, 8)
	for i := range far {
		far[i] = 5
	}
	for want, l := range map[float64]loss.Lipschitz{ // ½R², with weights of sum 8 over 8
		0.5: &loss.Absolute{Y: y}, 0.32: &loss.Quantile{Y: y, Tau: 0.2}, 0.405: &loss.Quantile{Y: y, Tau: 0.1},
	} {
		s := &loss.Smoothed{Loss: l, Mu: 0.3, Omega: omega, Mean: true}
		near(t, "error", s.SmoothingError(), 0.3*want, 1e-15)
		near(t, "difference", s.Unsmoothed().Eval(0, far, nil)-s.Eval(0, far, nil), 0.3*want, 1e-14)
	}
}

// A mean over rows that belong together divides by the number of rows, and each has one weight.
func TestSmoothedRows(t *testing.T) {
	l := &loss.Smoothed{Loss: norms{make([]float64, 6)}, Mu: 1, Omega: []float64{1, 10}, Mean: true}
	z, r := []float64{2, 3, 6, 0, 0.3, 0.4}, make([]float64, 6)
	near(t, "value", l.Eval(0, z, r), ((7-0.5)+10*0.125)/2, 1e-15)
	for i, want := range []float64{-1. / 7, -1.5 / 7, -3. / 7, 0, -1.5, -2} {
		near(t, "r", r[i], want, 1e-15)
	}
}

// Each is its smooth loss; a median is the absolute value halved, with μ halved twice.
func TestSmoothedTwins(t *testing.T) {
	rng := testRand(12)
	const n = 60
	y, s, w := normals(rng, n, 1), signs(rng, n), weights(rng, n)
	twice := func(x []float64, by float64) []float64 {
		c := append([]float64(nil), x...)
		for i := range c {
			c[i] *= by
		}
		return c
	}
	for _, c := range []struct{ a, b separable }{
		{&loss.Smoothed{Loss: &loss.Absolute{Y: y}, Mu: 0.4, Omega: w, Mean: true}, &loss.Huber{Y: y, Mu: 0.4, Omega: w, Mean: true}},
		{&loss.Smoothed{Loss: &loss.Hinge{Y: s}, Mu: 0.4, Omega: w}, &loss.SmoothedHinge{Y: s, Mu: 0.4, Omega: w}},
		{&loss.Smoothed{Loss: &loss.Quantile{Y: y, Tau: 0.5}, Mu: 0.8, Omega: twice(w, 2)}, &loss.Huber{Y: y, Mu: 0.4, Omega: w}},
	} {
		z, e := normals(rng, n, 1), normals(rng, n, 1)
		ra, rb, ha, hb := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		near(t, "value", c.a.Eval(0, z, ra), c.b.Eval(0, z, rb), 1e-14)
		near(t, "conjugate", c.a.Conjugate(0, ra, 0.6), c.b.Conjugate(0, rb, 0.6), 1e-14)
		near(t, "curvature", c.a.Curvature(), c.b.Curvature(), 1e-15)
		c.a.HessTo(ha, 0, z, e)
		c.b.HessTo(hb, 0, z, e)
		for i := range ra {
			near(t, "r", ra[i], rb[i], 1e-15)
			near(t, "product", ha[i], hb[i], 1e-14)
		}
	}
}

// min over w of Σ|aᵢw - yᵢ| + λ|w| has its optimum at a kink yᵢ/aᵢ or at 0. The smoothed problem's solution brackets it:
// the smoothed bound is below, the unsmoothed bound better, and both within SmoothingError of the objective.
func TestSmoothedCertifiesTheUnsmoothed(t *testing.T) {
	rng := testRand(14)
	const n, lambda = 25, 3.0
	a, y := normals(rng, n, 1), normals(rng, n, 1)
	for i := range y {
		y[i] += 2 * a[i]
	}
	at := func(l gcg.Loss, w float64, r []float64) float64 {
		z := make([]float64, n)
		for i := range z {
			z[i] = a[i] * w
		}
		return l.Eval(0, z, r) + lambda*math.Abs(w)
	}
	for _, mu := range []float64{1, 0.1, 1e-3} {
		l := &loss.Smoothed{Loss: &loss.Absolute{Y: y}, Mu: mu}
		sharp := l.Unsmoothed()
		best := at(sharp, 0, nil)
		for i := range a {
			best = math.Min(best, at(sharp, y[i]/a[i], nil))
		}
		w, r := minimiser(func(w float64, r []float64) float64 { at(l, w, r); return dot(a, r) }, lambda), make([]float64, n)
		at(l, w, r)
		s := math.Min(1, lambda/math.Abs(dot(a, r)))
		objective, bound, smooth := at(sharp, w, nil), -sharp.Conjugate(0, r, s), -l.Conjugate(0, r, s)
		tol := 1e-9 * best
		if smooth > bound || bound > best+tol || best > objective || objective-smooth > l.SmoothingError()+tol {
			t.Errorf("μ = %v: bounds %v ≤ %v, optimum %v, objective %v, error %v", mu, smooth, bound, best, objective, l.SmoothingError())
		}
	}
}

// minimiser bisects for the w > 0 with -∂L/∂w = λ.
func minimiser(descent func(w float64, r []float64) float64, lambda float64) float64 {
	lo, hi, r := 0.0, 100.0, make([]float64, 25)
	for range 200 {
		if mid := (lo + hi) / 2; descent(mid, r) > lambda {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

func TestSmoothedMessages(t *testing.T) {
	y := []float64{1, -1, 1, 1}
	testMessages(t, checked{
		"Smoothed needs a Loss to smooth, such as loss.Absolute":           &loss.Smoothed{},
		"the smoothing width Mu is 0; it must be a positive finite number": &loss.Smoothed{Loss: &loss.Hinge{Y: y}},
		"the label of observation 2 is 3; it must be 1 or -1": &loss.Smoothed{Loss: &loss.Hinge{Y: []float64{1, 3}},
			Mu: 1},
		"the target of observation 1 is NaN; it must be a finite number": &loss.Smoothed{Mu: 1,
			Loss: &loss.Absolute{Y: []float64{math.NaN()}}},
		"the quantile Tau is 1; it must be between 0 and 1": &loss.Smoothed{Loss: &loss.Quantile{Y: y, Tau: 1}, Mu: 1},
		"there are 6 weights for 2 observations; give one each, or none": &loss.Smoothed{Loss: norms{make([]float64, 6)}, Mu: 1,
			Omega: make([]float64, 6)},
		"Group = 2 cuts the groups of 3 predictions of loss_test.norms": &loss.Smoothed{Loss: norms{make([]float64, 6)}, Mu: 1,
			Group: 2},
		"4 observations do not make rows of Group = 3 outputs": &loss.Smoothed{Loss: &loss.Hinge{Y: y}, Mu: 1, Group: 3},
	})
}
