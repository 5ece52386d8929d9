package views

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// A Labelled is two views of samples with their classes, divided into samples to learn from and others to predict.
type Labelled struct {
	Views       []multiview.View
	Train, Test []int32
	Classes     []string
}

// Divide takes some samples to learn from, at random, and as many as testing others to predict.
func (l *Labelled) Divide(training, testing int, seed uint64) {
	l.Train, l.Test = nil, nil
	for t, i := range rand.New(rand.NewPCG(seed, 0xd161)).Perm(len(l.Classes)) {
		switch {
		case t < training:
			l.Train = append(l.Train, int32(i))
		case t < training+testing:
			l.Test = append(l.Test, int32(i))
		}
	}
}

// ChooseLambda is the quotient of λ to the smallest with W = 0, of those given, whose labels predict most of a quarter of the
// training samples from the others, and so choose as the models of Stacked do.
func (l *Labelled) ChooseLambda(ctx context.Context, ratios []float64, weight float64, opt task.Options) (best float64,
	err error) {
	part := *l
	quarter := len(l.Train) / 4
	part.Test, part.Train = l.Train[:quarter], l.Train[quarter:]
	most := -1.0
	for _, ratio := range ratios {
		opt.LambdaRatio = ratio
		accuracy, _, err := part.WithLabels(ctx, weight, opt)
		if err != nil {
			return 0, err
		}
		if accuracy > most {
			best, most = ratio, accuracy
		}
	}
	return best, nil
}

func (l *Labelled) classesOf(rows []int32) []string {
	texts := make([]string, len(rows))
	for t, i := range rows {
		texts[t] = l.Classes[i]
	}
	return texts
}

// WithLabels is the accuracy of labels learnt as a view beside the others: codes of the test samples, from their views, predict
// them. weight is that of the labels' loss.
func (l *Labelled) WithLabels(ctx context.Context, weight float64, opt task.Options) (accuracy float64, r *multiview.Result,
	err error) {
	t := &multiview.Task{Scale: multiview.Standardised}
	for _, v := range l.Views {
		v.X = v.X.Subset(l.Train)
		t.Views = append(t.Views, v)
	}
	if t.Labels, err = multiview.LabelClasses("labels", l.classesOf(l.Train)); err != nil {
		return 0, nil, err
	}
	t.Labels.Weight = weight
	if r, err = t.Fit(ctx, opt); err != nil {
		return 0, nil, err
	}
	e, err := multiview.NewEncoder(r.Model)
	if err != nil {
		return 0, nil, err
	}
	var given []multiview.Given
	for k, v := range l.Views {
		given = append(given, multiview.Given{View: k, Name: v.Name, X: v.X.Subset(l.Test)})
	}
	codes, err := e.Codes(given)
	if err != nil {
		return 0, nil, err
	}
	right := 0
	for t, class := range e.Classes(codes) {
		if class == l.Classes[l.Test[t]] {
			right++
		}
	}
	return float64(right) / float64(len(l.Test)), r, nil
}

// Stacked is the accuracy of the multinomial logistic loss with the trace norm, on the features of some views side by side, λ
// chosen on a part of the training samples.
func (l *Labelled) Stacked(ctx context.Context, views ...int) (float64, error) {
	rows := func(samples []int32) (*dataset.Rows, error) {
		x := make([][]float64, len(samples))
		for _, k := range views {
			m := l.standardised(k)
			for t, i := range samples {
				x[t] = append(x[t], m.Dense[int(i)*m.Cols:(int(i)+1)*m.Cols]...)
			}
		}
		r, err := dataset.NewRows(x)
		if err == nil {
			r.Labels = l.classesOf(samples)
		}
		return r, err
	}
	train, err := rows(l.Train)
	if err != nil {
		return 0, err
	}
	test, err := rows(l.Test)
	if err != nil {
		return 0, err
	}
	t := &task.Linear{Kind: task.Classification, Train: train, Test: test, Intercept: true}
	r, err := t.Fit(ctx, task.Options{Run: solver.Options{Tol: linearTol}})
	if err != nil {
		return 0, err
	}
	return r.Classes.Accuracy, nil
}

// linearTol is the relative gap of the models that the views are compared with.
const linearTol = 1e-3

// standardised is a view less the means of the training samples, over their standard deviations.
func (l *Labelled) standardised(k int) *dataset.Matrix {
	x := l.Views[k].X
	m := &dataset.Matrix{Rows: x.Rows, Cols: x.Cols, Dense: make([]float64, len(x.Dense))}
	for j := range x.Cols {
		var sum, squares float64
		for _, i := range l.Train {
			v := x.Dense[int(i)*x.Cols+j]
			sum += v
			squares += v * v
		}
		n := float64(len(l.Train))
		mean := sum / n
		deviation := math.Sqrt(math.Max(0, squares/n-mean*mean))
		if deviation == 0 {
			deviation = 1
		}
		for e := j; e < len(x.Dense); e += x.Cols {
			m.Dense[e] = (x.Dense[e] - mean) / deviation
		}
	}
	return m
}

// labelRatios are the λ that are tried for labels as a view, over the smallest with W = 0.
var labelRatios = []float64{0.4, 0.2, 0.1, 0.05}

// WriteAccuracies writes what each way predicts right. Every λ is chosen on a part of the training samples.
func (l *Labelled) WriteAccuracies(ctx context.Context, w io.Writer, weight float64, opt task.Options) error {
	var err error
	if opt.LambdaRatio, err = l.ChooseLambda(ctx, labelRatios, weight, opt); err != nil {
		return err
	}
	accuracy, r, err := l.WithLabels(ctx, weight, opt)
	if err != nil {
		return err
	}
	c := r.Result.State.Cert
	fmt.Fprintf(w, "views with labels as a view   %.4f  (λ %.4g, gap %.1e, rank %d)\n", accuracy, r.Lambda, relativeGap(c),
		r.Model.Rank)
	all := make([]int, len(l.Views))
	for k, v := range l.Views {
		accuracy, err := l.Stacked(ctx, k)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-29s %.4f\n", v.Name+" alone", accuracy)
		all[k] = k
	}
	if accuracy, err = l.Stacked(ctx, all...); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-29s %.4f\n", "all features stacked", accuracy)
	return nil
}
