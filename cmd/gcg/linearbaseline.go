package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/selection"
)

// A trivial is what predictions are worth that look at no features: means of the training targets, or the most frequent class.
type trivial struct {
	On        string   `json:"on"`
	Mean      *float64 `json:"mean_rmse,omitempty"`
	TaskMeans *float64 `json:"task_means_rmse,omitempty"`
	Majority  *float64 `json:"majority_accuracy,omitempty"`
	LogLoss   *float64 `json:"frequencies_log_loss,omitempty"`
	class     string   // the most frequent
}

// baselines measures constant predictions, learnt from the training rows.
func (l *linear) baselines(held *samples, on string) *trivial {
	b := &trivial{On: on}
	switch {
	case held.class != nil:
		b.ofClasses(l, held)
	case l.loss.kind.signs:
		b.ofSigns(l, held)
	default:
		rmse := func(z []float64) *float64 { x := l.measure(held, nil, z, false).(*valueResult).RMSE; return &x }
		b.Mean = rmse(l.constants(held, false))
		if held.task != nil {
			b.TaskMeans = rmse(l.constants(held, true))
		}
	}
	return b
}

// constants predicts the mean of each target, or of each task.
func (l *linear) constants(held *samples, byTask bool) []float64 {
	wide := len(l.train.y) / l.train.rows()
	parts := max(wide, len(l.schema.outputs))
	at := func(s *samples, e int) int {
		if byTask {
			return int(s.task[e])
		}
		return e % wide
	}
	sum, count := make([]float64, parts), make([]float64, parts)
	var all float64
	for e, y := range l.train.y {
		sum[at(l.train, e)] += y
		count[at(l.train, e)]++
		all += y
	}
	z := make([]float64, len(held.y))
	for e := range z {
		t := at(held, e)
		z[e] = all / float64(len(l.train.y))
		if count[t] > 0 {
			z[e] = sum[t] / count[t]
		}
	}
	return z
}

func (b *trivial) ofClasses(l *linear, held *samples) {
	k := len(l.schema.outputs)
	count := make([]float64, k)
	for _, c := range l.train.class {
		count[c]++
	}
	n := float64(l.train.rows())
	scores := make([]float64, k)
	for c := range scores {
		scores[c] = math.Log(math.Max(count[c], 1e-3) / n) // of a class that only the test has, finite
	}
	z := make([]float64, 0, held.rows()*k)
	for range held.rows() {
		z = append(z, scores...)
	}
	r := l.measure(held, nil, z, false).(*classResult)
	b.Majority, b.LogLoss, b.class = &r.Accuracy, r.LogLoss, l.schema.outputs[largest(count)]
}

func (b *trivial) ofSigns(l *linear, held *samples) {
	z := l.constants(held, false)
	for e, mean := range z { // the log-odds of the mean (1+m)/2
		p := math.Min(math.Max((1+mean)/2, 1e-9), 1-1e-9)
		z[e] = math.Log(p / (1 - p))
	}
	r := l.measure(held, nil, z, false).(*classResult)
	b.Majority, b.LogLoss = &r.Accuracy, r.LogLoss
	b.class = l.schema.signNames()[indexOfSign(z[0])]
	if len(l.train.y) > l.train.rows() {
		b.class = ""
	}
}

func (b *trivial) String() string {
	switch {
	case b.Majority != nil:
		text := fmt.Sprintf("on %s rows: the most frequent class %saccuracy %.4f", b.On, quotedAnd(b.class), *b.Majority)
		if b.LogLoss != nil {
			text += fmt.Sprintf(", class frequencies log loss %.4f", *b.LogLoss)
		}
		return text
	case b.TaskMeans != nil:
		return fmt.Sprintf("RMSE on %s rows: mean %s, means of the tasks %s", b.On, decimals(*b.Mean), decimals(*b.TaskMeans))
	}
	return fmt.Sprintf("RMSE on %s rows: mean %s", b.On, decimals(*b.Mean))
}

func quotedAnd(class string) string {
	if class == "" {
		return ""
	}
	return fmt.Sprintf("(%s) ", class)
}

// warnWorse says when the model, fitted with an intercept or not, loses to predictions that look at no features.
func (b *trivial) warnWorse(got selection.Measured, f *linearFlags) string {
	untried := []string{"--intercept"}
	if f.intercept {
		untried = nil
	}
	switch r := got.(type) {
	case *valueResult:
		if r.RMSE > *b.Mean*(1+1e-9) { // not by rounding only
			return fmt.Sprintf("the model's RMSE on the %s rows, %s, is worse than that of the mean, %s: %s", b.On, decimals(r.RMSE), decimals(*b.Mean), f.tryOr(untried))
		}
	case *classResult:
		if r.Accuracy < *b.Majority {
			return fmt.Sprintf("the model's accuracy on the %s rows, %.4f, is worse than that of the most frequent class, %.4f: %s",
				b.On, r.Accuracy, *b.Majority, f.tryOr(untried))
		}
	}
	return ""
}
