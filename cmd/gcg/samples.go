package main

import (
	"fmt"
	"hash/crc64"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/operator"
)

// samples are rows of features with what is to be predicted for each.
type samples struct {
	name  string // of the file of answers
	xname string // and of features
	x     *dataset.Matrix
	y     []float64 // rows × targets, numbers or signs; nil for classes
	class []int32   // of each row, for classification
	task  []int32   // of each row, for multitask; -1, as of class, where training has none such
}

func (s *samples) rows() int { return s.x.Rows }

// features is X for an operator. A sparse X of which more than two thirds are stored becomes dense, which takes less memory and
// time; else nothing is copied.
func features(x *dataset.Matrix) (*operator.Features, error) {
	if x.Dense == nil && 3*float64(len(x.Values)) > 2*float64(x.Rows)*float64(x.Cols) { // an int may not hold the product
		x.Densify()
	}
	if x.Dense != nil {
		return operator.DenseFeatures(x.Rows, x.Cols, x.Dense)
	}
	return operator.SparseFeatures(x.Rows, x.Cols, x.Ptr, x.Index, x.Values)
}

// subset is some of the rows, copied.
func (s *samples) subset(rows []int32) *samples {
	t := &samples{name: s.name, xname: s.xname, x: rowsOf(s.x, rows)}
	wide := len(s.y) / s.rows()
	for _, i := range rows {
		t.y = append(t.y, s.y[int(i)*wide:(int(i)+1)*wide]...)
		if s.class != nil {
			t.class = append(t.class, s.class[i])
		}
		if s.task != nil {
			t.task = append(t.task, s.task[i])
		}
	}
	return t
}

func rowsOf(x *dataset.Matrix, rows []int32) *dataset.Matrix {
	m := &dataset.Matrix{Rows: len(rows), Cols: x.Cols, Names: x.Names}
	if x.Dense != nil {
		m.Dense = make([]float64, 0, len(rows)*x.Cols)
		for _, i := range rows {
			m.Dense = append(m.Dense, x.Dense[int(i)*x.Cols:(int(i)+1)*x.Cols]...)
		}
		return m
	}
	m.Ptr = append(m.Ptr, 0)
	for _, i := range rows {
		lo, hi := x.Ptr[i], x.Ptr[i+1]
		m.Index, m.Values = append(m.Index, x.Index[lo:hi]...), append(m.Values, x.Values[lo:hi]...)
		m.Ptr = append(m.Ptr, int64(len(m.Index)))
	}
	return m
}

// strata are the classes or the tasks of the rows, which splits and folds take the same share of; nil where there are none.
func (s *samples) strata() []int32 {
	if s.class != nil {
		return s.class
	}
	return s.task
}

// scarce is what there are too few of for so many parts, each of which takes the same share of every class or task.
func (s *samples) scarce(parts int) string {
	switch {
	case s.rows() < parts || s.strata() == nil:
		return "rows"
	case s.class != nil:
		return "rows of a class"
	}
	return "rows of a task"
}

// checksum tells data apart, whatever file it came from.
func (s *samples) checksum() string {
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	var b [8]byte
	add := func(v uint64) {
		for k := range b {
			b[k] = byte(v >> (8 * k))
		}
		sum.Write(b[:])
	}
	add(uint64(s.x.Rows))
	add(uint64(s.x.Cols))
	for _, part := range [][]float64{s.x.Dense, s.x.Values, s.y} {
		for _, v := range part {
			add(math.Float64bits(v))
		}
	}
	for _, part := range [][]int32{s.x.Index, s.class, s.task} {
		for _, v := range part {
			add(uint64(v))
		}
	}
	for _, v := range s.x.Ptr {
		add(uint64(v))
	}
	return strconv.FormatUint(sum.Sum64(), 16)
}

// zeroRows lists rows, by number from 0, that have no feature but 0.
func zeroRows(x *dataset.Matrix) (list []int) {
	for i := range x.Rows {
		var row []float64
		if x.Dense != nil {
			row = x.Dense[i*x.Cols : (i+1)*x.Cols]
		} else {
			row = x.Values[x.Ptr[i]:x.Ptr[i+1]]
		}
		if !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			list = append(list, i)
		}
	}
	return list
}

// constantColumns lists features, by number from 0, that have one value in all rows.
func constantColumns(x *dataset.Matrix) []int {
	if x.Rows < 2 {
		return nil
	}
	var list []int
	if x.Dense != nil {
		for j := range x.Cols {
			same := true
			for i := 1; i < x.Rows && same; i++ {
				same = x.Dense[i*x.Cols+j] == x.Dense[j]
			}
			if same {
				list = append(list, j)
			}
		}
		return list
	}
	count, first, varies := make([]int, x.Cols), make([]float64, x.Cols), make([]bool, x.Cols)
	for e, j := range x.Index {
		if v := x.Values[e]; v != 0 {
			if count[j] == 0 {
				first[j] = v
			}
			varies[j] = varies[j] || v != first[j]
			count[j]++
		}
	}
	for j, n := range count {
		if n == 0 || n == x.Rows && !varies[j] {
			list = append(list, j)
		}
	}
	return list
}

// farColumns lists dense features, by number from 0, whose mean is over a million times their standard deviation, which is not 0: in one pass, of
// differences to the first row.
func farColumns(x *dataset.Matrix) (list []int) {
	if x.Dense == nil {
		return nil
	}
	first, sums, squares, n := x.Dense[:x.Cols], make([]float64, x.Cols), make([]float64, x.Cols), float64(x.Rows)
	for at := 0; at < len(x.Dense); at += x.Cols {
		for j, v := range x.Dense[at : at+x.Cols] {
			d := v - first[j]
			sums[j] += d
			squares[j] += d * d
		}
	}
	for j, sum := range sums {
		mean := sum / n
		if deviation := math.Sqrt(squares[j]/n - mean*mean); deviation > 0 && math.Abs(first[j]+mean) > 1e6*deviation {
			list = append(list, j)
		}
	}
	return list
}

// A schema is what samples of one problem have in common: a model keeps it.
type schema struct {
	problem   string
	width     int      // number of features
	features  []string // nil where they have no names
	outputs   []string // classes, tasks or targets
	libsvm    bool
	zeroBased bool // LIBSVM files count features from 0
	zeroOne   bool // the signs -1 and 1 are written 0 and 1
}

// feature is the name of a feature, or its number in the file.
func (c *schema) feature(j int) string {
	if c.features != nil {
		return strconv.Quote(c.features[j])
	}
	if !c.zeroBased {
		j++
	}
	return strconv.Itoa(j)
}

// moderate checks that there are sums of squares of features and of targets, which were read as u.
func moderate(s *samples, c *schema, u *unread) error {
	values := s.x.Dense
	if values == nil {
		values = s.x.Values
	}
	if e := slices.IndexFunc(values, func(v float64) bool { return math.Abs(v) > dataset.LargestNumber }); e >= 0 {
		row, feature := e/max(1, s.x.Cols), e%max(1, s.x.Cols)
		if s.x.Dense == nil {
			row, feature = sort.Search(s.x.Rows, func(i int) bool { return s.x.Ptr[i+1] > int64(e) }), int(s.x.Index[e])
		}
		return fmt.Errorf("%s: feature %s is %g; beyond %g the squares of numbers overflow: give it in a larger unit", rowAt(s.xname, s.x, row), c.feature(feature), values[e], dataset.LargestNumber)
	}
	if e := slices.IndexFunc(s.y, func(v float64) bool { return math.Abs(v) > dataset.LargestNumber }); e >= 0 {
		return fmt.Errorf("%s: the target is %g; beyond %g the squares of numbers overflow: give it in a larger unit", u.answerAt(e/(len(s.y)/s.rows())), s.y[e], dataset.LargestNumber)
	}
	return nil
}

// fits checks that features belong to the schema; LIBSVM files that never use the last ones are padded.
func (c *schema) fits(name string, x *dataset.Matrix, libsvm bool) error {
	if libsvm && x.Cols < c.width {
		x.Cols = c.width
	}
	if x.Cols != c.width {
		where := ""
		if libsvm {
			e := slices.IndexFunc(x.Index, func(j int32) bool { return int(j) >= c.width })
			where = fmt.Sprintf(", the first of those beyond in row %d", sort.Search(x.Rows, func(i int) bool { return int(x.Ptr[i+1]) > e })+1)
		}
		return fmt.Errorf("%s: has %d features%s; there are %d in training: give the same ones", name, x.Cols, where, c.width)
	}
	if c.features != nil && x.Names != nil && !slices.Equal(c.features, x.Names) {
		for j := range c.features {
			if c.features[j] != x.Names[j] {
				return fmt.Errorf("%s: feature %d is %q; in training it is %q: give the same columns in the same order", name, j+1, x.Names[j], c.features[j])
			}
		}
	}
	return nil
}
