package task

import (
	"math"

	"github.com/seed-b18ef778/gcg/metric"
)

// A Constant is what predictions are worth that look at no features: means of the training targets, or the most frequent class.
type Constant struct {
	On        string   `json:"on"` // training or test
	Mean      *float64 `json:"mean_rmse,omitempty"`
	Deviance  *float64 `json:"mean_deviance,omitempty"` // of the mean, of counts and amounts
	TaskMeans *float64 `json:"task_means_rmse,omitempty"`
	Majority  *float64 `json:"majority_accuracy,omitempty"`
	LogLoss   *float64 `json:"frequencies_log_loss,omitempty"`
	Class     string   `json:"-"` // the most frequent; "" of several targets
	// EqualRisks is the partial deviance of equal risks, of times until an event; nil where NoEvents were seen.
	EqualRisks *float64 `json:"equal_risks_deviance,omitempty"`
	NoEvents   bool     `json:"-"`
}

// constant measures constant predictions, learnt from the training samples.
func (l *PreparedLinear) constant(held *Samples) *Constant {
	b := &Constant{On: "test"}
	if held == l.train {
		b.On = "training"
	}
	m := meter{l.schema, l.task.Loss}
	switch {
	case held.Class != nil:
		b.ofClasses(l, held)
	case held.Timed:
		b.EqualRisks = m.risks(held, nil, make([]float64, held.Rows())).Deviance
		b.NoEvents = b.EqualRisks == nil
	case l.task.Loss.Signs():
		b.ofSigns(l, held)
	default:
		mean := m.values(held, nil, l.means(held, false), false)
		b.Mean, b.Deviance = &mean.RMSE, mean.Deviance
		if held.Task != nil {
			b.TaskMeans = &m.values(held, nil, l.means(held, true), false).RMSE
		}
	}
	return b
}

// means predicts the mean of each target, or of each task: as z, which has it by Loss.Mean.
func (l *PreparedLinear) means(held *Samples, byTask bool) []float64 {
	wide := len(l.train.Y) / l.train.Rows()
	parts := max(wide, len(l.schema.Outputs))
	at := func(s *Samples, e int) int {
		if byTask {
			return int(s.Task[e])
		}
		return e % wide
	}
	sum, count := make([]float64, parts), make([]float64, parts)
	var all float64
	l.train.each(nil, func(e int, y, w float64) {
		sum[at(l.train, e)] += w * y
		count[at(l.train, e)] += w
		all += w * y
	})
	z, total := make([]float64, len(held.Y)), l.train.all()
	for e := range z {
		t := at(held, e)
		z[e] = all / total
		if count[t] > 0 {
			z[e] = sum[t] / count[t]
		}
		z[e] = l.task.Loss.ofMean(z[e])
	}
	return z
}

func (b *Constant) ofClasses(l *PreparedLinear, held *Samples) {
	k := len(l.schema.Outputs)
	count := make([]float64, k)
	for i, c := range l.train.Class {
		count[c] += l.train.weight(i)
	}
	n := l.train.all()
	scores := make([]float64, k)
	for c := range scores {
		scores[c] = math.Log(math.Max(count[c], 1e-3) / n) // of a class that only the test has, finite
	}
	z := make([]float64, 0, held.Rows()*k)
	for range held.Rows() {
		z = append(z, scores...)
	}
	r := meter{l.schema, l.task.Loss}.classes(held, nil, z, false)
	b.Majority, b.LogLoss, b.Class = &r.Accuracy, r.LogLoss, l.schema.Outputs[metric.Largest(count)]
}

func (b *Constant) ofSigns(l *PreparedLinear, held *Samples) {
	z := l.means(held, false)
	for e, mean := range z { // the log-odds of the mean (1+m)/2
		p := math.Min(math.Max((1+mean)/2, 1e-9), 1-1e-9)
		z[e] = math.Log(p / (1 - p))
	}
	r := meter{l.schema, l.task.Loss}.signs(held, nil, z, false)
	b.Majority, b.LogLoss = &r.Accuracy, r.LogLoss
	if len(l.train.Y) == l.train.Rows() {
		b.Class = l.schema.Two[metric.SignClass(z[0])]
	}
}
