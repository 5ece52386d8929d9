package views_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// twoViews are two views of samples with few latent factors, and noise of a scale; signs are those of the first factor.
func twoViews(samples, n1, n2 int, noise float64, seed uint64) (x1, x2 *dataset.Matrix, signs []float64) {
	const rank = 3
	rng := rand.New(rand.NewPCG(seed, 1))
	d := make([]float64, (n1+n2)*rank)
	for i := range d {
		d[i] = rng.NormFloat64()
	}
	x1 = &dataset.Matrix{Rows: samples, Cols: n1, Dense: make([]float64, samples*n1)}
	x2 = &dataset.Matrix{Rows: samples, Cols: n2, Dense: make([]float64, samples*n2)}
	for i := range samples {
		var h [rank]float64
		for c := range h {
			h[c] = rng.NormFloat64()
		}
		signs = append(signs, math.Copysign(1, h[0]))
		for j := range n1 + n2 {
			x := noise * rng.NormFloat64()
			for c := range h {
				x += d[j*rank+c] * h[c]
			}
			if j < n1 {
				x1.Dense[i*n1+j] = x
			} else {
				x2.Dense[i*n2+j-n1] = x
			}
		}
	}
	return x1, x2, signs
}

// without is a copy with a part of its entries missing.
func without(x *dataset.Matrix, part float64, seed uint64) *dataset.Matrix {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := &dataset.Matrix{Rows: x.Rows, Cols: x.Cols, Dense: slices.Clone(x.Dense)}
	for e := range m.Dense {
		if rng.Float64() < part {
			m.Dense[e] = math.NaN()
		}
	}
	return m
}

func fit(t *testing.T, v *views.Task, lambda, tol float64) *views.Result {
	t.Helper()
	r, err := v.Fit(context.Background(), task.Options{Lambda: lambda, Run: solver.Options{Tol: tol, MaxIter: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rms is the root mean square of a - b.
func rms(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(s / float64(len(a)))
}

// At the optimum the codes that the dictionary gives the samples of training are those that were found, whatever the losses and
// whatever is missing.
func TestCodesOfTraining(t *testing.T) {
	x1, x2, _ := twoViews(40, 12, 9, 0.1, 1)
	binary := &dataset.Matrix{Rows: 40, Cols: 9, Dense: slices.Clone(x2.Dense)}
	for e, x := range binary.Dense {
		binary.Dense[e] = (math.Copysign(1, x) + 1) / 2
	}
	for name, v := range map[string]*views.Task{
		"squared": {Views: []views.View{{Name: "a", X: x1}, {Name: "b", X: x2, Weight: 3}}},
		"missing": {Views: []views.View{{Name: "a", X: without(x1, 0.3, 3)}, {Name: "b", X: without(x2, 0.2, 4)}}},
		"mean":    {Views: []views.View{{Name: "a", X: x1}, {Name: "b", X: x2}}, Normalize: task.Mean},
		"scaled": {Views: []views.View{{Name: "a", X: x1}, {Name: "b", X: x2, Loss: task.Loss{Kind: task.Huber, Mu: 0.1}}},
			Scale: views.Standardised},
		"huber, logistic": {Views: []views.View{{Name: "a", X: without(x1, 0.1, 5), Loss: task.Loss{Kind: task.Huber, Mu: 1}},
			{Name: "b", X: binary, Loss: task.Loss{Kind: task.Logistic}}}},
	} {
		t.Run(name, func(t *testing.T) {
			lambda := 3.0
			if v.Normalize == task.Mean {
				lambda /= 40 * 21
			}
			r := fit(t, v, lambda, 1e-9)
			e, err := views.NewEncoder(r.Model)
			if err != nil {
				t.Fatal(err)
			}
			want := e.Training()
			got, err := e.Codes([]views.Given{{View: 0, Name: "a", X: v.Views[0].X}, {View: 1, Name: "b", X: v.Views[1].X}})
			if err != nil {
				t.Fatal(err)
			}
			if d, size := rms(got.Dense, want.Dense), rms(want.Dense, make([]float64, len(want.Dense))); d > 1e-3*size {
				t.Errorf("codes differ by %.3g of %.3g at gap %.2g", d, size, r.Result.State.Cert.Relative)
			}
			z := r.Result.State.Z
			for k, x := range []*dataset.Matrix{v.Views[0].X, v.Views[1].X} { // the views of these codes are W
				p := e.Predict(k, want)
				for i := range x.Rows {
					w := z[(k*12+3)*40+i]
					if r.Model.RowScale != nil {
						w = w*r.Model.RowScale[k*12+3] + r.Model.RowOffset[k*12+3]
					}
					if v.Views[k].Loss.Kind == task.Logistic {
						w = 1 / (1 + math.Exp(-w))
					}
					if math.Abs(p.Dense[i*p.Cols+3]-w) > 1e-8 {
						t.Fatalf("view %d, sample %d: %g, W has %g", k, i, p.Dense[i*p.Cols+3], w)
					}
				}
			}
		})
	}
}

// What is corrupted is cleaned, missing entries are filled in, and one view of new samples is predicted from the other, each far
// better than by constants.
func TestCleansAndPredicts(t *testing.T) {
	const samples = 60
	x1, x2, _ := twoViews(samples+20, 30, 25, 0.01, 7)
	clean1, clean2 := x1.Subset(span(0, samples)), x2.Subset(span(0, samples))
	noisy := without(clean1, 0, 0)
	rng := rand.New(rand.NewPCG(1, 1))
	for e := range noisy.Dense {
		if rng.Float64() < 0.1 {
			noisy.Dense[e] += 10 * rng.Float64()
		}
	}
	huber := task.Loss{Kind: task.Huber, Mu: 0.01}
	v := &views.Task{Views: []views.View{{Name: "a", X: noisy, Loss: huber},
		{Name: "b", X: without(clean2, 0.2, 8), Loss: huber}}}
	r, err := v.Fit(context.Background(), task.Options{Run: solver.Options{Tol: 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Choice == nil || r.Lambda <= 0 {
		t.Fatal("λ was not chosen")
	}
	e, err := views.NewEncoder(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	codes := e.Training()
	if before, after := rms(noisy.Dense, clean1.Dense), rms(e.Predict(0, codes).Dense, clean1.Dense); after > before/10 {
		t.Errorf("noise of %.3g is cleaned to %.3g only", before, after)
	}
	size := rms(clean2.Dense, make([]float64, len(clean2.Dense)))
	if after := rms(e.Predict(1, codes).Dense, clean2.Dense); after > size/10 {
		t.Errorf("a view of %.3g with missing entries is known to %.3g only", size, after)
	}
	new1, new2 := x1.Subset(span(samples, samples+20)), x2.Subset(span(samples, samples+20))
	codes, err = e.Codes([]views.Given{{View: 0, Name: "a", X: new1}})
	if err != nil {
		t.Fatal(err)
	}
	size = rms(new2.Dense, make([]float64, len(new2.Dense)))
	if after := rms(e.Predict(1, codes).Dense, new2.Dense); after > size/10 {
		t.Errorf("a view of %.3g is predicted to %.3g only", size, after)
	}
}

func span(lo, hi int) (rows []int32) {
	for i := lo; i < hi; i++ {
		rows = append(rows, int32(i))
	}
	return rows
}

// Standardised features give what standardised data gives, in the units of the data.
func TestStandardised(t *testing.T) {
	x1, x2, _ := twoViews(30, 6, 5, 0.1, 9)
	scaled := func(x *dataset.Matrix, back bool) *dataset.Matrix {
		m := without(x, 0, 0)
		for e := range m.Dense {
			j := float64(e % m.Cols)
			m.Dense[e] = m.Dense[e]*(1+j) + 10*j
		}
		return m
	}
	a := fit(t, &views.Task{Views: []views.View{{Name: "a", X: x1}, {Name: "b", X: x2}}, Scale: views.Standardised}, 2,
		1e-8)
	b := fit(t, &views.Task{Views: []views.View{{Name: "a", X: scaled(x1, false)}, {Name: "b", X: scaled(x2, false)}},
		Scale: views.Standardised}, 2, 1e-8)
	if d := math.Abs(a.Result.State.Cert.Objective - b.Result.State.Cert.Objective); d > 1e-6*a.Result.State.Cert.Objective {
		t.Errorf("objectives %g and %g", a.Result.State.Cert.Objective, b.Result.State.Cert.Objective)
	}
	for j := range 6 {
		if want := *a.Views[0].RMSE; j == 0 && want <= 0 {
			t.Errorf("rmse %g", want)
		}
		if got, want := b.Model.Predict(j, 3), a.Model.Predict(j,
			3)*(1+float64(j))+10*float64(j); math.Abs(got-want) > 1e-3*(1+math.Abs(want)) {
			t.Errorf("feature %d: %g, want %g", j, got, want)
		}
	}
}

// Labels that follow from the views are predicted of new samples.
func TestPredictsLabels(t *testing.T) {
	const samples = 80
	x1, x2, signs := twoViews(samples+40, 10, 8, 0.1, 11)
	v := &views.Task{Views: []views.View{{Name: "a", X: x1.Subset(span(0, samples))},
		{Name: "b", X: x2.Subset(span(0, samples))}},
		Labels: &views.Labels{Name: "labels", Outputs: []string{"no", "yes"}, Classes: true, Y: slices.Clone(signs[:samples])}}
	v.Labels.Y[5] = math.NaN()
	r := fit(t, v, 5, 0.05)
	if r.Views[2].Missing != 1 || *r.Views[2].Accuracy < 0.9 {
		t.Errorf("%+v", r.Views[2])
	}
	e, err := views.NewEncoder(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := e.Codes([]views.Given{{View: 0, Name: "a", X: x1.Subset(span(samples, samples+40))},
		{View: 1, Name: "b", X: x2.Subset(span(samples, samples+40))}})
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, class := range e.Classes(codes) {
		if (class == "yes") == (signs[samples+i] > 0) {
			right++
		}
	}
	if right < 36 {
		t.Errorf("%d of 40 labels are right", right)
	}
}
