package rpca_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/solver"
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

// A choice that ctx or the time ended has not settled, and a warning says so.
func TestNoiseCutShort(t *testing.T) {
	d, _ := corrupted(60, 50, 3, 0.05, 0.1)
	tk := &rpca.Task{Rows: 60, Cols: 50, Values: d}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for how, run := range map[string]func() (*rpca.Result, error){
		"by an interrupt": func() (*rpca.Result, error) { return tk.Fit(ctx, task.Options{}) },
		"at MaxTime": func() (*rpca.Result, error) {
			return tk.Fit(context.Background(), task.Options{Run: solver.Options{MaxTime: 1}})
		},
	} {
		res, err := run()
		if res == nil || errors.Is(err, context.Canceled) != (how == "by an interrupt") || res.Noise.Settled {
			t.Errorf("%s: %+v, %v", how, res, err)
			continue
		}
		if !strings.Contains(fmt.Sprint(res.Warnings), "choosing λ ended "+how) {
			t.Errorf("%s: %v", how, res.Warnings)
		}
	}
}
