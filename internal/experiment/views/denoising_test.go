package views_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/baseline/bcd"
	experiment "github.com/seed-b18ef778/gcg/internal/experiment/views"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/seed-b18ef778/gcg/solver"
)

var (
	full  = flag.Bool("full", false, "the experiments at the size of the papers, and longer runs")
	sheet = flag.String("sheet", "", "draw clean, noisy and denoised faces to this file, .png or .pgm")
	limit = flag.Duration("limit", 15*time.Second, "the time of each baseline")
	tol   = flag.Float64("gap", 1e-3, "the relative gap to solve to")
)

// shared is the path of research data beside the repository; a test without it is skipped.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data is not here: %s", name)
	}
	return path
}

func solve(t *testing.T, d *experiment.Denoising, lambda, tol float64) *experiment.Run {
	t.Helper()
	r, err := d.Run(context.Background(), "ours", lambda, nil, nil, solver.Options{Tol: tol, MaxTime: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged {
		t.Errorf("λ = %g: %s at gap %.2g", lambda, r.Status, r.Last().Gap)
	}
	return r
}

// table logs what runs came to.
func table(t *testing.T, runs ...*experiment.Run) {
	t.Helper()
	var b bytes.Buffer
	experiment.WriteTable(&b, runs...)
	t.Logf("\n%s", b.String())
}

// The generated views of [Yu17 §5.3.1] are denoised where λ is large enough; at those of the paper the optimum fits the noise.
func TestSynthetic(t *testing.T) {
	g, large := synthetic.MultiView{Rows1: 160, Rows2: 200, Cols: 60, Rank: 3, Gamma: 5, NoiseFraction: 0.15, Seed: 1}, 60.0
	if *full {
		g, large = synthetic.Denoising, 150
	}
	d, err := experiment.Synthetic(g)
	if err != nil {
		t.Fatal(err)
	}
	r := solve(t, d, large, *tol)
	table(t, r)
	if noise := d.Noise(); r.Last().Error > 1e-4*noise {
		t.Errorf("noise of %.4g is brought to %.4g only", noise, r.Last().Error)
	}
	if !*full {
		return
	}
	for _, lambda := range []float64{80, 60, 40} {
		t.Logf("λ = %g", lambda)
		table(t, append([]*experiment.Run{solve(t, d, lambda, *tol)}, baselines(t, d, lambda)...)...)
	}
}

// Faces under two lights, some pixels of one white [Yu17 §5.3.2]: most of the squared error goes.
func TestFaces(t *testing.T) {
	images, err := dataset.ReadMatrix(shared(t, "yaleb/yaleb_32x32.npy"), nil)
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := dataset.ReadLabels(shared(t, "yaleb/yaleb_subject.csv"), nil, images.Rows)
	if err != nil {
		t.Fatal(err)
	}
	d, err := experiment.Faces(images, subjects, [2]int{0, 5}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Clean[0].Rows; n != 31 {
		t.Fatalf("%d people with 64 lights", n)
	}
	t.Logf("the noise is %.5g", d.Noise())
	lambdas := []float64{30}
	if *full {
		lambdas = []float64{40, 30, 20}
	}
	for _, lambda := range lambdas {
		r := solve(t, d, lambda, *tol)
		if r.Last().Error > d.Noise()/8 {
			t.Errorf("λ = %g: an error of %.4g is left of %.4g", lambda, r.Last().Error, d.Noise())
		}
		runs := []*experiment.Run{r}
		if *full {
			runs = append(runs, baselines(t, d, lambda)...)
		}
		t.Logf("λ = %g", lambda)
		table(t, runs...)
		if *sheet != "" && lambda == 30 {
			if err := d.WriteSheet(*sheet, output.Images{Height: 32, Width: 32, ByColumns: true}, 12, runs...); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// baselines are those of the papers.
func baselines(t *testing.T, d *experiment.Denoising, lambda float64) []*experiment.Run {
	var runs []*experiment.Run
	for _, size := range []int{10, 20, 40} {
		r, err := d.Run(context.Background(), fmt.Sprintf("bcd t = %d", size), lambda, &bcd.Method{Size: size}, nil,
			solver.Options{Tol: *tol, MaxTime: *limit, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

// The error of what is there is that of the noise, and 0 of the truth.
func TestSquaredError(t *testing.T) {
	d, err := experiment.Synthetic(synthetic.MultiView{Rows1: 3, Rows2: 2, Cols: 4, Rank: 1, Gamma: 5, NoiseFraction: 0.5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var clean, noisy []float64
	for k, x := range d.Clean {
		for j := range x.Cols {
			for i := range x.Rows {
				clean = append(clean, x.Dense[i*x.Cols+j])
				noisy = append(noisy, d.Task.Views[k].X.Dense[i*x.Cols+j])
			}
		}
	}
	if e := d.SquaredError(clean); e != 0 {
		t.Errorf("the truth has an error of %g", e)
	}
	if e, want := d.SquaredError(noisy), d.Noise(); math.Abs(e-want) > 1e-9*want || want == 0 {
		t.Errorf("noise of %g is measured as %g", want, e)
	}
}
