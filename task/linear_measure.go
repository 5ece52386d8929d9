package task

import (
	"math"

	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
)

// ValueScores are what predictions of numbers are worth.
type ValueScores struct {
	RMSE float64  `json:"rmse"`
	MAE  float64  `json:"mae"`
	R2   *float64 `json:"r2,omitempty"` // 1 - RMSE²/variance around each target's mean; nil where all targets are equal
	// of counts and amounts: the mean deviance, and 1 less the part of it that is left of that of each target's mean
	Deviance *float64    `json:"deviance,omitempty"`
	D2       *float64    `json:"d2,omitempty"`
	Pinball  *float64    `json:"pinball,omitempty"` // of a quantile: the loss without smoothing
	N        int         `json:"observations"`
	Tasks    []PartScore `json:"tasks,omitempty"`
	Outputs  []PartScore `json:"outputs,omitempty"`
}

// A PartScore is that of one task or one of several targets.
type PartScore struct {
	Name     string   `json:"name"`
	RMSE     *float64 `json:"rmse,omitempty"`
	Accuracy *float64 `json:"accuracy,omitempty"`
	N        int      `json:"observations"`
}

// Extremes are the best and the worst of several tasks or targets.
func Extremes(parts []PartScore) (best, worst PartScore) {
	errorOf := func(p PartScore) float64 {
		if p.RMSE != nil {
			return *p.RMSE
		}
		return -*p.Accuracy
	}
	best, worst = parts[0], parts[0]
	for _, p := range parts {
		if errorOf(p) < errorOf(best) {
			best = p
		}
		if errorOf(p) > errorOf(worst) {
			worst = p
		}
	}
	return best, worst
}

// Scores are the RMSE and the MAE; of a quantile the pinball loss comes first, of counts and amounts the deviance.
func (r *ValueScores) Scores() (s selection.Scores) {
	if r.Deviance != nil {
		s = append(s, selection.Score{Name: "deviance", Value: *r.Deviance})
	}
	if r.Pinball != nil {
		s = append(s, selection.Score{Name: "pinball loss", Value: *r.Pinball})
	}
	return append(s, selection.Score{Name: "RMSE", Value: r.RMSE}, selection.Score{Name: "MAE", Value: r.MAE})
}

// ClassScores are what predicted classes, or two labels, are worth.
type ClassScores struct {
	Accuracy float64  `json:"accuracy"`
	LogLoss  *float64 `json:"log_loss,omitempty"` // nil where there are no probabilities
	// of the probabilities of two classes: the mean of (p - y)², and of what they are off by in ten bins
	Brier            *float64 `json:"brier,omitempty"`
	CalibrationError *float64 `json:"calibration_error,omitempty"`
	N                int      `json:"observations"`
	Classes          []string `json:"classes,omitempty"`
	Confusion        [][]int  `json:"confusion,omitempty"` // true class × predicted class
	// instead of Confusion, where Brief left that out
	MostConfused []metric.Confused `json:"most_confused,omitempty"`
	// of each class, as metric.EachClass has them
	EachClass []metric.ClassScore `json:"each_class,omitempty"`
	Tasks     []PartScore         `json:"tasks,omitempty"`
	Outputs   []PartScore         `json:"outputs,omitempty"`
}

// Brief is r, with the most frequent confusions in the place of a table of more than metric.WidestTable classes.
func (r *ClassScores) Brief() *ClassScores {
	if len(r.Confusion) <= metric.WidestTable {
		return r
	}
	brief := *r
	brief.Confusion, brief.MostConfused = nil, metric.MostConfused(r.Classes, r.Confusion)
	return &brief
}

// Scores are the log loss, where there are probabilities, and the error rate.
func (r *ClassScores) Scores() (s selection.Scores) {
	if r.LogLoss != nil {
		s = append(s, selection.Score{Name: "log loss", Value: *r.LogLoss})
	}
	return append(s, selection.Score{Name: "error rate", Value: 1 - r.Accuracy})
}

// A meter knows what predictions of a schema mean.
type meter struct {
	schema *Schema
	loss   Loss
}

// measure compares predictions z with samples, all of them or only some observations; detail is for each class, task and
// target.
func (m meter) measure(s *Samples, only []bool, z []float64, detail bool) selection.Measured {
	switch {
	case s.Class != nil:
		return m.classes(s, only, z, detail)
	case s.Timed:
		return m.risks(s, only, z)
	case m.loss.Signs():
		return m.signs(s, only, z, detail)
	}
	return m.values(s, only, z, detail)
}

// part is the task or the target of an observation.
func (s *Samples) part(e int) int {
	if s.Task != nil {
		return int(s.Task[e])
	}
	return e % (len(s.Y) / s.Rows())
}

// each calls f for the observations that are measured, with their weights.
func (s *Samples) each(only []bool, f func(e int, y, w float64)) {
	for e, y := range s.Y {
		if (only == nil || only[e]) && (s.Missing == nil || !s.Missing[e]) {
			f(e, y, s.weight(e))
		}
	}
}

func (m meter) values(s *Samples, only []bool, z []float64, detail bool) *ValueScores {
	wide := len(s.Y) / s.Rows()
	parts := make([]metric.Errors, len(m.schema.Outputs))
	sums, counts := make([]float64, wide), make([]float64, wide)
	var all, around metric.Errors
	s.each(only, func(e int, y, w float64) {
		all.AddWeighted(m.loss.Mean(z[e]), y, w)
		sums[e%wide] += w * y
		counts[e%wide] += w
		if detail {
			parts[s.part(e)].AddWeighted(m.loss.Mean(z[e]), y, w)
		}
	})
	s.each(only, func(e int, y, w float64) { // the means of what is measured
		if w > 0 {
			around.AddWeighted(sums[e%wide]/counts[e%wide], y, w)
		}
	})
	r := &ValueScores{RMSE: all.RMSE(), MAE: all.MAE(), N: all.N()}
	if m.loss.Kind == Quantile {
		pinball := all.Pinball(m.loss.Tau)
		r.Pinball = &pinball
	}
	if m.loss.logs() {
		m.deviances(r, s, only, z, func(e int) float64 { return sums[e%wide] / counts[e%wide] })
	}
	if spread := around.RMSE(); spread > 0 {
		r2 := 1 - math.Pow(r.RMSE/spread, 2)
		r.R2 = &r2
	}
	if detail {
		r.Tasks, r.Outputs = m.parts(s, func(t int) PartScore {
			rmse := parts[t].RMSE()
			return PartScore{RMSE: &rmse, N: parts[t].N()}
		})
	}
	return r
}

// deviances measures by the deviance, and beside that of the means of what is measured.
func (m meter) deviances(r *ValueScores, s *Samples, only []bool, z []float64, mean func(e int) float64) {
	var y, omega, at, flat []float64
	var total float64
	s.each(only, func(e int, yi, w float64) {
		if w > 0 {
			y, omega, at, flat = append(y, yi), append(omega, w), append(at, z[e]), append(flat, m.loss.ofMean(mean(e)))
			total += w
		}
	})
	if total == 0 {
		return
	}
	l := m.loss.Of(y, omega, false, 1)
	deviance, whole := 2*l.Eval(0, at, nil)/total, 2*l.Eval(0, flat, nil)/total
	if r.Deviance = &deviance; whole > 0 {
		d2 := 1 - deviance/whole
		r.D2 = &d2
	}
}

// parts are the scores of tasks, or of targets, where there are several.
func (m meter) parts(s *Samples, of func(t int) PartScore) (tasks, outputs []PartScore) {
	var list []PartScore
	for t, name := range m.schema.Outputs {
		if p := of(t); p.N > 0 && len(m.schema.Outputs) > 1 {
			p.Name = name
			list = append(list, p)
		}
	}
	if s.Task != nil {
		return list, nil
	}
	return nil, list
}

// signs measures predicted signs.
func (m meter) signs(s *Samples, only []bool, z []float64, detail bool) *ClassScores {
	all := metric.NewClasses(2)
	right, sums := make([]float64, len(m.schema.Outputs)), make([]float64, len(m.schema.Outputs))
	counts := make([]int, len(m.schema.Outputs))
	s.each(only, func(e int, y, w float64) {
		t := s.part(e)
		counts[t]++
		sums[t] += w
		if all.AddSignWeighted(y, z[e], w) {
			right[t] += w
		}
	})
	r := m.scored(all)
	if detail {
		r.Classes, r.Confusion, r.EachClass = m.schema.Two, all.Table, metric.EachClass(m.schema.Two, all.Table)
		r.Tasks, r.Outputs = m.parts(s, func(t int) PartScore {
			accuracy := right[t] / sums[t]
			return PartScore{Accuracy: &accuracy, N: counts[t]}
		})
	}
	return r
}

// classes measures the classes of the largest predictions. An unknown class (-1) is never right, and has no log loss.
func (m meter) classes(s *Samples, only []bool, z []float64, detail bool) *ClassScores {
	k := len(m.schema.Outputs)
	all := metric.NewClasses(k)
	for i, c := range s.Class {
		if only == nil || only[i] {
			all.AddWeighted(int(c), z[i*k:(i+1)*k], s.weight(i))
		}
	}
	r := m.scored(all)
	if detail {
		r.Classes, r.Confusion, r.EachClass = m.schema.Outputs, all.Table, metric.EachClass(m.schema.Outputs, all.Table)
	}
	return r
}

// scored is what was counted, with the log loss where the loss has probabilities and a class is known.
func (m meter) scored(all *metric.Classes) *ClassScores {
	r := &ClassScores{Accuracy: all.Accuracy(), N: all.N()}
	if m.loss.Probabilities() && all.Known() > 0 {
		r.probabilities(all)
	}
	return r
}

// probabilities fills in what probabilities are worth.
func (r *ClassScores) probabilities(all *metric.Classes) {
	logs := all.LogLoss()
	r.LogLoss = &logs
	if c := all.Calibration(); c != nil {
		r.Brier, r.CalibrationError = &c.Brier, &c.Error
	}
}
