package spca_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/spca"
	"gonum.org/v1/gonum/mat"
)

// spiked is m rows of n variables: the first four share one factor, the next three another, weaker one, and means differ.
func spiked(m, n int, seed uint64) *dataset.Matrix {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := &dataset.Matrix{Rows: m, Cols: n, Dense: make([]float64, m*n)}
	for i := range m {
		one, two := 3*rng.NormFloat64(), 2*rng.NormFloat64()
		for j := range n {
			v := rng.NormFloat64()/2 + float64(j%5)
			switch {
			case j < 4:
				v += one
			case j < 7:
				v -= two
			}
			x.Dense[i*n+j] = v
		}
	}
	return x
}

// covarianceOf is XᵀX/(m-1) of the centred columns, by hand.
func covarianceOf(x *dataset.Matrix) *dataset.Matrix {
	n := x.Cols
	c := &dataset.Matrix{Rows: n, Cols: n, Dense: make([]float64, n*n)}
	mean := make([]float64, n)
	for i := range x.Rows {
		for j := range n {
			mean[j] += x.Dense[i*n+j] / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		for a := range n {
			for b := range n {
				c.Dense[a*n+b] += (x.Dense[i*n+a] - mean[a]) * (x.Dense[i*n+b] - mean[b]) / float64(x.Rows-1)
			}
		}
	}
	return c
}

func fit(t *testing.T, s *spca.Task, lambda float64) *spca.Result {
	t.Helper()
	s.Name = "X.csv"
	r, err := s.Fit(context.Background(), task.Options{Lambda: lambda})
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range r.Components {
		if x.Result.Status != solver.Converged {
			t.Errorf("component %d: %v", k+1, x.Result.Status)
		}
	}
	return r
}

// Two components have the variables of the two factors, whether λ is given, chosen, or for a number of variables.
func TestComponentsOfAKnownStructure(t *testing.T) {
	x := spiked(400, 12, 1)
	for _, s := range []struct {
		task   *spca.Task
		lambda float64
	}{{&spca.Task{Features: x, Components: 2}, 2}, {&spca.Task{Features: x, Components: 2}, 0},
		{&spca.Task{Covariance: covarianceOf(x), Components: 2}, 2}, {&spca.Task{Features: x, Components: 1, Nonzeros: 4}, 0}} {
		r := fit(t, s.task, s.lambda)
		want := [][]int{{0, 1, 2, 3}, {4, 5, 6}}
		for k, c := range r.Components {
			if !slices.Equal(c.Support, want[k]) {
				t.Errorf("λ = %v: component %d has the variables %v, want %v", c.Lambda, k+1, c.Support, want[k])
			}
			if c.Variance < c.ShrunkVariance*(1-1e-6) || c.Adjusted > c.Variance*(1+1e-9) {
				t.Errorf("variances %v shrunk, %v refitted, %v adjusted", c.ShrunkVariance, c.Variance, c.Adjusted)
			}
		}
	}
}

// Features and their covariance are the same task.
func TestFeaturesAreTheirCovariance(t *testing.T) {
	x := spiked(60, 20, 2)
	a, b := fit(t, &spca.Task{Features: x, Components: 3}, 1.5), fit(t, &spca.Task{Covariance: covarianceOf(x),
		Components: 3}, 1.5)
	for k := range a.Components {
		f, g := a.Components[k].Result.State.Cert.Objective, b.Components[k].Result.State.Cert.Objective
		if math.Abs(f-g) > 2e-3*math.Abs(f) || math.Abs(a.Total-b.Total) > 1e-9*a.Total {
			t.Errorf("component %d: %v of features, %v of their covariance", k+1, f, g)
		}
	}
}

// A sparse matrix is what it stands for.
func TestSparseFeatures(t *testing.T) {
	x := spiked(50, 15, 3)
	for i := range x.Dense {
		if i%4 != 0 {
			x.Dense[i] = 0
		}
	}
	s := &dataset.Matrix{Rows: 50, Cols: 15, Ptr: []int64{0}}
	for i := range 50 {
		for j := range 15 {
			if v := x.Dense[i*15+j]; v != 0 {
				s.Index, s.Values = append(s.Index, int32(j)), append(s.Values, v)
			}
		}
		s.Ptr = append(s.Ptr, int64(len(s.Values)))
	}
	a, b := fit(t, &spca.Task{Features: x, Components: 2, Standardize: true}, 0), fit(t, &spca.Task{Features: s, Components: 2,
		Standardize: true}, 0)
	for k := range a.Components {
		if p, q := a.Components[k], b.Components[k]; !slices.Equal(p.Support, q.Support) || math.Abs(p.Variance-q.Variance) > 1e-9 {
			t.Errorf("component %d: %v with %v, and %v with %v", k+1, p.Support, p.Variance, q.Support, q.Variance)
		}
	}
	if math.Abs(a.Total-15) > 1e-9 {
		t.Errorf("the correlations have the trace %v", a.Total)
	}
}

// Variables that the screen leaves out change nothing.
func TestScreenIsExact(t *testing.T) {
	x := spiked(80, 30, 4)
	c := covarianceOf(x)
	r := fit(t, &spca.Task{Covariance: c}, 4)
	few := r.Components[0].Screened
	if few >= 30 || few < 4 {
		t.Fatalf("%d of 30 variables are left", few)
	}
	best := math.Inf(-1)
	for i := range 30 { // any one variable, of those that are left out too
		best = math.Max(best, c.Dense[i*31]-4)
	}
	if worth := -r.Components[0].Result.State.Cert.LowerBound; worth < best {
		t.Errorf("the bound is %v, and one variable has %v", worth, best)
	}
	// among all variables no pair of one that is left out exceeds λ
	for i := range 30 {
		for j := range i {
			if math.Abs(c.Dense[i*30+j]) > 4 && (i > 6 || j > 6) {
				t.Fatalf("C(%d, %d) is %v", i, j, c.Dense[i*30+j])
			}
		}
	}
}

// The adjusted variances are those of a QR decomposition of the scores.
func TestAdjustedVariance(t *testing.T) {
	x := spiked(100, 10, 5)
	r := fit(t, &spca.Task{Features: x, Components: 3}, 0.1)
	scores := mat.NewDense(100, 3, nil)
	mean := make([]float64, 3)
	l := r.Model.Linear()
	for i := range 100 {
		row := make([]float64, 3)
		l.ScoresTo(row, nil, x.Dense[i*10:(i+1)*10])
		scores.SetRow(i, row)
		for j, v := range row {
			mean[j] += v
		}
	}
	for j, v := range mean {
		if math.Abs(v) > 1e-8 {
			t.Errorf("the scores of component %d have the sum %v", j+1, v)
		}
	}
	var qr mat.QR
	var upper mat.Dense
	qr.Factorize(scores)
	qr.RTo(&upper)
	for j, c := range r.Components {
		if want := upper.At(j, j) * upper.At(j, j) / 99; math.Abs(c.Adjusted-want) > 1e-8*want {
			t.Errorf("component %d: adjusted %v, by hand %v", j+1, c.Adjusted, want)
		}
		var alone float64
		for i := range 100 {
			alone += scores.At(i, j) * scores.At(i, j) / 99
		}
		if math.Abs(c.Variance-alone) > 1e-8*alone {
			t.Errorf("component %d: variance %v, by hand %v", j+1, c.Variance, alone)
		}
	}
}

func TestPathAndCrossValidation(t *testing.T) {
	x := spiked(120, 12, 6)
	s := &spca.Task{Features: x, Components: 2, Name: "X.csv"}
	p, err := s.Prepare(task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path, err := p.Path(context.Background(), spca.Grid{Points: 8}, nil)
	if err != nil || len(path) != 8 {
		t.Fatal(err, len(path))
	}
	for i := 1; i < 8; i++ {
		if path[i].Lambda >= path[i-1].Lambda || path[i].Explained > 1+1e-9 {
			t.Errorf("point %d: λ %v explains %v", i, path[i].Lambda, path[i].Explained)
		}
	}
	cv, err := p.CrossValidate(context.Background(), spca.Grid{Points: 8}, 4, nil)
	if err != nil || len(cv) != 8 {
		t.Fatal(err, len(cv))
	}
	best, sparse := spca.Best(cv), spca.Sparsest(cv)
	if cv[best].Explained < 0.8 || cv[best].StdErr <= 0 || sparse > best {
		t.Errorf("the best of %+v", cv[best])
	}
	if got := cv[sparse].Components[0].Support; !slices.Equal(got[:4], []int{0, 1, 2, 3}) {
		t.Errorf("the sparsest within one standard error has %v", got)
	}
}

func TestRefused(t *testing.T) {
	c := func(n int, x ...float64) *dataset.Matrix { return &dataset.Matrix{Rows: n, Cols: len(x) / n, Dense: x} }
	for _, x := range []struct {
		task   spca.Task
		lambda float64
		want   string
	}{
		{spca.Task{}, 0, "either a covariance or features"},
		{spca.Task{Covariance: c(2, 1, 0.5, 0.4, 1)}, 0, "not symmetric: entry (2, 1) is 0.4 and (1, 2) is 0.5"},
		{spca.Task{Covariance: c(2, 1, 2, 2, 1)}, 0, "the eigenvalue -1"},
		{spca.Task{Covariance: c(2, -1, 0, 0, 1)}, 0, "variance of variable 1 is -1"},
		{spca.Task{Covariance: c(2, 1, 0, 0, 1, 0, 0)}, 0, "square"},
		{spca.Task{Covariance: c(2, 1, 0, 0, 1), Nonzeros: 3}, 0, "has 2 variables, and 3"},
		{spca.Task{Covariance: c(2, 1, 0, 0, 1), Components: 3}, 0, "cannot have 3 components"},
		{spca.Task{Covariance: c(2, 1, 0, 0, 1)}, -1, "not negative"},
		{spca.Task{Covariance: c(2, 1, 0, 0, 1), Nonzeros: 1}, 1, "exclude"},
		{spca.Task{Covariance: c(2, 0, 0, 0, 0)}, 1, "no variable varies"},
		{spca.Task{Features: c(3, 1, 2, 1, 3, 1, 4), Standardize: true}, 0, "column 1 is constant"},
		{spca.Task{Features: c(1, 1, 2)}, 0, "two rows"},
		{spca.Task{Features: c(2, 1, 2)}, math.Inf(1), "are finite numbers"},
	} {
		x.task.Name = "C.csv"
		if _, err := x.task.Fit(context.Background(), task.Options{Lambda: x.lambda}); err == nil ||
			!strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
}

// Options that a component does not read are refused, each by its name.
func TestOptionsRefused(t *testing.T) {
	for want, opt := range map[string]task.Options{
		"Points": {Points: 8}, "Ratio": {Ratio: 0.1}, "Rule": {Rule: selection.OneStd}, "CrossValidate": {Folds: 3},
	} {
		if _, err := (&spca.Task{Features: spiked(50, 8, 7)}).Fit(context.Background(), opt); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A λ that leaves one variable is said to.
func TestOneVariable(t *testing.T) {
	r := fit(t, &spca.Task{Features: spiked(50, 8, 7)}, 1000)
	if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].String(), "alone") || len(r.Components[0].Support) != 1 {
		t.Errorf("%v, and the variables %v", r.Warnings, r.Components[0].Support)
	}
}

// Every number of variables is found where the data is generic, or a warning says that it was not.
func TestNumberOfVariables(t *testing.T) {
	x := spiked(100, 15, 8)
	for k := 1; k <= 15; k++ {
		r := fit(t, &spca.Task{Features: x, Nonzeros: k}, 0)
		if got := len(r.Components[0].Support); got != k && len(r.Warnings) == 0 || got > k {
			t.Errorf("%d variables where %d are asked for, and %v", got, k, r.Warnings)
		}
	}
}
