package views

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/task"
)

// stacked is the views, the labels below them, as one matrix of rows × samples.
type stacked struct {
	samples int
	parts   []part
	y       []float64 // rows × samples, less the centres, over the scales; 0 where it is missing
	weight  []float64 // of each entry, 0 where it is missing
	centre  []float64 // of each row, or nil
	scale   []float64 // of each row, or nil
	count   int       // entries that are not missing
}

// A part is a view or the labels: rows from … to-1.
type part struct {
	from, to int
	loss     task.Loss
	weight   float64
}

// A Prepared is a task whose views are put into one matrix. It is a [selection.Source], and serves any number of fits: it never
// changes, whatever becomes of the task that it is made of. The numbers of the views may not change meanwhile.
type Prepared struct {
	task     *Task // with all that is usual filled in
	data     *stacked
	warnings []task.Warning
}

// Prepare puts the views into one matrix, which takes as much memory as they do, twice. Errors are of views that do not go
// together, of numbers that a loss cannot take, and of fields out of range.
func (t *Task) Prepare() (*Prepared, error) {
	t = t.filled()
	if err := t.check(); err != nil {
		return nil, err
	}
	s := &stacked{samples: t.samples()}
	for i := range t.Views {
		v := &t.Views[i]
		s.stack(v.X.Dense, v.X.Cols, v.Loss, v.Weight)
	}
	if l := t.Labels; l != nil {
		s.stack(l.Y, l.Width(), l.Loss, l.Weight)
	}
	for _, w := range s.weight {
		if w > 0 {
			s.count++
		}
	}
	if t.mean() {
		for e := range s.weight {
			s.weight[e] /= float64(s.count)
		}
	}
	p := &Prepared{task: t, data: s, warnings: t.dataWarnings(s)}
	if t.Scale != Raw {
		s.standardise(len(t.Views), t.Scale == Standardised)
	}
	return p, nil
}

// Warnings are doubts about the views.
func (p *Prepared) Warnings() []task.Warning { return slices.Clone(p.warnings) }

// mean says that the loss is a mean over the entries.
func (t *Task) mean() bool { return t.Normalize == task.Mean }

// stack appends x (samples × width) as rows.
func (s *stacked) stack(x []float64, width int, l task.Loss, weight float64) {
	from := len(s.y) / s.samples
	s.parts = append(s.parts, part{from, from + width, l, weight})
	for j := range width {
		for i := range s.samples {
			y, w := x[i*width+j], weight
			if math.IsNaN(y) {
				y, w = 0, 0
			}
			if l.Kind == task.Logistic && y == 0 {
				y = -1
			}
			s.y, s.weight = append(s.y, y), append(s.weight, w)
		}
	}
}

// rows is the number of rows.
func (s *stacked) rows() int { return s.parts[len(s.parts)-1].to }

// row is the entries of a row and their weights.
func (s *stacked) row(i int) (y, weight []float64) {
	return s.y[i*s.samples : (i+1)*s.samples], s.weight[i*s.samples : (i+1)*s.samples]
}

// standardise takes the centres off the rows of the views, and divides by their scales.
func (s *stacked) standardise(views int, scaled bool) {
	s.centre = make([]float64, s.rows())
	if scaled {
		s.scale = slices.Repeat([]float64{1}, s.rows())
	}
	for _, p := range s.parts[:views] {
		for i := p.from; i < p.to && p.loss.Kind != task.Logistic; i++ {
			y, w := s.row(i)
			c := constantOf(p.loss, y, w)
			s.centre[i] = c
			if d := deviation(p.loss, y, w, c); scaled && d > 0 {
				s.scale[i] = d
			}
			for j := range y {
				if w[j] > 0 {
					y[j] -= c
					if scaled {
						y[j] /= s.scale[i]
					}
				}
			}
		}
	}
}

// constantOf is the constant that predicts entries best: their mean, their median for Huber's loss, the log odds for the logistic
// one. It is 0 where all are missing.
func constantOf(l task.Loss, y, weight []float64) float64 {
	var seen []float64
	var sum float64
	for j, v := range y {
		if weight[j] > 0 {
			seen = append(seen, v)
			sum += v
		}
	}
	n := float64(len(seen))
	switch {
	case n == 0:
		return 0
	case l.Kind == task.Huber:
		return linalg.Median(seen)
	case l.Kind == task.Logistic: // of n+1 and n-1, one more of each sort
		return math.Log((n + sum + 2) / (n - sum + 2))
	}
	return sum / n
}

// deviation is the standard deviation of entries from a constant, the mean absolute deviation for Huber's loss.
func deviation(l task.Loss, y, weight []float64, from float64) float64 {
	var squares, sizes, n float64
	for j, v := range y {
		if weight[j] > 0 {
			squares += (v - from) * (v - from)
			sizes += math.Abs(v - from)
			n++
		}
	}
	if l.Kind == task.Huber {
		return sizes / n
	}
	return math.Sqrt(squares / n)
}

// loss is Σ weight·ℓ over the entries, each part with its own.
func (s *stacked) loss(weight []float64) gcg.Loss {
	parts := make([]gcg.Loss, len(s.parts))
	for k, p := range s.parts {
		lo, hi := p.from*s.samples, p.to*s.samples
		parts[k] = lossOf(p.loss, s.y[lo:hi], weightsOrNil(weight[lo:hi]))
	}
	return loss.Stack(parts...)
}

// weightsOrNil is nil where all weights are 1.
func weightsOrNil(weight []float64) []float64 {
	for _, w := range weight {
		if w != 1 {
			return weight
		}
	}
	return nil
}
