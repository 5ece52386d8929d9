package views

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
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

// A Task is the task of this package. Fields are the configuration; only Views are needed, two or more. It is a
// [selection.Source], and [Task.Fit] does all.
type Task struct {
	Views     []View
	Labels    *Labels            // or nil
	Gauge     gcg.Gauge          // nil is that of two views, or the convex model of more
	Scale     Scaling            // of the features, before anything else
	Normalize task.Normalization // usually a sum over the entries
	Seed      uint64             // of what is held out
	Warm      *model.Model       // Fit starts from this model, of the same samples

	data     *stacked
	whole    *Fitting
	warnings []task.Warning
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
	first := &t.Views[0]
	for i := range t.Views {
		v := &t.Views[i]
		if err := v.check(); err != nil {
			return err
		}
		if v.X.Rows != first.X.Rows {
			return fmt.Errorf("%s: has %d samples, and %s has %d; views are of the same samples, a row for each, in one order",
				v.Name, v.X.Rows, first.Name, first.X.Rows)
		}
	}
	if t.Labels != nil {
		return t.Labels.check(t.samples())
	}
	return nil
}

// check fills in what is usual, and refuses what is impossible.
func (v *View) check() error {
	if v.Radius == 0 {
		v.Radius = 1
	}
	if v.Weight == 0 {
		v.Weight = 1
	}
	if v.Loss.Kind == task.UsualLoss {
		v.Loss.Kind = task.Squared
	}
	switch {
	case !(v.Radius > 0) || math.IsInf(v.Radius, 0):
		return fmt.Errorf("%s: its radius is %v; radii are positive numbers", v.Name, v.Radius)
	case !(v.Weight > 0) || math.IsInf(v.Weight, 0):
		return fmt.Errorf("%s: its weight is %v; weights are positive numbers", v.Name, v.Weight)
	case v.X == nil || v.X.Dense == nil || len(v.X.Dense) != v.X.Rows*v.X.Cols || len(v.X.Dense) == 0:
		return fmt.Errorf("%s: is no dense matrix of samples and features", v.Name)
	}
	if err := checkLoss(v.Loss); err != nil {
		return fmt.Errorf("%s: %w", v.Name, err)
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
			switch {
			case signs && x != 0 && x != 1 && x != -1:
				return fmt.Errorf("%s: is %g, and the logistic loss is of 0 and 1, or of -1 and 1", v.place(i, j), x)
			case math.Abs(x) > dataset.LargestNumber:
				return fmt.Errorf("%s: is %g; beyond %g the squares of numbers overflow: give it in a larger unit", v.place(i, j), x,
					dataset.LargestNumber)
			}
		}
		if !seen {
			return fmt.Errorf("%s: column %s is missing in every sample; leave it out", v.Name, v.column(j))
		}
	}
	return nil
}

// place is where entry (i, j) stands.
func (v *View) place(i, j int) string {
	if line := v.X.Line(i); line > 0 {
		return fmt.Sprintf("%s:%d: column %s", v.Name, line, v.column(j))
	}
	return fmt.Sprintf("%s: row %d, column %s", v.Name, i+1, v.column(j))
}

// column is the name of a feature in quotes, or its number from 1.
func (v *View) column(j int) string { return dataset.FeatureName(v.X.Names, false, j) }
