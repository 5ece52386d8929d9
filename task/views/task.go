package views

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// A View is a set of features of the samples.
type View struct {
	Name   string          // what messages and models call it: its file, mostly
	X      *dataset.Matrix // samples × features; NaN is missing
	Radius float64         // the largest norm of a column of the view's dictionary; 0 is 1
	Loss   task.Loss       // squared, Huber or logistic; of logistic X is 0 and 1, or -1 and 1
	Weight float64         // of its loss; 0 is 1
}

// A Task is the task of this package. Fields are the configuration; only Views are needed, two or more. [Task.Fit] does all, and
// reads all fields each time; none is written. [Task.Prepare] is for those who want more than a fit of the same data.
type Task struct {
	Views     []View
	Labels    *Labels            // or nil
	Gauge     gcg.Gauge          // nil is that of two views, or the convex model of more
	Scale     Scaling            // of the features, before anything else
	Normalize task.Normalization // usually a sum over the entries
	Seed      uint64             // of what is held out
	Warm      *model.Model       // Fit starts from this model, of the same samples
}

// A Scaling is what is taken off features, and given back to predictions. Features of logistic losses, and labels, stay.
type Scaling int

const (
	Raw          Scaling = iota // nothing
	Centred                     // the mean of each feature; its median where the loss is Huber's
	Standardised                // and then its standard deviation, or the mean absolute deviation
)

// Scalings are the words of the scalings, in their order.
var Scalings = []string{"none", "center", "standardize"}

// Check is an error where s is no scaling.
func (s Scaling) Check() error { return enum.Check("task: Scale", s, "Raw", "Centred", "Standardised") }

func (s Scaling) String() string { return Scalings[s] }

// samples is the number of samples; there is a view.
func (t *Task) samples() int { return t.Views[0].X.Rows }

// check refuses views that do not go together.
func (t *Task) check() error {
	if len(t.Views) < 2 {
		return fmt.Errorf("task: %d views have nothing to share; give two or more", len(t.Views))
	}
	if t.Labels != nil && len(t.Views) > 2 {
		return fmt.Errorf("%s: labels go with two views, not with %d; give them as a view of their own", t.Labels.Name, len(t.Views))
	}
	if err := cmp.Or(t.Scale.Check(), t.Normalize.Check()); err != nil {
		return err
	}
	first := &t.Views[0]
	for i := range t.Views {
		v := &t.Views[i]
		if err := v.check(); err != nil {
			return err
		}
		if v.X.Rows != first.X.Rows {
			return fmt.Errorf("%s: has %s, and %s has %d; views are of the same samples, a row for each, in one order",
				v.Name, text.Counted(v.X.Rows, "sample"), first.Name, first.X.Rows)
		}
	}
	if t.Labels != nil {
		return t.Labels.check(t.samples())
	}
	return nil
}

// filled is the task with what is usual in place of fields that are 0. The task itself stays as it is.
func (t *Task) filled() *Task {
	q := *t
	q.Views = slices.Clone(t.Views)
	for i := range q.Views {
		v := &q.Views[i]
		v.Name = cmp.Or(v.Name, fmt.Sprint("view ", i+1))
		v.Radius, v.Weight = cmp.Or(v.Radius, 1), cmp.Or(v.Weight, 1)
		if l, err := v.Loss.Filled(task.Squared); err == nil { // else check says what is wrong
			v.Loss = l
		}
	}
	if t.Labels != nil {
		q.Labels = t.Labels.filled()
	}
	return &q
}

// check refuses what is impossible.
func (v *View) check() error {
	switch {
	case !(v.Radius > 0) || math.IsInf(v.Radius, 0):
		return fmt.Errorf("%s: its radius is %v; radii are positive numbers", v.Name, v.Radius)
	case !(v.Weight > 0) || math.IsInf(v.Weight, 0):
		return fmt.Errorf("%s: its weight is %v; weights are positive numbers", v.Name, v.Weight)
	}
	if err := v.X.CheckShape(v.Name); err != nil {
		return err
	}
	if v.X.Dense == nil {
		return fmt.Errorf("%s: is no dense matrix of samples and features", v.Name)
	}
	if err := checkLoss(v.Loss); err != nil {
		return fmt.Errorf("%s: %w", v.Name, err)
	}
	if err := v.X.CheckNumbers(v.Name, true, dataset.LargestNumber); err != nil {
		return err
	}
	return v.checkColumns()
}

// checkColumns refuses features that are missing everywhere, and numbers that a loss cannot take.
func (v *View) checkColumns() error {
	signs := v.Loss.Kind == task.Logistic
	for j := range v.X.Cols {
		seen := false
		for i := range v.X.Rows {
			x := v.X.Dense[i*v.X.Cols+j]
			if math.IsNaN(x) {
				continue
			}
			seen = true
			if signs && x != 0 && x != 1 && x != -1 {
				return fmt.Errorf("%s: is %g, and the logistic loss is of 0 and 1, or of -1 and 1", v.X.Place(v.Name, i, j), x)
			}
		}
		if !seen {
			return fmt.Errorf("%s: column %s is missing in every sample; leave it out", v.Name, v.column(j))
		}
	}
	return nil
}

// column is the name of a feature in quotes, or its number from 1.
func (v *View) column(j int) string { return dataset.FeatureName(v.X.Names, false, j) }
