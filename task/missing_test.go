package task

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"gonum.org/v1/gonum/mat"
)

// gapped are rows of which some features are NaN, and the same filled by the means of the training rows by hand.
func gapped(n, p int) (x, filled, mean []float64, y []float64) {
	rng := rand.New(rand.NewPCG(8, 1))
	mean = make([]float64, p)
	count := make([]float64, p)
	for i := range n {
		sum := 0.0
		for j := range p {
			v := float64(j) + rng.NormFloat64()
			if sum += v; (i+j)%5 == 0 {
				v = math.NaN()
			} else {
				mean[j] += v
				count[j]++
			}
			x = append(x, v)
		}
		y = append(y, sum+0.1*rng.NormFloat64())
	}
	for j := range mean {
		mean[j] /= count[j]
	}
	filled = slices.Clone(x)
	for e, v := range x {
		if math.IsNaN(v) {
			filled[e] = mean[e%p]
		}
	}
	return x, filled, mean, y
}

func rowsOf(t *testing.T, n int, x, y []float64) *dataset.Rows {
	t.Helper()
	r, err := dataset.RowsOf(mat.NewDense(n, len(x)/n, slices.Clone(x)))
	if err == nil {
		err = r.SetTargets(y)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A fit of rows with gaps is that of rows that were filled by hand; so are the test's and the predictions, of the saved means.
func TestFillMean(t *testing.T) {
	const n, p = 40, 4
	x, filled, mean, y := gapped(n, p)
	for _, standardize := range []bool{false, true} {
		fit := func(x []float64, rule MissingRule) *LinearResult {
			l := &Linear{Kind: Regression, Train: rowsOf(t, n, x, y), Test: rowsOf(t, n, x, y), Missing: rule, Intercept: true,
				Standardize: standardize}
			r, err := l.Fit(context.Background(), Options{Lambda: 1, Run: solver.Options{Tol: 1e-10}})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		got, want := fit(x, FillMean), fit(filled, RefuseMissing)
		a, b := got.Result.State.Cert.Objective, want.Result.State.Cert.Objective
		if math.Abs(a-b) > 1e-8*b || math.Abs(got.Values.RMSE-want.Values.RMSE) > 1e-6 || want.Model.Fill != nil {
			t.Errorf("standardized %v: objective %v and RMSE %v, filled by hand %v and %v", standardize, a, got.Values.RMSE, b,
				want.Values.RMSE)
		}
		for j, v := range got.Model.Fill {
			if math.Abs(v-mean[j]) > 1e-12 {
				t.Errorf("feature %d is filled by %v, want %v", j, v, mean[j])
			}
		}
		z, err := got.Predict(mat.NewDense(n, p, x))
		if err != nil {
			t.Fatal(err)
		}
		of, err := want.Predict(mat.NewDense(n, p, filled))
		if err != nil || !mat.EqualApprox(z, of, 1e-5) {
			t.Errorf("standardized %v: predictions of gaps are not those of means, %v", standardize, err)
		}
		by, err := NewPredictor(got.Model)
		if err != nil {
			t.Fatal(err)
		}
		p, err := by.Predict(rowsOf(t, n, x, y))
		if err != nil || math.Abs(p.Value(0)-z.At(0, 0)) > 1e-12 {
			t.Errorf("prediction %v and %v, %v", p.Value(0), z.At(0, 0), err)
		}
	}
}

// A fold is filled by the means of its own training rows, whatever those that it holds out are.
func TestFoldsFillByTheirOwn(t *testing.T) {
	const n, p = 40, 4
	x, _, _, y := gapped(n, p)
	for _, standardize := range []bool{false, true} {
		of := func(x []float64) (*PreparedLinear, *mat.Dense) {
			l, err := (&Linear{Kind: Regression, Train: rowsOf(t, n, x, y), Missing: FillMean, Standardize: standardize}).Prepare()
			if err != nil {
				t.Fatal(err)
			}
			f, err := l.Fold(1, 4)
			if err != nil {
				t.Fatal(err)
			}
			z := mat.NewDense(p, n, nil) // each feature of the fold, up to the scale of the whole
			for j := range p {
				g := f.Problem.Operator.Adjoint
				for i := range n {
					r := make([]float64, n)
					r[i] = 1
					one, e := make([]float64, p), []float64{1}
					g(r).MulTo(one, e)
					z.Set(j, i, one[j]/one[0])
				}
			}
			return l, z
		}
		l, a := of(x)
		other := slices.Clone(x)
		for i, k := range l.parts {
			for j := range p {
				if k == 1 && !math.IsNaN(x[i*p+j]) {
					other[i*p+j] += 100
				}
			}
		}
		_, b := of(other)
		for i, k := range l.parts {
			for j := 1; j < p && k != 1; j++ {
				ratio := a.At(j, i) / b.At(j, i) // of two scales, the same in all rows
				first := slices.IndexFunc(l.parts, func(k int) bool { return k != 1 })
				if want := a.At(j, first) / b.At(j, first); math.Abs(ratio-want) > 1e-9*math.Abs(want) {
					t.Fatalf("standardized %v: row %d, feature %d of the fold depends on what is held out", standardize, i, j)
				}
			}
		}
	}
}

// What cannot be filled is refused, and what is missing where nothing fills it; tasks and two labels may lack answers.
func TestMissingRefused(t *testing.T) {
	nan := math.NaN()
	sparse := &dataset.Rows{Name: "s", XName: "s", X: &dataset.Matrix{Rows: 2, Cols: 1, Ptr: []int64{0, 1, 2}, Index: []int32{0, 0},
		Values: []float64{1, 2}}, Targets: &dataset.Matrix{Rows: 2, Cols: 1, Dense: []float64{1, 2}}}
	for want, l := range map[string]*Linear{
		"row 2: feature 1 is missing": {Kind: Regression, Train: rowsOf(t, 2, []float64{1, 2, nan, 4}, []float64{1, 2})},
		"feature 2 is missing in all": {Kind: Regression, Missing: FillMean, Train: rowsOf(t, 2, []float64{1, nan, 3, nan},
			[]float64{1, 2})},
		"what it leaves out is 0":        {Kind: Regression, Missing: FillMean, Train: sparse},
		"Missing is 2":                   {Kind: Regression, Missing: 2, Train: sparse},
		`values of target "y" are missi`: {Kind: Regression, Train: rowsOf(t, 2, []float64{1, 2}, []float64{nan, nan})},
	} {
		if _, err := l.Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	objective := func(l *Linear, tasks ...string) float64 {
		if tasks != nil {
			if err := l.Train.SetTasks(tasks); err != nil {
				t.Fatal(err)
			}
		}
		l.Gauge, l.Normalize = gauge.L1{}, Sum
		r, err := l.Fit(context.Background(), Options{Lambda: 0.1, Run: solver.Options{Tol: 1e-10}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Result.State.Cert.Objective
	}
	x, y := []float64{1, 2, 3, 4}, []float64{1, 2, nan, -1}
	for _, c := range []struct {
		kind         Kind
		loss         Loss
		y, left      []float64
		tasks, fewer []string
	}{
		{MultiTask, Loss{}, y, []float64{1, 2, -1}, []string{"a", "b", "a", "b"}, []string{"a", "b", "b"}},
		{Regression, Loss{Kind: Logistic}, []float64{0, 1, nan, 1}, []float64{0, 1, 1}, nil, nil},
		{MultiTask, Loss{Kind: Logistic}, []float64{0, 1, nan, 1}, []float64{0, 1, 1}, []string{"a", "b", "a", "b"},
			[]string{"a", "b", "b"}},
	} {
		got := objective(&Linear{Kind: c.kind, Loss: c.loss, Train: rowsOf(t, 4, x, c.y)}, c.tasks...)
		want := objective(&Linear{Kind: c.kind, Loss: c.loss, Train: rowsOf(t, 3, []float64{1, 2, 4}, c.left)}, c.fewer...)
		if math.Abs(got-want) > 1e-8*want {
			t.Errorf("%v: objective %v, without the row %v", c.kind, got, want)
		}
	}
}
