package task

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
)

// A Kind is what rows of features are for.
type Kind int

const (
	Classification Kind = iota // one of several classes a row
	MultiTask                  // a number, or one of two labels, by a task that each row is of
	Regression                 // numbers, one target or several, or labels of two classes
)

var kinds = []string{"classification", "multitask", "regression"}

func (k Kind) String() string { return kinds[k] }

// KindOf is the kind of a word, as a model has it; ok says whether there is one.
func KindOf(word string) (k Kind, ok bool) {
	at := slices.Index(kinds, word)
	return Kind(max(at, 0)), at >= 0
}

// A Schema is what samples of one task have in common: a model keeps it.
type Schema struct {
	Kind      Kind
	Width     int      // number of features
	Features  []string // nil where they have no names
	Occurring bool     // of a wide LIBSVM file, only the features that occur in training; Features are their numbers
	Outputs   []string // classes, tasks or targets
	LIBSVM    bool     // rows may leave out the last features
	ZeroBased bool     // they count features from 0
	ZeroOne   bool     // the signs -1 and 1 are written 0 and 1
}

// ErrClasses is in the errors of labels that are more than two where a loss takes signs.
var ErrClasses = errors.New("which this loss takes")

// Learn makes the schema of training rows, and the samples by it. Errors are of answers that do not suit the loss, or teach
// nothing. Of a wide LIBSVM file the features that never occur are left out, unless all are wanted.
func Learn(k Kind, l Loss, u *dataset.Rows, all bool) (*Schema, *Samples, error) {
	c := &Schema{Kind: k, Width: u.X.Cols, Features: u.X.Names, LIBSVM: u.LIBSVM, ZeroBased: u.ZeroBased}
	err := u.Check()
	switch {
	case err != nil:
		return nil, nil, err
	case !answered(k, u):
		return nil, nil, fmt.Errorf("%s: has no answers to learn: %s", u.Name, answersOf[k])
	}
	s := &Samples{Name: u.Name, XName: u.XName, X: u.X}
	if !all {
		s.X = c.narrowed(u)
	}
	switch k {
	case Classification:
		s.Class, c.Outputs = dataset.LabelIDs(u.Labels)
		if len(c.Outputs) < 2 {
			return nil, nil, fmt.Errorf("%s: all %d rows have the label %q; classification needs two classes at least", u.Name,
				len(u.Labels), u.Labels[0])
		}
	case MultiTask:
		s.Task, c.Outputs, s.Y = u.Task, u.Tasks, u.Targets.Dense
	default:
		if s.Y, c.Outputs, err = u.Values(); err != nil {
			return nil, nil, err
		}
	}
	if k != Classification && l.Signs() {
		if c.ZeroOne, err = signs(u, s.Y, len(s.Y)/s.Rows()); err != nil {
			return nil, nil, err
		}
	}
	return c, s, u.CheckSizes(s.Y, c.inFile)
}

// answersOf says what answers are.
var answersOf = []string{"classes are Labels", "tasks are Targets and a Task for each row", "numbers are Targets"}

// answered says that rows have answers.
func answered(k Kind, u *dataset.Rows) bool {
	switch k {
	case Classification:
		return u.Labels != nil
	case MultiTask:
		return u.Targets != nil && u.Task != nil
	}
	return u.Targets != nil || u.Labels != nil
}

// SchemaOf is the schema that a model was fitted with, and its loss. An error is for a model of another task.
func SchemaOf(m *model.Model) (*Schema, Loss, error) {
	k, ok := KindOf(m.Problem)
	l, err := ParseLoss(k, m.Info.Loss)
	if !ok || err != nil {
		return nil, Loss{}, fmt.Errorf("is a model of problem %q with loss %q, which is not known", m.Problem, m.Info.Loss)
	}
	c := &Schema{Kind: k, Width: m.Rows, Outputs: slices.Clone(m.ColIDs), LIBSVM: m.Info.LIBSVM, ZeroBased: m.Info.ZeroBased,
		ZeroOne: m.Info.ZeroOne, Occurring: m.Info.Occurring}
	for j := len(c.Outputs); j < m.Cols; j++ { // of a model that was saved without names
		c.Outputs = append(c.Outputs, strconv.Itoa(j+1))
	}
	if len(m.RowIDs) > 0 {
		c.Features = m.RowIDs
	}
	return c, l, nil
}

// Feature is the name of a feature in quotes, or its number in the file.
func (c *Schema) Feature(j int) string {
	if c.Occurring {
		return c.Features[j]
	}
	return dataset.FeatureName(c.Features, c.ZeroBased, j)
}

// inFile is the name of a feature by its place in the file.
func (c *Schema) inFile(j int) string {
	if c.Occurring {
		return dataset.FeatureName(nil, c.ZeroBased, j)
	}
	return c.Feature(j)
}

// wideFile is how many times as wide as its features that occur a file is, at least, for the others to be left out.
const wideFile = 4

// narrowed are the features of training rows. Those of a LIBSVM file that never occur are left out where they are most: W is 0
// there, whatever the width.
func (c *Schema) narrowed(u *dataset.Rows) *dataset.Matrix {
	if !u.LIBSVM || u.X.Dense != nil || u.X.Cols < wideFile {
		return u.X
	}
	columns := u.X.Occurring()
	if u.X.Cols/wideFile < len(columns) {
		return u.X
	}
	c.Occurring, c.Width, c.Features = true, len(columns), make([]string, len(columns))
	for k, j := range columns {
		c.Features[k] = dataset.FeatureName(nil, c.ZeroBased, int(j))
	}
	return u.X.WithColumns(columns)
}

// fit are the features of other rows, as many as in training.
func (c *Schema) fit(u *dataset.Rows) (*dataset.Matrix, error) {
	if !c.Occurring {
		return u.X, u.Fits(c.Width, c.Features)
	}
	if !u.LIBSVM || u.X.Dense != nil {
		return nil, fmt.Errorf("%s: the features are numbered as in a LIBSVM file; give rows in that format", u.XName)
	}
	columns := make([]int32, len(c.Features))
	for k, number := range c.Features {
		j, err := strconv.Atoi(number)
		if !c.ZeroBased {
			j--
		}
		if err != nil || j < 0 || j > math.MaxInt32 || k > 0 && int32(j) <= columns[k-1] {
			return nil, fmt.Errorf("%s: the model numbers its features %q, out of order or not at all", u.XName, number)
		}
		columns[k] = int32(j)
	}
	return u.X.WithColumns(columns), nil
}

// Signs are the two labels of -1 and 1 as the data has them.
func (c *Schema) Signs() []string {
	if c.ZeroOne {
		return []string{"0", "1"}
	}
	return []string{"-1", "1"}
}

// signs makes labels 0 and 1 to -1 and 1, and says whether it did.
func signs(u *dataset.Rows, y []float64, wide int) (zeroOne bool, err error) {
	zero, minus := slices.Contains(y, 0), slices.Contains(y, -1)
	for e, v := range y {
		if v != 1 && v != 0 && v != -1 || zero && minus {
			if zero && minus {
				v = 0
				e = slices.Index(y, 0)
			}
			return false, fmt.Errorf("%s: the label %v is not one of -1 and 1, or of 0 and 1, %w", u.AnswerAt(e/wide), v, ErrClasses)
		}
	}
	if !slices.Contains(y, 1) || !zero && !minus {
		return false, fmt.Errorf("%s: all %d labels are %v; there must be two classes", u.Name, len(y), y[0])
	}
	if zero {
		asSigns(y)
	}
	return zero, nil
}

func asSigns(y []float64) {
	for e, v := range y {
		if v == 0 {
			y[e] = -1
		}
	}
}

// Read makes other samples by the schema of training. With strict, an answer that training does not have is an error;
// else it is -1.
func (c *Schema) Read(l Loss, u *dataset.Rows, strict bool) (*Samples, error) {
	switch err := u.Check(); {
	case err != nil:
		return nil, err
	case strict && !answered(c.Kind, u), c.Kind == MultiTask && u.Task == nil:
		return nil, fmt.Errorf("%s: has no answers to measure by: %s", u.Name, answersOf[c.Kind])
	}
	if u.LIBSVM && c.ZeroBased && !u.ZeroBased {
		u.CountFrom0()
	}
	if u.ZeroBased && !c.ZeroBased {
		return nil, fmt.Errorf("%s: counts features from 0, but the training data from 1; give both alike", u.XName)
	}
	x, err := c.fit(u)
	if err != nil {
		return nil, err
	}
	s := &Samples{Name: u.Name, XName: u.XName, X: x}
	if err := c.answers(s, l, u, strict); err != nil {
		return nil, err
	}
	return s, u.CheckSizes(s.Y, c.inFile)
}

// answers takes what is known of the answers.
func (c *Schema) answers(s *Samples, l Loss, u *dataset.Rows, strict bool) (err error) {
	switch c.Kind {
	case Classification:
		if u.Labels != nil {
			s.Class, err = c.known(u, "label", u.Labels, strict)
		}
		return err
	case MultiTask:
		none := !slices.ContainsFunc(u.Tasks, func(t string) bool { return slices.Contains(c.Outputs, t) })
		tasks, err := c.known(u, "task", u.Tasks, strict || none)
		if err != nil {
			return err
		}
		s.Task = make([]int32, len(u.Task))
		for i, t := range u.Task {
			s.Task[i] = tasks[t]
		}
		if u.Targets != nil {
			s.Y = u.Targets.Dense
		}
	default:
		if u.Targets == nil && u.Labels == nil {
			return nil
		}
		if s.Y, _, err = u.Values(); err != nil {
			return err
		}
		if len(s.Y) != s.Rows()*len(c.Outputs) {
			return fmt.Errorf("%s: has %d targets a row; there are %d in training", u.Name, len(s.Y)/s.Rows(), len(c.Outputs))
		}
	}
	err = c.sameSigns(l, u, s)
	if err != nil && !strict && u.LIBSVM && u.Name == u.XName { // a label that its format makes one write
		s.Y, err = nil, nil
	}
	return err
}

// sameSigns checks the labels of a loss of signs, written as in training.
func (c *Schema) sameSigns(l Loss, u *dataset.Rows, s *Samples) error {
	if !l.Signs() {
		return nil
	}
	low := -1.0
	if c.ZeroOne {
		low = 0
	}
	for e, v := range s.Y {
		if v != 1 && v != low {
			return fmt.Errorf("%s: the label %v does not occur in training; there are %v and 1", u.AnswerAt(e*s.Rows()/len(s.Y)), v, low)
		}
	}
	if c.ZeroOne {
		asSigns(s.Y)
	}
	return nil
}

// known finds classes or tasks among those of training. Numbers that are equal are one class, as +1 and 1 are.
func (c *Schema) known(u *dataset.Rows, what string, texts []string, strict bool) ([]int32, error) {
	at := map[string]int32{}
	for i, t := range c.Outputs {
		at[t] = int32(i)
	}
	if what == "label" {
		all, names := dataset.LabelIDs(append(slices.Clone(c.Outputs), texts...))
		place := make([]int32, len(names)) // of each name among outputs, plus 1
		for i := range c.Outputs {
			place[all[i]] = int32(i) + 1
		}
		for i, t := range texts {
			if p := place[all[len(c.Outputs)+i]]; p > 0 {
				at[t] = p - 1
			}
		}
	}
	ids := make([]int32, len(texts))
	for i, t := range texts {
		id, ok := at[t]
		if !ok && strict {
			where := u.Name
			if what == "label" {
				where = u.AnswerAt(i)
			}
			shown := strings.Join(c.Outputs[:min(len(c.Outputs), 20)], ", ")
			return nil, fmt.Errorf("%s: the %s %q does not occur in training; there are %s", where, what, t, shown)
		}
		if ids[i] = id; !ok {
			ids[i] = -1
		}
	}
	return ids, nil
}
