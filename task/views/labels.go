package views

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/task"
)

// Labels are a view of signs: of each sample its class, one output a class; or several labels that are there or not.
type Labels struct {
	Name    string
	Outputs []string  // the names of the outputs; of two classes in one output that of the class 1, behind that of the class -1
	Y       []float64 // samples × outputs: 1, -1, or NaN where it is not known
	Classes bool      // a sample is of one class
	ZeroOne bool      // the file has 0 and 1
	Loss    task.Loss // usually logistic
	Weight  float64   // 0 is 1
}

// Width is the number of outputs.
func (l *Labels) Width() int {
	if l.Classes && len(l.Outputs) == 2 {
		return 1
	}
	return len(l.Outputs)
}

// filled is the labels with what is usual in place of fields that are 0.
func (l *Labels) filled() *Labels {
	q := *l
	q.Name, q.Weight = cmp.Or(l.Name, "the labels"), cmp.Or(l.Weight, 1)
	if loss, err := l.Loss.Filled(task.Logistic); err == nil { // else check says what is wrong
		q.Loss = loss
	}
	return &q
}

// check refuses labels that are not one for each sample.
func (l *Labels) check(samples int) error {
	switch {
	case !(l.Weight > 0) || math.IsInf(l.Weight, 0):
		return fmt.Errorf("%s: its weight is %v; weights are positive numbers", l.Name, l.Weight)
	case len(l.Outputs) == 0 || len(l.Y) != samples*l.Width():
		return fmt.Errorf("%s: has labels for %s, and the views have %d; give one line for each sample", l.Name,
			text.Counted(len(l.Y)/max(1, l.Width()), "sample"), samples)
	}
	for j := range l.Width() {
		var signs [2]bool
		for i := range samples {
			switch y := l.Y[i*l.Width()+j]; {
			case y == 1 || y == -1:
				signs[int(y+1)/2] = true
			case !math.IsNaN(y):
				return fmt.Errorf("%s: row %d: the label %g is not 1, -1 or unknown", l.Name, i+1, y)
			}
		}
		if !signs[0] || !signs[1] {
			return fmt.Errorf("%s: label %q is the same in every sample that has one; there is nothing to learn, leave it out", l.Name,
				l.Outputs[j])
		}
	}
	return checkLoss(l.Loss)
}

// ReadLabels reads labels from a file: one column of classes, any text, where NA is not known; or several columns of 0 and 1, or
// -1 and 1, with entries that may be missing. samples is the number of lines that are due.
func ReadLabels(name string, samples int) (*Labels, error) {
	m, matrixErr := dataset.ReadIncomplete(name, nil)
	if matrixErr == nil && m.Cols > 1 {
		return labelColumns(name, m)
	}
	texts, err := dataset.ReadLabels(name, nil, samples)
	if err != nil {
		if fields, e := dataset.ReadFields(name); e == nil && len(fields) > 1 && matrixErr != nil {
			err = matrixErr
		}
		return nil, err
	}
	return LabelClasses(name, texts)
}

// LabelClasses are labels that are classes; NA and the like are not known.
func LabelClasses(name string, texts []string) (*Labels, error) {
	var known []string
	for _, s := range texts {
		if !dataset.Missing(s) {
			known = append(known, s)
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%s: no label is known", name)
	}
	ids, names := class.IDs(known)
	if len(names) < 2 {
		return nil, fmt.Errorf("%s: all labels are %q; there is nothing to learn", name, names[0])
	}
	l := &Labels{Name: name, Outputs: names, Classes: true}
	k := l.Width()
	l.Y = slices.Repeat([]float64{-1}, len(texts)*k)
	at := 0
	for i, s := range texts {
		row := l.Y[i*k : (i+1)*k]
		switch {
		case dataset.Missing(s):
			for j := range row {
				row[j] = math.NaN()
			}
			continue
		case k == 1:
			row[0] = float64(2*ids[at] - 1)
		default:
			row[ids[at]] = 1
		}
		at++
	}
	return l, nil
}

// labelColumns are labels that are there or not, one a column.
func labelColumns(name string, m *dataset.Matrix) (*Labels, error) {
	l := &Labels{Name: name, Outputs: m.Names, Y: slices.Clone(m.Dense), ZeroOne: slices.Contains(m.Dense, 0)}
	for j := len(l.Outputs); j < m.Cols; j++ {
		l.Outputs = append(l.Outputs, fmt.Sprintf("label%d", j+1))
	}
	for e, y := range l.Y {
		switch {
		case math.IsNaN(y) || y == 1:
		case y == 0 && l.ZeroOne || y == -1 && !l.ZeroOne:
			l.Y[e] = -1
		default:
			return nil, fmt.Errorf("%s: is %g; labels in several columns are 0 and 1, or -1 and 1, and classes are one column",
				m.Place(name, e/m.Cols, e%m.Cols), y)
		}
	}
	return l, nil
}
