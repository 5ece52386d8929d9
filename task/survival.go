package task

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
)

// time takes two targets for the times until an event and whether it was seen then: a time is negative where it was not, so that
// a row has one target. Of rows one of whose targets is missing it is NaN.
func (s *Samples) time(u *dataset.Rows) error {
	if len(s.Y) != 2*s.Rows() {
		return fmt.Errorf("%s: has %s a row; the cox loss takes two, the time until the event and 1 where it was seen then, else 0",
			u.Name, text.Counted(len(s.Y)/max(1, s.Rows()), "target"))
	}
	y := make([]float64, s.Rows())
	for i := range y {
		at, seen := s.Y[2*i], s.Y[2*i+1]
		switch {
		case math.IsNaN(at) || math.IsNaN(seen):
			at = math.NaN()
		case at < 0:
			return fmt.Errorf("%s: the time %v is below 0; the first target is the time until the event", u.AnswerAt(i), at)
		case seen != 0 && seen != 1:
			return fmt.Errorf("%s: the event is %v; the second target is 1 where the event was seen at the time of the first, else 0",
				u.AnswerAt(i), seen)
		case seen == 0:
			at = math.Copysign(at, -1)
		default:
			at = math.Abs(at) // a time may be -0
		}
		y[i] = at
	}
	s.Y, s.Timed = y, true
	return nil
}

// seen are 1 for rows whose event was seen, else 0.
func (s *Samples) seen() []int32 {
	seen := make([]int32, s.Rows())
	for i, t := range s.Y {
		if !math.Signbit(t) && s.weight(i) > 0 {
			seen[i] = 1
		}
	}
	return seen
}

// eventful says that both those in a part and those out of it have events.
func (s *Samples) eventful(out []bool) bool {
	var met [2]bool
	for i, seen := range s.seen() {
		if seen == 1 && out[i] {
			met[0] = true
		} else if seen == 1 {
			met[1] = true
		}
	}
	return met[0] && met[1]
}

// cox is the loss of times, with weights or nil.
func (s *Samples) cox(omega []float64, mean bool) (*loss.Cox, error) {
	time, event := make([]float64, s.Rows()), make([]bool, s.Rows())
	for i, t := range s.Y {
		time[i], event[i] = math.Abs(t), !math.Signbit(t)
	}
	return loss.NewCox(time, event, omega, mean)
}

// RiskScores are what log risks of rows are worth for the times of their events.
type RiskScores struct {
	// Concordance is that of metric.Concordance, nil where no pair is comparable.
	Concordance *float64 `json:"concordance,omitempty"`
	// Deviance is twice the negative log partial likelihood for each event, nil where there is none. Of rows that are held out of
	// others it is that of all less that of the others, as Verweij and van Houwelingen (1993) have it: their risk sets are large.
	Deviance *float64 `json:"partial_deviance,omitempty"`
	N        int      `json:"observations"`
	Events   int      `json:"events"`
}

// Scores are the deviance and the part of pairs in the wrong order, half where there are none.
func (r *RiskScores) Scores() (s selection.Scores) {
	if r.Deviance != nil {
		s = append(s, selection.Score{Name: "partial deviance", Value: *r.Deviance})
	}
	wrong := 0.5
	if r.Concordance != nil {
		wrong = 1 - *r.Concordance
	}
	return append(s, selection.Score{Name: "1-concordance", Value: wrong})
}

// risks measures log risks.
func (m meter) risks(s *Samples, only []bool, z []float64) *RiskScores {
	r := &RiskScores{}
	var time, risk []float64
	var event []bool
	events := 0.0
	s.each(only, func(e int, y, w float64) {
		if w == 0 {
			return
		}
		r.N++
		time, event, risk = append(time, math.Abs(y)), append(event, !math.Signbit(y)), append(risk, z[e])
		if !math.Signbit(y) {
			r.Events++
			events += w
		}
	})
	if c := metric.Concordance(time, event, risk); !math.IsNaN(c) {
		r.Concordance = &c
	}
	if events == 0 {
		return r
	}
	all := s.partial(nil, z)
	if only != nil {
		all -= s.partial(only, z)
	}
	all *= 2 / events
	r.Deviance = &all
	return r
}

// partial is the negative log partial likelihood of the rows that are not left out, 0 where none of them has an event.
func (s *Samples) partial(out []bool, z []float64) float64 {
	l, err := s.cox(s.weights(out, false), false)
	if err != nil {
		return 0
	}
	return l.Eval(0, z, nil)
}
