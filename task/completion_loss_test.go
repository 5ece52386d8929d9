package task_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// observed are random ratings with weights and offsets, or their labels by the sign.
func observed(t *testing.T, labels, beside bool, seed uint64) *dataset.Ratings {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 6))
	var list []dataset.Rating
	for i := range 14 {
		for j := range 9 {
			if rng.Float64() < 0.6 {
				x := math.Sin(float64(i))*float64(j-4)/2 + rng.NormFloat64()
				if labels {
					x = math.Copysign(1, x)
				}
				list = append(list, dataset.Rating{User: string(rune('a' + i)), Item: string(rune('a' + j)), Value: x})
			}
		}
	}
	r, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	if beside {
		for range list {
			r.Omega, r.Offset = append(r.Omega, math.Max(0, 3*rng.Float64()-0.5)), append(r.Offset, rng.NormFloat64())
		}
	}
	return r
}

// slope is ℓ and its derivative, as they are drawn.
func slope(l task.Loss, z, y float64) (value, d float64) {
	t := z - y
	short, mu := 1-y*z, l.Mu
	if mu == 0 {
		mu = 1
	}
	switch l.Kind {
	case task.Huber, task.Absolute:
		u := math.Max(-1, math.Min(1, t/mu))
		return u * (t - mu*u/2), u
	case task.Quantile:
		u := math.Max(-l.Tau, math.Min(1-l.Tau, t/mu))
		return u * (t - mu*u/2), u
	case task.Logistic:
		return math.Log1p(math.Exp(-y * z)), -y / (1 + math.Exp(y*z))
	case task.SquaredHinge:
		short = math.Max(0, short)
		return short * short / 2, -y * short
	case task.SmoothedHinge, task.Hinge:
		u := math.Max(0, math.Min(1, short/mu))
		return u * (short - mu*u/2), -y * u
	}
	return t * t / 2, t
}

// plain is the optimum by accelerated proximal gradient steps on a matrix.
func plain(r *dataset.Ratings, l task.Loss, centre, lambda, curvature float64) float64 {
	m, n := r.Shape[0], r.Shape[1]
	at := func(x *mat.Dense, g *mat.Dense) (value float64) {
		if g != nil {
			g.Zero()
		}
		for e, y := range r.Values {
			i, j, w, z := int(r.Rows[e]), int(r.Cols[e]), 1.0, centre
			if r.Omega != nil {
				w, z = r.Omega[e], z+r.Offset[e]
			}
			v, d := slope(l, z+x.At(i, j), y)
			value += w * v
			if g != nil {
				g.Set(i, j, w*d)
			}
		}
		return value
	}
	best := math.Inf(1)
	x, last, y, g := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil), mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)
	for k, momentum := 0, 1.0; k < 20000; k++ {
		at(y, g)
		last.Copy(x)
		g.Scale(-1/curvature, g)
		g.Add(y, g)
		var svd mat.SVD
		svd.Factorize(g, mat.SVDThin)
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		s, norm := svd.Values(nil), 0.0
		for c := range s {
			s[c] = math.Max(0, s[c]-lambda/curvature)
			norm += s[c]
		}
		u.Mul(&u, mat.NewDiagDense(len(s), s))
		x.Mul(&u, v.T())
		value := at(x, nil) + lambda*norm
		if value > best { // start the momentum anew
			momentum = 1
		}
		best = math.Min(best, value)
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		g.Sub(x, last)
		if mat.Norm(g, 2) < 1e-11 {
			break
		}
		g.Scale((momentum-1)/next, g)
		y.Add(x, g)
		momentum = next
	}
	return best
}

// Every loss, with weights and offsets and without, has the optimum that plain proximal gradient steps find, and certifies it.
func TestCompletionLosses(t *testing.T) {
	const lambda, most = 0.8, 2.5 // the largest weight
	for k, l := range []task.Loss{{}, {Kind: task.Huber}, {Kind: task.Huber, Mu: 0.3}, {Kind: task.Absolute, Mu: 0.1},
		{Kind: task.Logistic}, {Kind: task.SquaredHinge}, {Kind: task.SmoothedHinge}, {Kind: task.Hinge, Mu: 0.1},
		{Kind: task.Quantile, Tau: 0.8, Mu: 0.1}} {
		curvature := most / math.Max(0.1, l.Mu)
		if l.Kind != task.Absolute && l.Kind != task.Hinge && l.Mu == 0 {
			curvature = most
		}
		for _, beside := range []bool{false, true} {
			for _, global := range []bool{false, true} {
				c := &task.Completion{Train: observed(t, l.Signs(), beside, uint64(k)), Loss: l}
				raw := c.Train
				if global {
					c.Center = dataset.GlobalMean
				}
				r := fit(t, c, task.Options{Lambda: lambda, Run: solver.Options{Tol: 1e-7}})
				want, cert := plain(raw, l, r.Model.Global, lambda, curvature), r.Result.State.Cert
				slack := 1e-8 * math.Max(1, want)
				if r.Result.Status != solver.Converged || cert.LowerBound > want+slack || cert.Objective < want-slack ||
					cert.Objective > want*(1+1e-6) {
					t.Errorf("%v, weights %v, centre %v: [%v, %v] (%s), want %v", l, beside, global, cert.LowerBound, cert.Objective,
						r.Result.Status, want)
				}
			}
		}
	}
}

// The global centre of a quantile is that of the ratings, its score is the loss without smoothing, and folding in what a user
// rated gives the scores that the fit gives the user.
func TestQuantileOfRatings(t *testing.T) {
	r := observed(t, false, false, 3)
	l := task.Loss{Kind: task.Quantile, Tau: 0.8, Mu: 1e-9}
	c := fit(t, &task.Completion{Train: r, Loss: l, Center: dataset.GlobalMean}, task.Options{Lambda: 1e3})
	sorted := slices.Sorted(slices.Values(r.Values))
	at := int(l.Tau * float64(len(sorted)))
	if b := c.Model.Global; b < sorted[at-1]-1e-8 || b > sorted[at+1]+1e-8 {
		t.Errorf("the centre is %v, the quantile %v", b, sorted[at])
	}
	var want float64
	for _, y := range r.Values {
		d := c.Model.Global - y
		want += math.Max(-l.Tau*d, (1-l.Tau)*d) / float64(r.Len())
	}
	first := c.Scores.Scores()[0]
	near(t, "the "+first.Name, first.Value, want, 1e-9)

	l.Mu = 0.2
	c = fit(t, &task.Completion{Train: r, Loss: l}, task.Options{Lambda: 0.5, Run: solver.Options{Tol: 1e-12}})
	var cols []int32
	var values []float64
	for e, i := range r.Rows {
		if i == 2 {
			cols, values = append(cols, r.Cols[e]), append(values, r.Values[e])
		}
	}
	list, err := c.Model.FoldIn(cols, values, c.Model.Cols)
	if err != nil || len(list) == 0 || c.Model.Info.Loss != "quantile:0.8,0.2" {
		t.Fatalf("%v, %v of loss %s", list, err, c.Model.Info.Loss)
	}
	for _, x := range list {
		near(t, "a score", x.Score, c.Model.Score(2, x.Item), 1e-4)
	}
}

// The global centre of labels is their log odds, and that of absolute values their median.
func TestCentreOfLosses(t *testing.T) {
	r := observed(t, true, false, 1)
	var positive float64
	for _, x := range r.Values {
		if x > 0 {
			positive++
		}
	}
	c := fit(t, &task.Completion{Train: r, Loss: task.Loss{Kind: task.Logistic}, Center: dataset.GlobalMean},
		task.Options{Lambda: 1})
	near(t, "the centre", c.Model.Global, math.Log(positive/(float64(len(r.Values))-positive)), 1e-9)
	n := observed(t, false, false, 1)
	sorted := slices.Sorted(slices.Values(n.Values))
	c = fit(t, &task.Completion{Train: n, Loss: task.Loss{Kind: task.Absolute, Mu: 1e-9}, Center: dataset.GlobalMean},
		task.Options{Lambda: 1e3})
	if half := len(sorted) / 2; !(c.Model.Global >= sorted[half-1]-1e-8 && c.Model.Global <= sorted[half+1]+1e-8) {
		t.Errorf("the centre is %v, the median %v", c.Model.Global, sorted[half])
	}
	const unit = 1. / (1 << 40) // of ratings: the same centre in another unit
	for e := range n.Values {
		n.Values[e] *= unit
	}
	small := fit(t, &task.Completion{Train: n, Loss: task.Loss{Kind: task.Absolute, Mu: 1e-9 * unit}, Center: dataset.GlobalMean},
		task.Options{Lambda: 1e3})
	if small.Model.Global/unit != c.Model.Global {
		t.Errorf("the centre is %v in units of 2⁻⁴⁰, and %v in those of 1", small.Model.Global/unit, c.Model.Global)
	}
	misuse := &task.Completion{Train: r, Loss: task.Loss{Kind: task.Logistic}, Center: dataset.BothMeans}
	_, err := misuse.Fit(context.Background(), task.Options{Lambda: 1})
	if err == nil || !strings.Contains(err.Error(), `a centre "both" is of means, which the labels of the logistic loss`) {
		t.Errorf("%v", err)
	}
}

// Labels are any two, predictions the probabilities of the second, and scores those of the test labels.
func TestCompletionOfLabels(t *testing.T) {
	r := observed(t, true, false, 2)
	for e, x := range r.Values { // 0 is "yes": places, not the order of the texts
		r.Values[e] = (1 - x) / 2
	}
	r.Labels = []string{"yes", "no"}
	c := &task.Completion{Train: r, Loss: task.Loss{Kind: task.Logistic}, Split: dataset.Split{Fraction: 0.8, Seed: 1}}
	p := prepared(t, c)
	got, err := p.Fit(context.Background(), task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	test := p.Test()
	if !slices.Equal(got.Model.Info.Labels, []string{"no", "yes"}) ||
		!slices.Equal(got.Scores.Labels.Classes, []string{"no", "yes"}) {
		t.Errorf("the labels are %v", got.Model.Info.Labels)
	}
	var file bytes.Buffer
	if err := got.Model.Write(&file); err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	var logs, right float64
	for e, y := range test.Values {
		p := m.Predict(int(test.Rows[e]), int(test.Cols[e]))
		if !(p > 0 && p < 1) {
			t.Fatalf("the probability is %v", p)
		}
		if y < 0 {
			p = 1 - p
		}
		logs -= math.Log(p)
		if p > 0.5 {
			right++
		}
	}
	n := float64(test.Len())
	near(t, "the log loss", *got.Scores.Labels.LogLoss, logs/n, 1e-12)
	near(t, "the accuracy", got.Scores.Labels.Accuracy, right/n, 1e-12)
	if s := got.Scores.Scores(); s[0].Name != "log loss" || s[1].Name != "error rate" {
		t.Errorf("the scores are %v", s)
	}
	if top := m.Top(0, 3, nil); !(top[0].Score > top[1].Score && top[0].Score < 1) {
		t.Errorf("the best items have %v", top)
	}
	if got.Constant == nil || got.Constant.Class != "yes" && got.Constant.Class != "no" {
		t.Errorf("the constant is %v", got.Constant)
	}
}

// What is wrong with labels, weights and offsets is said in one line.
func TestCompletionLossMisuse(t *testing.T) {
	logistic := task.Loss{Kind: task.Logistic}
	of := func(labels, values string) *dataset.Ratings {
		var list []dataset.Rating
		for k, v := range strings.Split(values, "") {
			list = append(list, dataset.Rating{User: string(rune('a' + k)), Item: "x", Value: float64(v[0] - '0')})
		}
		r, err := dataset.FromSlice(list)
		if err != nil {
			t.Fatal(err)
		}
		if labels != "" {
			r.Labels = strings.Split(labels, "")
		}
		return r
	}
	weighed := of("", "123")
	weighed.Omega = []float64{1, 1, -2}
	nowhere := of("", "123")
	nowhere.Offset = []float64{1, math.NaN(), 0}
	for want, c := range map[string]*task.Completion{
		"all 3 labels are 1; there must be two classes": {Train: of("", "111"),
			Loss: logistic},
		"ratings: the label 3 is a third one; there are 3, such as 1, 2, 3, and not two": {Train: of("", "123"),
			Loss: logistic},
		`the label "c" does not occur in training; there are a and b`: {Train: of("ab", "010"),
			Test: of("c", "000"), Loss: logistic},
		"its ratings are labels, and the squared loss is of numbers": {Train: of("ab", "010")},
		"labels have no mean; keep the last": {Train: of("ab", "010"),
			Loss: logistic, Duplicates: dataset.MeanDuplicates},
		"Float32 keeps squares of plain ratings": {Train: of("", "123"),
			Loss: task.Loss{Kind: task.Huber}, Float32: true},
		"the absolute loss needs a width": {Train: of("", "123"),
			Loss: task.Loss{Kind: task.Absolute}},
		"ratings: loss: the weight of observation 3 is -2; it must be a finite number, 0 or more": {Train: weighed},
		"ratings: loss: the target of observation 2 is NaN; it must be a finite number":           {Train: nowhere},
	} {
		if _, err := c.Fit(context.Background(), task.Options{Lambda: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	lone := fit(t, &task.Completion{Train: of("ab", "01111"), Loss: logistic}, task.Options{Lambda: 0.1})
	if !slices.Contains(lone.Warnings, task.Warning(warning.LoneLabel{Name: "ratings", Label: "a"})) {
		t.Errorf("warnings %v do not have the label that occurs once", lone.Warnings)
	}
}
