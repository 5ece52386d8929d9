package views

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/task"
)

// A LabelScore measures the predictions of one label, or of all classes together.
type LabelScore struct {
	Name         string   `json:"name,omitempty"`
	Accuracy     float64  `json:"accuracy"`
	MostFrequent float64  `json:"most_frequent"` // the accuracy of the most frequent truth
	AUC          *float64 `json:"auc,omitempty"` // of labels that are there or not, and of two classes
	N            int      `json:"observations"`
}

// A LabelMeasure is what predicted labels are worth on samples whose labels are known.
type LabelMeasure struct {
	LabelScore                     // of classes, or the mean over labels
	Labels     []LabelScore        `json:"labels,omitempty"` // each, where there are several
	Classes    []string            `json:"classes,omitempty"`
	Confusion  [][]int             `json:"confusion,omitempty"`     // true × predicted class, of up to metric.WidestTable
	Confused   []metric.Confused   `json:"most_confused,omitempty"` // of more classes
	EachClass  []metric.ClassScore `json:"each_class,omitempty"`
	Frequent   string              `json:"most_frequent_class,omitempty"`
	Unknown    int                 `json:"unknown"` // samples of a class that the model does not know, which count as wrong
}

// MeasureLabels sets the labels of a file beside those that codes predict: one line for each sample, as ReadLabels reads them; NA
// is left out. It refuses a model without labels, and a file of other labels or samples.
func (e *Encoder) MeasureLabels(file string, codes *dataset.Matrix) (*LabelMeasure, error) {
	if e.Labels() < 0 {
		return nil, fmt.Errorf("%s: the model has no labels to set beside it; fit with labels", file)
	}
	if e.Views()[e.Labels()].Classes {
		return e.measureClasses(file, codes)
	}
	return e.measureColumns(file, codes)
}

// scores are the predictions of the labels, less what a label is predicted from on.
func (e *Encoder) scores(codes *dataset.Matrix) *dataset.Matrix {
	p := e.Predict(e.Labels(), codes)
	if e.losses[e.Labels()].Kind == task.Logistic {
		for i := range p.Dense {
			p.Dense[i] -= 0.5
		}
	}
	return p
}

// measureClasses measures one class a sample.
func (e *Encoder) measureClasses(file string, codes *dataset.Matrix) (*LabelMeasure, error) {
	texts, err := dataset.ReadLabels(file, nil, codes.Rows)
	if err != nil {
		return nil, err
	}
	names, p := e.Views()[e.Labels()].Outputs, e.scores(codes)
	m := &LabelMeasure{Classes: names}
	classes, counts := metric.NewClasses(len(names)), map[string]int{}
	var scores []float64
	var truths []bool
	for i, text := range texts {
		if dataset.Missing(text) {
			continue
		}
		counts[text]++
		row, truth := p.Dense[i*p.Cols:(i+1)*p.Cols], slices.Index(names, text)
		if truth < 0 {
			m.Unknown++
		}
		if p.Cols > 1 || truth < 0 {
			classes.Add(truth, row)
			continue
		}
		classes.AddSign(float64(2*truth-1), row[0])
		scores, truths = append(scores, row[0]), append(truths, truth == 1)
	}
	if classes.N() == 0 {
		return nil, fmt.Errorf("%s: no label is known", file)
	}
	m.EachClass = metric.EachClass(names, classes.Table)
	if len(names) <= metric.WidestTable {
		m.Confusion = classes.Table
	} else {
		m.Confused = metric.MostConfused(names, classes.Table)
	}
	m.N, m.Accuracy, m.AUC = classes.N(), classes.Accuracy(), aucOf(scores, truths)
	for text, n := range counts {
		if n > counts[m.Frequent] || n == counts[m.Frequent] && text < m.Frequent {
			m.Frequent = text
		}
	}
	m.MostFrequent = float64(counts[m.Frequent]) / float64(m.N)
	return m, nil
}

// measureColumns measures labels that are there or not.
func (e *Encoder) measureColumns(file string, codes *dataset.Matrix) (*LabelMeasure, error) {
	x, err := dataset.ReadIncomplete(file, nil)
	if err != nil {
		return nil, err
	}
	p := e.scores(codes)
	if x.Rows != codes.Rows || x.Cols != p.Cols {
		return nil, fmt.Errorf("%s: has %d samples of %d labels; the views have %d, and the model %d", file, x.Rows, x.Cols, codes.Rows,
			p.Cols)
	}
	l, err := labelColumns(dataset.Called(file), x)
	if err != nil {
		return nil, err
	}
	m := &LabelMeasure{}
	outputs := e.Views()[e.Labels()].Outputs
	for j := range p.Cols {
		s := LabelScore{Name: outputs[j]}
		var scores []float64
		var truths []bool
		var right, yes int
		for i := range p.Rows {
			y := l.Y[i*p.Cols+j]
			if math.IsNaN(y) {
				continue
			}
			z := p.Dense[i*p.Cols+j]
			scores, truths = append(scores, z), append(truths, y > 0)
			right += count(z >= 0 == (y > 0))
			yes += count(y > 0)
		}
		if s.N = len(scores); s.N == 0 {
			continue
		}
		n := float64(s.N)
		s.Accuracy, s.MostFrequent, s.AUC = float64(right)/n, float64(max(yes, s.N-yes))/n, aucOf(scores, truths)
		m.Labels = append(m.Labels, s)
	}
	if len(m.Labels) == 0 {
		return nil, fmt.Errorf("%s: no label is known", file)
	}
	m.LabelScore = meanOf(m.Labels)
	return m, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// aucOf is the AUC, nil where there is none.
func aucOf(scores []float64, truths []bool) *float64 {
	if a := metric.AUC(scores, truths); !math.IsNaN(a) {
		return &a
	}
	return nil
}

// meanOf is the mean over labels; AUC is of those that have one.
func meanOf(all []LabelScore) (mean LabelScore) {
	var auc, having float64
	for _, s := range all {
		mean.Accuracy += s.Accuracy / float64(len(all))
		mean.MostFrequent += s.MostFrequent / float64(len(all))
		mean.N += s.N
		if s.AUC != nil {
			auc, having = auc+*s.AUC, having+1
		}
	}
	if having > 0 {
		auc /= having
		mean.AUC = &auc
	}
	return mean
}
