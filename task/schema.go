package task

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/text"
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

// Check is an error where k is no kind.
func (k Kind) Check() error {
	return enum.Check("task: Kind", k, "Classification", "MultiTask", "Regression")
}

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
	Gaps      bool     // features may be missing: they are NaN
	Two       []string // what the signs -1 and 1 stand for, of a loss that takes two labels
}

// ErrClasses is in the errors of labels that are more than two where a loss takes signs.
var ErrClasses = errors.New("which this loss takes")

// ErrOneClass is in the errors of labels that are all the same.
var ErrOneClass = errors.New("there must be two classes")

// learn makes the schema of training rows, and the samples by it. Errors are of answers that do not suit the loss, or teach
// nothing. Of a wide LIBSVM file the features that never occur are left out, unless all are wanted.
func learn(k Kind, l Loss, u *dataset.Rows, all bool) (*Schema, *Samples, error) {
	c := &Schema{Kind: k, Width: u.X.Cols, Features: u.X.Names, LIBSVM: u.LIBSVM, ZeroBased: u.ZeroBased}
	err := u.Check()
	switch {
	case err != nil:
		return nil, nil, err
	case !answered(k, u):
		return nil, nil, fmt.Errorf("%s: has no answers to learn: %s", u.Name, answersOf[k])
	}
	s := &Samples{Name: u.Name, XName: u.XName, X: u.X, Weight: u.Weights, spread: u.Spread}
	if !all {
		s.X = c.narrowed(u)
	}
	switch k {
	case Classification:
		s.Class, c.Outputs = class.IDs(u.Labels)
		if len(c.Outputs) < 2 {
			return nil, nil, fmt.Errorf("%s: all %d rows have the label %q; classification needs two classes at least", u.Name,
				len(u.Labels), u.Labels[0])
		}
	case MultiTask:
		s.Task, c.Outputs = u.Task, u.Tasks
	}
	if k != Classification {
		if err := c.learnValues(s, l, u); err != nil {
			return nil, nil, err
		}
	}
	return c, s, nil
}

// checkSizes refuses features and targets whose squares overflow, and features that are missing where none may be.
func (c *Schema) checkSizes(u *dataset.Rows, y []float64) error {
	return u.CheckSizes(y, c.Gaps, c.inFile)
}

// learnValues takes numbers, or signs of two labels.
func (c *Schema) learnValues(s *Samples, l Loss, u *dataset.Rows) (err error) {
	if !l.Signs() || u.Targets != nil {
		y, names, err := u.Values()
		if err != nil {
			return err
		}
		if s.Y = y; c.Kind == Regression {
			c.Outputs = names
		}
		if l.Kind == Cox {
			if err := s.time(u); err != nil {
				return err
			}
			c.Outputs = names[:1]
		}
		if err := c.hideMissing(s, l, u); err != nil {
			return err
		}
		if l.Signs() {
			c.Two, err = s.signsInPlace(func(e int) string { return u.AnswerAt(e / (len(y) / s.Rows())) })
		}
		return err
	}
	if c.Kind == Regression {
		c.Outputs = []string{"y"}
	}
	s.Y, c.Two, err = signsOf(u.Labels, u.AnswerAt, u.Name)
	return err
}

// hideMissing takes targets that are NaN for unobserved: they weigh nothing.
func (c *Schema) hideMissing(s *Samples, l Loss, u *dataset.Rows) error {
	wide := len(s.Y) / max(1, s.Rows())
	seen, due, missing := make([]int, len(c.Outputs)), make([]int, len(c.Outputs)), make([]bool, len(s.Y))
	gaps := false
	for e, y := range s.Y {
		t := s.part(e)
		if t >= 0 { // training has the task
			due[t]++
		}
		if missing[e] = math.IsNaN(y); missing[e] {
			gaps = true
			continue
		}
		if err := l.fits(y); err != nil {
			return fmt.Errorf("%s: %w", u.AnswerAt(e/wide), err)
		}
		if t >= 0 {
			seen[t]++
		}
	}
	if !gaps {
		return nil
	}
	for t, n := range seen {
		if n == 0 && due[t] > 0 {
			return fmt.Errorf("%s: all values of %s %q are missing; leave it out", u.Name, partsOf[c.Kind], c.Outputs[t])
		}
	}
	s.Y, s.Missing = slices.Clone(s.Y), missing
	for e := range s.Y {
		if missing[e] {
			s.Y[e] = 0
		}
	}
	return nil
}

// partsOf is what an output is called whose answers are missing.
var partsOf = []string{"class", "task", "target"}

// signsInPlace makes signs of numbers of which there are two, but for missing ones; at says where one stands.
func (s *Samples) signsInPlace(at func(e int) string) (two []string, err error) {
	var labels []string
	var places []int
	shared := map[float64]string{} // two numbers, mostly
	for e, v := range s.Y {
		if s.Missing != nil && s.Missing[e] {
			s.Y[e] = 1 // which weighs nothing
			continue
		}
		if _, ok := shared[v]; !ok {
			shared[v] = class.Label(v)
		}
		labels, places = append(labels, shared[v]), append(places, e)
	}
	signs, two, err := signsOf(labels, func(k int) string { return at(places[k]) }, s.Name)
	for k, sign := range signs {
		s.Y[places[k]] = sign
	}
	return two, err
}

// signsOf makes signs of labels of which there are two.
func signsOf(labels []string, at func(e int) string, name string) (y []float64, two []string, err error) {
	two, y, ok := class.Two(labels)
	switch {
	case ok:
		return y, two, nil
	case len(two) < 2:
		return nil, nil, fmt.Errorf("%s: all %d labels are %s; %w", name, len(labels), two[0], ErrOneClass)
	}
	third := thirdLabel(labels)
	return nil, nil, fmt.Errorf("%s: the label %s is a third one; there are %d, such as %s, and not two, %w", at(third),
		labels[third], len(two), strings.Join(two[:min(len(two), 5)], ", "), ErrClasses)
}

// thirdLabel is the first that is neither the first nor the first other one.
func thirdLabel(labels []string) int {
	var met []string
	for e, label := range labels {
		if !slices.Contains(met, label) {
			met = append(met, label)
		}
		if _, _, ok := class.Two(met); len(met) > 2 && !ok {
			return e
		}
	}
	return 0
}

// answersOf says what answers are.
var answersOf = []string{"classes are Labels", "tasks are Targets and a Task for each row", "numbers are Targets"}

// answered says that rows have answers.
func answered(k Kind, u *dataset.Rows) bool {
	switch k {
	case Classification:
		return u.Labels != nil
	case MultiTask:
		return (u.Targets != nil || u.Labels != nil) && u.Task != nil
	}
	return u.Targets != nil || u.Labels != nil
}

// schemaOf is the schema that a model was fitted with, and its loss. An error is for a model of another task.
func schemaOf(m *model.Model) (*Schema, Loss, error) {
	k, ok := KindOf(m.Problem)
	l, err := ParseLoss(k, m.Info.Loss)
	if !ok || err != nil {
		return nil, Loss{}, fmt.Errorf("is a model of problem %q with loss %q, which is not known", m.Problem, m.Info.Loss)
	}
	c := &Schema{Kind: k, Width: m.Rows, Outputs: slices.Clone(m.ColIDs), LIBSVM: m.Info.LIBSVM, ZeroBased: m.Info.ZeroBased,
		Occurring: m.Info.Occurring, Gaps: m.Fill != nil}
	if l.Signs() && k != Classification {
		c.Two = m.TwoLabels()
	}
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

// keepTwo notes two labels in a model, as earlier versions read them where these know them.
func keepTwo(info *model.Info, two []string) {
	switch {
	case slices.Equal(two, []string{"-1", "1"}):
	case slices.Equal(two, []string{"0", "1"}):
		info.ZeroOne = true
	default:
		info.Labels = two
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
	s := &Samples{Name: u.Name, XName: u.XName, X: x, Weight: u.Weights, spread: u.Spread}
	if err := c.answers(s, l, u, strict); err != nil {
		return nil, err
	}
	return s, c.checkSizes(u, s.Y)
}

// answers takes what is known of the answers.
func (c *Schema) answers(s *Samples, l Loss, u *dataset.Rows, strict bool) (err error) {
	switch c.Kind {
	case Classification:
		if u.Labels != nil {
			s.Class, err = c.known(u, "label", c.Outputs, u.Labels, strict)
		}
		return err
	case MultiTask:
		none := !slices.ContainsFunc(u.Tasks, func(t string) bool { return slices.Contains(c.Outputs, t) })
		tasks, err := c.known(u, "task", c.Outputs, u.Tasks, strict || none)
		if err != nil {
			return err
		}
		s.Task = make([]int32, len(u.Task))
		for i, t := range u.Task {
			s.Task[i] = tasks[t]
		}
	}
	err = c.otherValues(s, l, u, strict)
	if err != nil && !strict && u.LIBSVM && u.Name == u.XName { // a label that its format makes one write
		s.Y, err = nil, nil
	}
	return err
}

// otherValues takes numbers, or signs of the labels of training.
func (c *Schema) otherValues(s *Samples, l Loss, u *dataset.Rows, strict bool) (err error) {
	switch {
	case u.Targets == nil && u.Labels == nil, !strict && u.Unanswered():
		return nil
	case u.Targets == nil && l.Signs():
		ids, err := c.known(u, "label", c.Two, u.Labels, true)
		for _, id := range ids {
			s.Y = append(s.Y, float64(2*id-1))
		}
		return err
	}
	if s.Y, _, err = u.Values(); err != nil {
		return err
	}
	outputs := len(c.Outputs)
	if c.Kind == MultiTask {
		outputs = 1
	}
	if l.Kind == Cox {
		if err := s.time(u); err != nil {
			return err
		}
	}
	if len(s.Y) != s.Rows()*outputs {
		return fmt.Errorf("%s: has %s a row; there are %d in training", u.Name, text.Counted(len(s.Y)/s.Rows(), "target"), outputs)
	}
	if err := c.hideMissing(s, l, u); err != nil {
		return err
	}
	return c.sameSigns(l, u, s)
}

// sameSigns makes signs of numbers that are the labels of training.
func (c *Schema) sameSigns(l Loss, u *dataset.Rows, s *Samples) error {
	if !l.Signs() {
		return nil
	}
	for e, v := range s.Y {
		if s.Missing != nil && s.Missing[e] {
			s.Y[e] = 1 // which weighs nothing
			continue
		}
		id := slices.Index(c.Two, class.Label(v))
		if id < 0 {
			return fmt.Errorf("%s: the label %v does not occur in training; there are %s", u.AnswerAt(e*s.Rows()/len(s.Y)), v,
				strings.Join(c.Two, " and "))
		}
		s.Y[e] = float64(2*id - 1)
	}
	return nil
}

// known finds labels or tasks among the names of training. Numbers that are equal are one class, as +1 and 1 are.
func (c *Schema) known(u *dataset.Rows, what string, names, texts []string, strict bool) ([]int32, error) {
	at := map[string]int32{}
	for i, t := range names {
		at[t] = int32(i)
	}
	if what == "label" {
		all, distinct := class.IDs(append(slices.Clone(names), texts...))
		place := make([]int32, len(distinct)) // of each among the names, plus 1
		for i := range names {
			place[all[i]] = int32(i) + 1
		}
		for i, t := range texts {
			if p := place[all[len(names)+i]]; p > 0 {
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
			shown := strings.Join(names[:min(len(names), 20)], ", ")
			return nil, fmt.Errorf("%s: the %s %q does not occur in training; there are %s", where, what, t, shown)
		}
		if ids[i] = id; !ok {
			ids[i] = -1
		}
	}
	return ids, nil
}
