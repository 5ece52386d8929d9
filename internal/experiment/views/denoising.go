// Package views runs the experiments with several views: denoising of generated views and of faces [Yu17 §5.3], and views
// with labels [Zhang12 §5]. Every method has the same loop, clock and certificate. docs/multiview.md has what came out.
package views

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// HuberWidth is the width of Huber's loss in the denoising of [Yu17 §5.3].
const HuberWidth = 1e-4

// A Denoising is views with gross noise, and what they are without it.
type Denoising struct {
	Task  *multiview.Task
	Clean []*dataset.Matrix // samples × features of each view
}

// Synthetic is the problem of [Yu17 §5.3.1], of its size or another; the radii are the norms of the dictionaries' columns.
func Synthetic(g synthetic.MultiView) (*Denoising, error) {
	truth, noisy, err := g.Generate()
	if err != nil {
		return nil, err
	}
	d := &Denoising{Task: &multiview.Task{Seed: g.Seed}}
	from := 0
	for k, rows := range []int{g.Rows1, g.Rows2} {
		d.Task.Views = append(d.Task.Views, multiview.View{Name: fmt.Sprintf("view %d", k+1), X: transposed(noisy, from, rows, g.Cols),
			Radius: []float64{1, g.Gamma}[k], Loss: task.Loss{Kind: task.Huber, Mu: HuberWidth}})
		d.Clean = append(d.Clean, transposed(truth, from, rows, g.Cols))
		from += rows
	}
	return d, nil
}

// transposed is some rows of a matrix of n columns as columns.
func transposed(w []float64, from, rows, n int) *dataset.Matrix {
	x := &dataset.Matrix{Rows: n, Cols: rows, Dense: make([]float64, rows*n)}
	for j := range rows {
		for i := range n {
			x.Dense[i*rows+j] = w[(from+j)*n+i]
		}
	}
	return x
}

// SquaredError is ‖W - W₀‖² of predictions z, features × samples, view below view.
func (d *Denoising) SquaredError(z []float64) (sum float64) {
	at := 0
	for _, x := range d.Clean {
		for j := range x.Cols {
			for i := range x.Rows {
				t := z[at] - x.Dense[i*x.Cols+j]
				sum += t * t
				at++
			}
		}
	}
	return sum
}

// Noise is the squared error of the noisy views themselves.
func (d *Denoising) Noise() (sum float64) {
	for k, x := range d.Clean {
		for e, v := range d.Task.Views[k].X.Dense {
			t := v - x.Dense[e]
			sum += t * t
		}
	}
	return sum
}

// Views are predictions z as samples × features of each view.
func (d *Denoising) Views(z []float64) (views []*dataset.Matrix) {
	from := 0
	for _, x := range d.Clean {
		views = append(views, transposed(z, from, x.Cols, x.Rows))
		from += x.Cols
	}
	return views
}

// A Point is where a run is.
type Point struct {
	Time      time.Duration // without what is only measured
	Objective float64
	Gap       float64 // relative; +Inf where nothing is known
	Error     float64 // ‖W - W₀‖²
}

// A Run is one method on a problem.
type Run struct {
	Name   string
	Points []Point
	Status solver.Status
	Rank   int
	CPU    time.Duration
	Z      []float64 // features × samples
}

// Last is where the run ended.
func (r *Run) Last() Point { return r.Points[len(r.Points)-1] }

// Run solves for λ by a method, nil for solver.For's.
func (d *Denoising) Run(ctx context.Context, name string, lambda float64, m solver.Method, im solver.Improver,
	opt solver.Options) (*Run, error) {
	p, err := experiment.ProblemOf(d.Task.Prepare, gauge.Linear{Lambda: lambda})
	if err != nil {
		return nil, err
	}
	if m == nil {
		m, im, _ = solver.For(p)
	}
	run := &Run{Name: name}
	opt.Improver = im
	opt.Event = func(e solver.Event) {
		e.Uncharged(func() {
			run.Points = append(run.Points, Point{e.Elapsed, e.State.Cert.Objective, relativeGap(e.State.Cert), d.SquaredError(e.State.Z)})
		})
	}
	r, err := solver.Run(ctx, p, m, opt)
	if err != nil {
		return nil, err
	}
	run.Status, run.CPU, run.Z = r.Status, r.CPU, append(run.Z, r.State.Z...)
	run.Rank = selection.SolvedSize(p.Gauge, r.State.W).Count()
	return run, nil
}

// relativeGap is that of a certificate, +Inf before there is one.
func relativeGap(c gcg.Certificate) float64 {
	if _, relative := c.Bracket(); relative != nil {
		return *relative
	}
	return math.Inf(1)
}

// shown are the times in seconds at which a table shows a run that is still going on.
var shown = []float64{0.5, 1, 2, 5, 10, 20, 50, 100, 200}

// WriteTable writes objective and error of runs against time.
func WriteTable(w io.Writer, runs ...*Run) {
	fmt.Fprintf(w, "%-14s %8s %15s %9s %14s %5s\n", "method", "seconds", "objective", "gap", "squared error", "rank")
	for _, r := range runs {
		at, last := 0, 0
		for _, s := range shown {
			for at+1 < len(r.Points) && r.Points[at+1].Time.Seconds() <= s {
				at++
			}
			if at > last && at+1 < len(r.Points) {
				writePoint(w, r.Name, r.Points[at], "")
				last = at
			}
		}
		writePoint(w, r.Name, r.Last(), fmt.Sprint(r.Rank))
	}
}

func writePoint(w io.Writer, name string, p Point, rank string) {
	gap := "-"
	if !math.IsInf(p.Gap, 1) {
		gap = fmt.Sprintf("%.1e", p.Gap)
	}
	fmt.Fprintf(w, "%-14s %8.2f %15.8g %9s %14.6g %5s\n", name, p.Time.Seconds(), p.Objective, gap, p.Error, rank)
}
