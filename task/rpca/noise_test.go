package rpca_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

// Without λ and λ₁ the noise is found, whatever the scale, and with it the rank and the outliers; where there is none, or where
// it cannot be told from L, the parts are equal to D. Pure noise has an L of rank 0.
func TestNoiseIsFound(t *testing.T) {
	for _, c := range []struct {
		m, n, rank         int
		part, noise, scale float64
	}{{100, 80, 3, 0.05, 0.1, 1}, {100, 80, 3, 0.05, 0.01, 1}, {60, 60, 10, 0.05, 0.05, 1}, {100, 80, 3, 0.05, 0.1, 1e60},
		{40, 30, 0, 0, 1, 1}, {100, 80, 3, 0.05, 0, 1}, {100, 80, 3, 0.05, 0, 1e200}, {8, 21, 1, 0.05, 0, 1e-200}} {
		d, l := corrupted(c.m, c.n, c.rank, c.part, c.noise)
		outliers := 0
		for i := range d {
			if math.Abs(d[i]-l[i]) > 0.6 && c.noise < 1 {
				outliers++
			}
			d[i] *= c.scale
		}
		tk := &rpca.Task{Name: "D", Rows: c.m, Cols: c.n, Values: d}
		res, err := tk.Fit(context.Background(), task.Options{Run: solver.Options{Tol: 1e-4}})
		if err != nil {
			t.Fatal(err)
		}
		rank, sparse, noise := res.Result.State.W.Rank(), float64(len(res.Parts.Values))/float64(len(d)), res.Noise
		if rank != c.rank || math.Abs(sparse-float64(outliers)/float64(len(d))) > 0.03 || res.Equal != (c.noise == 0) {
			t.Errorf("%+v: rank %d, %.3f sparse of %d, equal: %v", c, rank, sparse, outliers, res.Equal)
		}
		want := c.noise * c.scale
		if noise != nil && (math.Abs(noise.Sigma-want) > 0.25*want || !noise.Settled) {
			t.Errorf("%+v: noise %+v, want %v", c, *noise, want)
		}
		if noise != nil && noise.Sigma > 0 && res.L1 != 3*noise.Sigma {
			t.Errorf("%+v: λ₁ = %v of %v", c, res.L1, noise.Sigma)
		}
		if tk.Equal || tk.L1 != 0 {
			t.Errorf("%+v: the fit wrote to the task", c)
		}
	}
	d, _ := corrupted(3, 2, 1, 0, 0.3)
	res, err := (&rpca.Task{Name: "D", Rows: 3, Cols: 2, Values: d}).Fit(context.Background(), task.Options{})
	if err != nil || !res.Equal || res.Lambda != 1 || res.Parts.Residual > 1e-9 {
		t.Errorf("noise is told from L by six entries: %+v, %v", res, err)
	}
}

// A choice that ctx or the time ended has not settled, and a warning says so. Where ctx ended before a step there is nothing.
func TestNoiseCutShort(t *testing.T) {
	d, _ := corrupted(60, 50, 3, 0.05, 0.1)
	tk := &rpca.Task{Rows: 60, Cols: 50, Values: d}
	res, err := tk.Fit(context.Background(), task.Options{Run: solver.Options{MaxTime: 1}})
	if err != nil || res.Noise.Settled || !strings.Contains(fmt.Sprint(res.Warnings), "choosing λ ended at MaxTime") {
		t.Errorf("at MaxTime: %+v, %v", res, err)
	}
	for within := time.Duration(0); ; within = 2*within + 100*time.Microsecond {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		res, err := tk.Fit(ctx, task.Options{})
		cancel()
		said := ""
		if res != nil {
			said = fmt.Sprint(res.Warnings)
		}
		switch {
		case err == nil && within > 0:
			return
		case !errors.Is(err, context.DeadlineExceeded) || res != nil && within == 0:
			t.Fatalf("after %v: %v, %v", within, res, err)
		case res == nil:
		case res.Result.Status != solver.Interrupted || res.Noise.Settled && !strings.Contains(said, "interrupted at"):
			t.Errorf("after %v: %v, %+v, %v", within, res.Result.Status, res.Noise, res.Warnings)
		case !res.Noise.Settled && !strings.Contains(said, "choosing λ ended by an interrupt"):
			t.Errorf("after %v: %+v, %v", within, res.Noise, res.Warnings)
		}
	}
}

// What the noise leaves nothing to choose by is refused.
func TestNoiseReadsNoPath(t *testing.T) {
	d, _ := corrupted(20, 10, 2, 0.05, 0.1)
	for name, opt := range map[string]task.Options{"Points": {Points: 5}, "Ratio": {Ratio: 0.5}} {
		for _, tk := range []*rpca.Task{{}, {Equal: true}} {
			tk.Rows, tk.Cols, tk.Values = 20, 10, d
			_, err := tk.Fit(context.Background(), opt)
			if err == nil || !strings.Contains(err.Error(), "leave nothing to choose by Points") {
				t.Errorf("%s, Equal %v: %v", name, tk.Equal, err)
			}
		}
		opt.Run.Tol = 0.1
		tk := &rpca.Task{Rows: 20, Cols: 10, Values: d, L1: 0.3}
		if _, err := tk.Fit(context.Background(), opt); err != nil {
			t.Errorf("%s with L1: %v", name, err)
		}
	}
}

// Without noise the fit that shows that is the answer, unless another method is asked for or fewer steps.
func TestExactFitIsTheAnswer(t *testing.T) {
	d, _ := corrupted(100, 80, 3, 0.05, 0)
	fit := func(equal bool, opt task.Options) (*rpca.Result, int) {
		steps := -1
		opt.Run.Event = func(e solver.Event) {
			if e.Status == "" {
				steps++
			}
		}
		res, err := (&rpca.Task{Rows: 100, Cols: 80, Values: d, Equal: equal}).Fit(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return res, steps
	}
	want, _ := fit(true, task.Options{})
	got, steps := fit(false, task.Options{})
	a, b := want.Result, got.Result
	if steps >= 0 || a.State.Cert != b.State.Cert || a.Solution != b.Solution || a.Iter != b.Iter {
		t.Errorf("%d steps more: %+v, %+v after %d; by Equal %+v, %+v after %d", steps+1, b.State.Cert, b.Solution, b.Iter,
			a.State.Cert, a.Solution, a.Iter)
	}
	other := func(*gcg.Problem) (solver.Method, solver.Improver) { return &recovery.Splitting{LowRank: true}, nil }
	if _, steps := fit(false, task.Options{Method: other}); steps+1 != a.Iter {
		t.Errorf("another method took %d steps of %d", steps+1, a.Iter)
	}
	if res, _ := fit(false, task.Options{Run: solver.Options{MaxIter: 2}}); res.Result.Iter != 2 {
		t.Errorf("%d steps of at most 2", res.Result.Iter)
	}
}
