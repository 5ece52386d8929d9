package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/class"
)

// A pointLoss is ℓ(z, y) with its first and second derivative in z; the second one is that of a side where ℓ has a bend.
type pointLoss func(z, y float64) (value, slope, curvature float64)

// pointLosses are those that a completion is fitted by, with their width; squares have a closed form and are not here.
var pointLosses = map[string]func(mu float64) pointLoss{
	"huber": robust, "absolute": robust, "smoothed-hinge": hinge, "hinge": hinge,
	"logistic": func(float64) pointLoss {
		return func(z, y float64) (value, slope, curvature float64) {
			e := math.Exp(-math.Abs(z))
			top := 1.0 // of σ(-yz) = top/(1+e)
			if y*z > 0 {
				top = e
			}
			return math.Max(0, -y*z) + math.Log1p(e), -y * top / (1 + e), e / ((1 + e) * (1 + e))
		}
	},
	"squared-hinge": func(float64) pointLoss {
		return func(z, y float64) (value, slope, curvature float64) {
			if short := 1 - y*z; short > 0 {
				return short * short / 2, -y * short, 1
			}
			return 0, 0, 0
		}
	},
}

// quantile is τ max(0, y - z) + (1-τ) max(0, z - y), smoothed with width μ.
func quantile(tau, mu float64) pointLoss {
	return func(z, y float64) (value, slope, curvature float64) {
		t := z - y
		u, curvature := t/mu, 1/mu
		if u < -tau || u > 1-tau {
			u, curvature = math.Max(-tau, math.Min(u, 1-tau)), 0
		}
		return u * (t - mu*u/2), u, curvature
	}
}

// robust is the Huber function of width μ.
func robust(mu float64) pointLoss {
	return func(z, y float64) (value, slope, curvature float64) {
		t := z - y
		if math.Abs(t) <= mu {
			return t * t / (2 * mu), t / mu, 1 / mu
		}
		return math.Abs(t) - mu/2, math.Copysign(1, t), 0
	}
}

// hinge is max(0, 1 - yz), smoothed with width μ.
func hinge(mu float64) pointLoss {
	return func(z, y float64) (value, slope, curvature float64) {
		short := 1 - y*z
		switch {
		case short <= 0:
			return 0, 0, 0
		case short < mu:
			return short * short / (2 * mu), -y * short / mu, 1 / mu
		}
		return short - mu/2, -y, 0
	}
}

// pointLoss is that of the model, nil of squares. An error is for one that this version does not know.
func (m *Model) pointLoss() (pointLoss, error) {
	if m.Info.Loss == "" || m.Info.Loss == "squared" {
		return nil, nil
	}
	name, width, has := strings.Cut(m.Info.Loss, ":")
	of, known := pointLosses[name]
	mu := 1.0
	var err error
	if name == "quantile" {
		var tau string
		var q float64
		tau, width, has = strings.Cut(width, ",")
		q, err = strconv.ParseFloat(tau, 64)
		of, known = func(mu float64) pointLoss { return quantile(q, mu) }, err == nil && q > 0 && q < 1
	}
	if has {
		mu, err = strconv.ParseFloat(width, 64)
	}
	if !known || err != nil || !(mu > 0) {
		return nil, fmt.Errorf("model: its loss %q is not known, so that no new row is folded in", m.Info.Loss)
	}
	return of(mu), nil
}

// newtonSteps are more than a strongly convex problem of a few directions takes, and newtonRest the part of the objective below
// which a step gains nothing that a prediction shows.
const (
	newtonSteps = 100
	newtonRest  = 1e-13
)

// foldNewton is argmin over x of Σ ℓ(b_t + ⟨v_t, x⟩, y_t) + λ/2‖x‖², for rows v_t of k numbers, by Newton steps that are halved
// until they lower it.
func foldNewton(l pointLoss, v, b, y []float64, k int, lambda float64) (*mat.VecDense, error) {
	at := func(x *mat.VecDense, hess *mat.SymDense, grad *mat.VecDense) float64 {
		value := lambda / 2 * mat.Dot(x, x)
		for t := range y {
			row := mat.NewVecDense(k, v[t*k:(t+1)*k])
			f, slope, curvature := l(b[t]+mat.Dot(row, x), y[t])
			value += f
			if hess != nil {
				grad.AddScaledVec(grad, slope, row)
				hess.SymRankOne(hess, curvature, row)
			}
		}
		return value
	}
	x, next, step := mat.NewVecDense(k, nil), mat.NewVecDense(k, nil), mat.NewVecDense(k, nil)
	for range newtonSteps {
		hess, grad := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
		value := at(x, hess, grad)
		grad.AddScaledVec(grad, lambda, x)
		for c := range k {
			hess.SetSym(c, c, hess.At(c, c)+lambda)
		}
		var chol mat.Cholesky
		if !chol.Factorize(hess) || chol.SolveVecTo(step, grad) != nil {
			return nil, fmt.Errorf("model: the problem of the new row is singular")
		}
		if falls := mat.Dot(step, grad); !(falls > newtonRest*(1+math.Abs(value))) {
			return x, nil
		}
		for by := 1.0; ; by /= 2 {
			if next.AddScaledVec(x, -by, step); at(next, nil, nil) <= value-by*mat.Dot(step, grad)/4 {
				break
			}
			if by < newtonRest {
				return x, nil
			}
		}
		x.CopyVec(next)
	}
	return x, nil
}

// foldPoints is the left factor (times S) of a new row with a centre, under a loss of points; mean is ū, or nil.
func (m *Model) foldPoints(l pointLoss, mean []float64, cols []int32, values []float64, base float64) ([]float64, error) {
	lambda, err := m.foldLambda()
	if err != nil {
		return nil, err
	}
	scale, k := m.foldScale(len(cols)), m.Rank
	v, b := make([]float64, 0, len(cols)*k), make([]float64, len(cols))
	var size float64
	for t, j := range cols {
		v = append(v, m.foldRow(j, scale)...)
		switch b[t] = base; {
		case mean != nil: // with the offset
			b[t] += m.itemScore(mean, nil, int(j))
		case m.ColOffset != nil:
			b[t] += m.ColOffset[j]
		}
	}
	for _, x := range v {
		size += x * x
	}
	if lambda = math.Max(lambda, leastRidge*size); lambda == 0 {
		u := make([]float64, k) // no item that was rated has a part in any direction
		copy(u, mean)
		return u, nil
	}
	x, err := foldNewton(l, v, b, values, k, lambda)
	if err != nil {
		return nil, err
	}
	return m.foldedFactor(x, scale, mean), nil
}

// foldRow is v̂_j, scaled.
func (m *Model) foldRow(j int32, scale float64) []float64 {
	if m.ColScale != nil {
		scale *= m.ColScale[j]
	}
	v := make([]float64, m.Rank)
	for c, s := range m.S {
		v[c] = m.V[int(j)*m.Rank+c] * math.Sqrt(s) * scale
	}
	return v
}

// Signs turns labels into -1 and 1 for a model of two labels. An error names the first label that the model does not have, with
// its line.
func (m *Model) Signs(r *dataset.Ratings) ([]float64, error) {
	two := m.TwoLabels()
	if two == nil {
		return nil, fmt.Errorf("model: its loss is of numbers, not of labels")
	}
	return class.Signs(two, r.LabelTexts(), r.Place)
}

// TwoLabels are what signs stand for, the negative one first; nil of a model of numbers, or of several classes.
func (m *Model) TwoLabels() []string {
	name, _, _ := strings.Cut(m.Info.Loss, ":")
	switch {
	case m.Problem == "classification" || name != "logistic" && !strings.HasSuffix(name, "hinge"):
		return nil
	case len(m.Info.Labels) == 2:
		return m.Info.Labels
	case m.Info.ZeroOne:
		return []string{"0", "1"}
	}
	return []string{"-1", "1"}
}
