package task

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/operator"
)

// Samples are rows of features with what is to be predicted for each.
type Samples struct {
	Name, XName string // what messages call the answers and the features: files, mostly
	X           *dataset.Matrix
	Y           []float64 // rows × targets, numbers or signs; nil for classes
	Timed       bool      // Y are times until an event, negative where it was not seen until then
	Missing     []bool    // which of Y are not observed, and 0; nil for none
	Filled      int       // how many features were missing, in whose place the model has others
	Weight      []float64 // of each row, what its loss is multiplied by; nil for 1
	Class       []int32   // of each row, for classification
	Task        []int32   // of each row, for multitask; -1, as of class, where training has none such
}

// Rows is their number.
func (s *Samples) Rows() int { return s.X.Rows }

// features is X for an operator. A sparse X of which more than two thirds are stored becomes dense, which takes less memory and
// time; else nothing is copied.
func features(x *dataset.Matrix) (*operator.Features, error) {
	if x.Dense == nil && 3*float64(len(x.Values)) > 2*float64(x.Rows)*float64(x.Cols) { // an int may not hold the product
		if err := x.Densify("the features"); err != nil {
			return nil, err
		}
	}
	if x.Dense != nil {
		return operator.DenseFeatures(x.Rows, x.Cols, x.Dense)
	}
	return operator.SparseFeatures(x.Rows, x.Cols, x.Ptr, x.Index, x.Values)
}

// Unobserved is the number of targets that are missing.
func (s *Samples) Unobserved() (n int) {
	for _, missing := range s.Missing {
		if missing {
			n++
		}
	}
	return n
}

// weights are those of the observations, with 0 for what is not observed or left out; nil where all count 1. A mean divides by
// all of them, so that others count more.
func (s *Samples) weights(out []bool, mean bool) (omega []float64) {
	if s.Missing == nil && s.Weight == nil && out == nil {
		return nil
	}
	omega = make([]float64, max(len(s.Y), len(s.Class)))
	total := 0.0
	for e := range omega {
		if out == nil || !out[e] {
			omega[e] = s.weight(e)
			total += omega[e]
		}
	}
	if mean && total > 0 {
		kernel.Scale(float64(len(omega))/total, omega)
	}
	return omega
}

// weight is that of an observation, 0 of what is not observed.
func (s *Samples) weight(e int) float64 {
	switch {
	case s.Missing != nil && s.Missing[e]:
		return 0
	case s.Weight == nil:
		return 1
	case s.Class != nil:
		return s.Weight[e]
	}
	return s.Weight[e/(len(s.Y)/s.Rows())]
}

// all is the weight of all observations.
func (s *Samples) all() (total float64) {
	for e := range max(len(s.Y), len(s.Class)) {
		total += s.weight(e)
	}
	return total
}

// rowWeights are those of rows, 0 of those that are left out; nil where all count 1.
func (s *Samples) rowWeights(out []bool) []float64 {
	if s.Weight == nil && out == nil {
		return nil
	}
	w := make([]float64, s.Rows())
	for i := range w {
		if out == nil || !out[i] {
			w[i] = 1
			if s.Weight != nil {
				w[i] = s.Weight[i]
			}
		}
	}
	return w
}

// subset is some of the rows, copied.
func (s *Samples) subset(rows []int32) *Samples {
	t := &Samples{Name: s.Name, XName: s.XName, X: s.X.Subset(rows), Timed: s.Timed}
	wide := len(s.Y) / s.Rows()
	for _, i := range rows {
		t.Y = append(t.Y, s.Y[int(i)*wide:(int(i)+1)*wide]...)
		if s.Missing != nil {
			t.Missing = append(t.Missing, s.Missing[int(i)*wide:(int(i)+1)*wide]...)
		}
		if s.Weight != nil {
			t.Weight = append(t.Weight, s.Weight[i])
		}
		if s.Class != nil {
			t.Class = append(t.Class, s.Class[i])
		}
		if s.Task != nil {
			t.Task = append(t.Task, s.Task[i])
		}
	}
	return t
}

// strata are the classes or the tasks of the rows, or whether their events were seen, which splits and folds take the same share
// of; nil where there are none.
func (s *Samples) strata() []int32 {
	if s.Timed {
		return s.seen()
	}
	if s.Class != nil {
		return s.Class
	}
	return s.Task
}

// scarce is what there are too few of for so many parts, each of which takes the same share of every class or task.
func (s *Samples) scarce(parts int) string {
	switch {
	case s.Rows() < parts || s.strata() == nil:
		return "rows"
	case s.Class != nil:
		return "rows of a class"
	case s.Timed:
		return "events"
	}
	return "rows of a task"
}

// Checksum tells data apart, whatever file it came from.
func (s *Samples) Checksum() string {
	sum := xxhash.New()
	addNumbers(sum, []int64{int64(s.X.Rows), int64(s.X.Cols)})
	for _, part := range [][]float64{s.X.Dense, s.X.Values, s.Y, s.Weight} {
		addNumbers(sum, part)
	}
	for _, part := range [][]int32{s.X.Index, s.Class, s.Task} {
		addNumbers(sum, part)
	}
	addNumbers(sum, s.X.Ptr)
	addNumbers(sum, s.Missing)
	return fmt.Sprintf("xxh64:%016x", sum.Sum64())
}

// checksumBlock is the number of values that are hashed at once where they are not as in memory.
const checksumBlock = 1 << 10

// addNumbers adds how many numbers there are, and their bytes, the lowest first.
func addNumbers[T float64 | int32 | int64 | bool](sum *xxhash.Digest, v []T) {
	sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(v))))
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		sum.Write(memory.Bytes(v))
		return
	}
	var block []byte
	for part := range slices.Chunk(v, checksumBlock) {
		block, _ = binary.Append(block[:0], binary.LittleEndian, part) // the types have a size
		sum.Write(block)
	}
}

// standardize multiplies features by 1/σ_j of the training rows.
func (l *PreparedLinear) standardize() {
	l.scale = scales(l.train.X, l.train.rowWeights(nil))
	for _, s := range []*Samples{l.train, l.test, l.valid} {
		if s != nil {
			multiply(s.X, l.scale)
		}
	}
}

// scales are 1/σ_j with σ_j² = Σ_i w_i (x_ij - x̄_j)²/Σ_i w_i, for weights w of the rows or nil, 1 of constant features. No mean
// is taken off: sparse rows stay sparse, and an intercept has it anyway.
func scales(x *dataset.Matrix, w []float64) []float64 {
	n := float64(x.Rows)
	if w != nil {
		n = 0
		for _, x := range w {
			n += x
		}
	}
	each := func(f func(j int, v, part float64)) {
		eachFeature(x, func(i, j int, v *float64) {
			switch {
			case w == nil:
				f(j, *v, 1/n)
			case w[i] > 0:
				f(j, *v, w[i]/n)
			}
		})
	}
	mean, square, stored := make([]float64, x.Cols), make([]float64, x.Cols), make([]float64, x.Cols)
	each(func(j int, v, part float64) { mean[j] += part * v })
	each(func(j int, v, part float64) {
		square[j] += part * (v - mean[j]) * (v - mean[j])
		stored[j] += part
	})
	scale := make([]float64, x.Cols)
	for j := range scale {
		scale[j] = 1
		if v := square[j] + mean[j]*mean[j]*math.Max(0, 1-stored[j]); v > constantFeature*mean[j]*mean[j] {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	return scale
}

// multiply multiplies each feature by its scale.
func multiply(x *dataset.Matrix, scale []float64) {
	eachFeature(x, func(_, j int, v *float64) { *v *= scale[j] })
}

// Standardized says that features are divided by their standard deviations.
func (l *PreparedLinear) Standardized() bool { return l.task.Standardize }

// mostSpread is how many times as large as the smallest one the largest standard deviation may be for features to be left as they
// are by AutoStandardize; spreadRows are those that it is measured on, at most.
const (
	mostSpread = 30
	spreadRows = 200
)

// Uneven says that standard deviations of dense features differ so much that AutoStandardize would divide by them.
func (l *PreparedLinear) Uneven() bool { return !l.Standardized() && l.Spread() > mostSpread }

// Spread is the largest standard deviation of features over the smallest one that is not 0, by some of the training rows, evenly
// spread; 1 where features are sparse.
func (l *PreparedLinear) Spread() float64 {
	x := l.train.X
	if x.Dense == nil || x.Rows < 2 {
		return 1
	}
	n := min(x.Rows, spreadRows)
	mean, square := make([]float64, x.Cols), make([]float64, x.Cols)
	for k := range n {
		i := k * x.Rows / n
		for j, v := range x.Dense[i*x.Cols : (i+1)*x.Cols] {
			d := v - mean[j]
			mean[j] += d / float64(k+1)
			square[j] += d * (v - mean[j])
		}
	}
	least, most := math.Inf(1), 0.0
	for j, s := range square {
		if v := s / float64(n); v > constantFeature*mean[j]*mean[j] {
			least, most = math.Min(least, v), math.Max(most, v)
		}
	}
	if most == 0 {
		return 1
	}
	return math.Sqrt(most / least)
}

// preparedWithout is A on the training features by the means and the scales of the rows that are not left out.
func (l *PreparedLinear) preparedWithout(out []bool) (gcg.Operator, error) {
	x, w := *l.train.X, l.train.rowWeights(out)
	x.Dense, x.Values = slices.Clone(x.Dense), slices.Clone(x.Values)
	mean, _ := means(&x, l.gaps, w)
	for _, e := range l.gaps {
		x.Dense[e] = mean[e%x.Cols]
	}
	if l.task.Standardize {
		multiply(&x, scales(&x, w))
	}
	s := *l.train
	s.X = &x
	return l.operatorOf(&s)
}

// constantFeature is the variance over the square of the mean below which a feature is constant but for the rounding of its mean.
const constantFeature = 1e-24

// eachFeature calls f for all features that are stored, with the row and the number of each.
func eachFeature(x *dataset.Matrix, f func(i, j int, v *float64)) {
	for e := range x.Dense {
		f(e/x.Cols, e%x.Cols, &x.Dense[e])
	}
	if x.Dense != nil {
		return
	}
	for i := range x.Rows {
		for e := x.Ptr[i]; e < x.Ptr[i+1]; e++ {
			f(i, int(x.Index[e]), &x.Values[e])
		}
	}
}
