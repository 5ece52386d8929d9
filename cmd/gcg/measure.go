package main

import (
	"math"

	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
)

// valueResult is what predictions of numbers are worth.
type valueResult struct {
	RMSE    float64       `json:"rmse"`
	MAE     float64       `json:"mae"`
	R2      *float64      `json:"r2,omitempty"` // left out where all targets are equal
	N       int           `json:"observations"`
	Tasks   []partResult  `json:"tasks,omitempty"`
	Outputs []partResult  `json:"outputs,omitempty"`
	errors  metric.Errors `json:"-"`
}

// A partResult is that of one task or one of several targets.
type partResult struct {
	Name     string   `json:"name"`
	RMSE     *float64 `json:"rmse,omitempty"`
	Accuracy *float64 `json:"accuracy,omitempty"`
	N        int      `json:"observations"`
}

// Scores are the RMSE.
func (r *valueResult) Scores() selection.Scores {
	return selection.Scores{{Name: "RMSE", Value: r.RMSE}}
}

// classResult is what predicted classes are worth.
type classResult struct {
	Accuracy  float64      `json:"accuracy"`
	LogLoss   *float64     `json:"log_loss,omitempty"` // left out where there are no probabilities
	N         int          `json:"observations"`
	Classes   []string     `json:"classes,omitempty"`
	Confusion [][]int      `json:"confusion,omitempty"` // true class × predicted class
	Tasks     []partResult `json:"tasks,omitempty"`
	Outputs   []partResult `json:"outputs,omitempty"`
}

// Scores are the log loss, where there are probabilities, and the error rate.
func (r *classResult) Scores() (s selection.Scores) {
	if r.LogLoss != nil {
		s = append(s, selection.Score{Name: "log loss", Value: *r.LogLoss})
	}
	return append(s, selection.Score{Name: "error rate", Value: 1 - r.Accuracy})
}

// A meter knows what predictions of a schema mean.
type meter struct {
	schema *schema
	loss   lossWord
}

func (l *linear) measure(s *samples, only []bool, z []float64, detail bool) selection.Measured {
	return meter{l.schema, l.loss}.measure(s, only, z, detail)
}

// measure compares predictions z with samples, all of them or only some observations; detail is for each class, task and
// target.
func (m meter) measure(s *samples, only []bool, z []float64, detail bool) selection.Measured {
	switch {
	case s.class != nil:
		return m.classes(s, only, z, detail)
	case m.loss.kind.signs:
		return m.signs(s, only, z, detail)
	}
	return m.values(s, only, z, detail)
}

// part is the task or the target of an observation.
func part(s *samples, wide, e int) int {
	if s.task != nil {
		return int(s.task[e])
	}
	return e % wide
}

func (m meter) values(s *samples, only []bool, z []float64, detail bool) *valueResult {
	wide := len(s.y) / s.rows()
	parts := make([]metric.Errors, len(m.schema.outputs))
	sums, counts := make([]float64, wide), make([]float64, wide)
	r := &valueResult{}
	for e, y := range s.y {
		if only != nil && !only[e] {
			continue
		}
		r.errors.Add(z[e], y)
		sums[e%wide] += y
		counts[e%wide]++
		if detail {
			parts[part(s, wide, e)].Add(z[e], y)
		}
	}
	r.RMSE, r.MAE, r.N = r.errors.RMSE(), r.errors.MAE(), r.errors.N()
	var around metric.Errors // the means of what is measured
	for e, y := range s.y {
		if only == nil || only[e] {
			around.Add(sums[e%wide]/counts[e%wide], y)
		}
	}
	if spread := around.RMSE(); spread > 0 {
		r2 := 1 - math.Pow(r.RMSE/spread, 2)
		r.R2 = &r2
	}
	if detail && len(parts) > 1 {
		for t := range parts {
			if rmse := parts[t].RMSE(); parts[t].N() > 0 {
				r.add(s, partResult{Name: m.schema.outputs[t], RMSE: &rmse, N: parts[t].N()})
			}
		}
	}
	return r
}

func (r *valueResult) add(s *samples, p partResult) {
	if s.task != nil {
		r.Tasks = append(r.Tasks, p)
	} else {
		r.Outputs = append(r.Outputs, p)
	}
}

// signs measures predicted signs; of 0 it is that of 1.
func (m meter) signs(s *samples, only []bool, z []float64, detail bool) *classResult {
	wide := len(s.y) / s.rows()
	r := &classResult{}
	table := [2][2]int{}
	right, counts := make([]int, len(m.schema.outputs)), make([]int, len(m.schema.outputs))
	var logs float64
	for e, y := range s.y {
		if only != nil && !only[e] {
			continue
		}
		truth, said := indexOfSign(y), indexOfSign(z[e])
		table[truth][said]++
		t := part(s, wide, e)
		counts[t]++
		if truth == said {
			right[t]++
		}
		logs += softplus(-y * z[e])
		r.N++
	}
	r.Accuracy = float64(table[0][0]+table[1][1]) / float64(r.N)
	if m.loss.kind.probabilities {
		logs /= float64(r.N)
		r.LogLoss = &logs
	}
	if !detail {
		return r
	}
	r.Classes, r.Confusion = m.schema.signNames(), [][]int{table[0][:], table[1][:]}
	for t, n := range counts {
		if n > 0 && len(counts) > 1 {
			accuracy := float64(right[t]) / float64(n)
			p := partResult{Name: m.schema.outputs[t], Accuracy: &accuracy, N: n}
			if s.task != nil {
				r.Tasks = append(r.Tasks, p)
			} else {
				r.Outputs = append(r.Outputs, p)
			}
		}
	}
	return r
}

func indexOfSign(x float64) int {
	if x < 0 {
		return 0
	}
	return 1
}

// signNames are the two labels as the data has them.
func (c *schema) signNames() []string {
	if c.zeroOne {
		return []string{"0", "1"}
	}
	return []string{"-1", "1"}
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// classes measures the classes of the largest predictions. An unknown class (-1) is never right, and has no log loss.
func (m meter) classes(s *samples, only []bool, z []float64, detail bool) *classResult {
	k := len(m.schema.outputs)
	r := &classResult{}
	table := make([][]int, k)
	for c := range table {
		table[c] = make([]int, k)
	}
	right, known := 0, 0
	var logs float64
	for i, c := range s.class {
		if only != nil && !only[i] {
			continue
		}
		r.N++
		if c < 0 {
			continue
		}
		row := z[i*k : (i+1)*k]
		said := largest(row)
		table[c][said]++
		if said == int(c) {
			right++
		}
		known++
		logs += logSumExp(row) - row[c]
	}
	r.Accuracy = float64(right) / float64(r.N)
	if m.loss.kind.probabilities && known > 0 {
		logs /= float64(known)
		r.LogLoss = &logs
	}
	if detail {
		r.Classes, r.Confusion = m.schema.outputs, table
	}
	return r
}

// largest is the place of the largest number, the first of several.
func largest(x []float64) int {
	at := 0
	for j, v := range x {
		if v > x[at] {
			at = j
		}
	}
	return at
}

func logSumExp(x []float64) float64 {
	top := x[largest(x)]
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}
