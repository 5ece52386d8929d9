package task

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/operator"
)

// Samples are rows of features with what is to be predicted for each.
type Samples struct {
	Name, XName string          // what messages call the answers and the features: files, mostly
	X           *dataset.Matrix // of those rows that are here, where ranks share them; the answers are of all
	Y           []float64       // rows × targets, numbers or signs; nil for classes
	Timed       bool            // Y are times until an event, negative where it was not seen until then
	Missing     []bool          // which of Y are not observed, and 0; nil for none
	Filled      int             // how many features were missing, in whose place the model has others
	Weight      []float64       // of each row, what its loss is multiplied by; nil for 1
	Class       []int32         // of each row, for classification
	Task        []int32         // of each row, for multitask; -1, as of class, where training has none such

	spread   *cluster.Rows // how ranks share the rows, or nil
	checksum string        // of shared rows, once they are prepared
	stored   int           // likewise
}

// Rows is their number.
func (s *Samples) Rows() int {
	if s.spread != nil {
		return s.spread.Len()
	}
	return s.X.Rows
}

// features is X for an operator. A sparse X of which more than two thirds are stored becomes dense, which takes less memory and
// time; else nothing is copied.
func (s *Samples) features() (*operator.Features, error) {
	x := s.X
	if x.Dense == nil && 3*float64(s.Stored()) > 2*float64(s.Rows())*float64(x.Cols) { // an int may not hold the product
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

// subset is some of the rows, copied. Ranks that share the rows share them anew.
func (s *Samples) subset(rows []int32) (t *Samples, err error) {
	t = &Samples{Name: s.Name, XName: s.XName, Timed: s.Timed}
	if s.spread == nil {
		t.X = s.X.Subset(rows)
	} else {
		lo, hi := s.spread.OwnRows()
		from, _ := slices.BinarySearch(rows, int32(lo))
		to, _ := slices.BinarySearch(rows, int32(hi))
		own := slices.Clone(rows[from:to])
		for k := range own {
			own[k] -= int32(lo)
		}
		if t.X, t.spread, err = s.X.Subset(own).OverRanks(s.spread.Comm()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
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
	return t, nil
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
	if s.checksum != "" {
		return s.checksum
	}
	sum, ranks := xxhash.New(), s.spread.Comm()
	addNumbers(sum, []int64{int64(s.Rows()), int64(s.X.Cols)})
	addShared(sum, ranks, s.X.Dense)
	addShared(sum, ranks, s.X.Values)
	addNumbers(sum, s.Y)
	addNumbers(sum, s.Weight)
	addShared(sum, ranks, s.X.Index)
	addNumbers(sum, s.Class)
	addNumbers(sum, s.Task)
	addShared(sum, ranks, s.offsets())
	addNumbers(sum, s.Missing)
	return fmt.Sprintf("xxh64:%016x", sum.Sum64())
}

// checksumBlock is the number of values that are hashed at once where they are not as in memory.
const checksumBlock = 1 << 10

// addNumbers adds how many numbers there are, and their bytes, the lowest first.
func addNumbers[T float64 | int32 | int64 | bool](sum *xxhash.Digest, v []T) {
	sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(v))))
	addBytes(sum, v)
}

// addBytes adds the bytes of numbers, the lowest first.
func addBytes[T float64 | int32 | int64 | bool](sum *xxhash.Digest, v []T) {
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
	l.scale = l.train.scales(l.train.X, l.train.rowWeights(nil))
	for _, s := range []*Samples{l.train, l.test, l.valid} {
		if s != nil {
			multiply(s.X, l.scale)
		}
	}
}

// scales are those of the rows with the features x: 1/σ_j with σ_j² = Σ_i w_i (x_ij - x̄_j)²/Σ_i w_i, for weights w of rows or
// nil, 1 of constant features. No mean is taken off: sparse rows stay sparse, and an intercept has it anyway.
func (s *Samples) scales(x *dataset.Matrix, w []float64) []float64 {
	n := float64(s.Rows())
	if w != nil {
		n = 0
		for _, x := range w {
			n += x
		}
	}
	sum := func(sums []float64, f func(sums []float64, j int, v, part float64)) {
		s.sum(x, sums, func(x *dataset.Matrix, first int, sums []float64) {
			eachFeature(x, func(i, j int, v *float64) {
				switch {
				case w == nil:
					f(sums, j, *v, 1/n)
				case w[first+i] > 0:
					f(sums, j, *v, w[first+i]/n)
				}
			})
		})
	}
	mean, both := make([]float64, x.Cols), make([]float64, 2*x.Cols)
	sum(mean, func(sums []float64, j int, v, part float64) { sums[j] += part * v })
	sum(both, func(sums []float64, j int, v, part float64) {
		sums[j] += part * (v - mean[j]) * (v - mean[j])
		sums[x.Cols+j] += part
	})
	square, stored := both[:x.Cols], both[x.Cols:]
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
	x, rows := l.train.X, l.train.Rows()
	if l.deviations > 0 {
		return l.deviations
	}
	if x.Dense == nil || rows < 2 {
		return 1
	}
	n := min(rows, spreadRows)
	mean, square := make([]float64, x.Cols), make([]float64, x.Cols)
	for k, row := range l.train.evenly(n) {
		part := 1 / float64(k+1)
		for j, v := range row {
			d := v - mean[j]
			mean[j] += d * part
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
	mean, _ := l.train.means(&x, l.gaps, w)
	for _, e := range l.gaps {
		x.Dense[e] = mean[e%x.Cols]
	}
	if l.task.Standardize {
		multiply(&x, l.train.scales(&x, w))
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
