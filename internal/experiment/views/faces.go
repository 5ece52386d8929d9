package views

import (
	"fmt"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// The faces of [Yu17 §5.3.2] are pictures of people under two lights, in order of the lights, lightsEach of a person: those with
// others are left out. white of a view's pixels are set to 1.
const (
	lightsEach = 64
	white      = 0.1
	pixelRange = 255
)

// Faces are two lights of each person as two views, the first of them with white pixels. images are people's pictures, a row
// each, with pixels from 0 to 255, and subjects their people, in order.
func Faces(images *dataset.Matrix, subjects []string, lights [2]int, seed uint64) (*Denoising, error) {
	if images.Rows != len(subjects) {
		return nil, fmt.Errorf("experiment: %d pictures of %d people", images.Rows, len(subjects))
	}
	var rows [2][]int32
	for lo := 0; lo < len(subjects); {
		hi := lo
		for hi < len(subjects) && subjects[hi] == subjects[lo] {
			hi++
		}
		if hi-lo == lightsEach {
			for v, light := range lights {
				rows[v] = append(rows[v], int32(lo+light))
			}
		}
		lo = hi
	}
	d := &Denoising{Task: &views.Task{Seed: seed}}
	for v := range rows {
		clean := images.Subset(rows[v])
		for e := range clean.Dense {
			clean.Dense[e] /= pixelRange
		}
		noisy := clean
		if v == 0 {
			noisy = &dataset.Matrix{Rows: clean.Rows, Cols: clean.Cols, Dense: append([]float64(nil), clean.Dense...)}
			rng := rand.New(rand.NewPCG(seed, 0xface))
			for _, e := range rng.Perm(len(noisy.Dense))[:int(white*float64(len(noisy.Dense)))] {
				noisy.Dense[e] = 1
			}
		}
		d.Task.Views = append(d.Task.Views, views.View{Name: fmt.Sprintf("light %d", lights[v]), X: noisy,
			Loss: task.Loss{Kind: task.Huber, Mu: HuberWidth}})
		d.Clean = append(d.Clean, clean)
	}
	return d, nil
}

// WriteSheet draws the first view of some samples: clean, noisy, and as each run has it, one line of pictures each.
func (d *Denoising) WriteSheet(name string, o output.Images, samples int, runs ...*Run) error {
	lines := []*dataset.Matrix{d.Clean[0], d.Task.Views[0].X}
	for _, r := range runs {
		lines = append(lines, d.Views(r.Z)[0])
	}
	first := make([]int32, min(samples, d.Clean[0].Rows))
	for i := range first {
		first[i] = int32(i)
	}
	for k, x := range lines {
		lines[k] = x.Subset(first)
	}
	o.Lo, o.Hi = 0, 1
	return o.Write(name, lines...)
}
