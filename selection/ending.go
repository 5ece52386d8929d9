package selection

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// What falls by hardly more than nothing of the first error has risen: the errors of classes that are told apart go to 0 for
// ever. A rise by less than flat of the smallest error, or by less than chance explains, is no sign of a minimum where the
// training loss still falls: so begin the paths of tasks that share little, whose first directions no task but one gains by,
// and those of features of their own scales, of which the large ones come first.
const (
	hardly = 0.0001
	flat   = 0.002
)

// note keeps the best point.
func (s *pathSearch) note(p *Point, at *gcg.State) {
	x := p.Scores.First()
	if len(s.points) == 0 {
		s.first, s.firstLoss, s.loss = math.Abs(x), at.Loss, math.Inf(1)
	}
	switch {
	case x < s.least-hardly*s.first:
		s.rose = 0
	case x != s.last: // where it stays, to the last digit, it says nothing: all predictions may be clipped
		s.rose++
	}
	s.learns = at.Loss < s.loss-hardly*math.Abs(s.firstLoss)
	s.last, s.loss, s.gain, s.gainBefore = x, at.Loss, s.least-x, s.gain
	if x < s.least && (p.Solved() || len(s.points) == 0) {
		s.least, s.best = x, Start{W: at.W, Intercept: at.Intercept}
	}
}

// usually ends a search after three λ that had no smaller error than one before, and beyond the usual grid after one.
func (s *pathSearch) usually(usual int) func() bool {
	return func() bool { return s.rose > 0 && len(s.points) >= usual || s.rose >= 3 && !s.levels() }
}

// through ends a search at the end of the usual grid, or beyond it after a λ that had no smaller error.
func (s *pathSearch) through(usual int) func() bool {
	return func() bool { return s.rose > 0 && len(s.points) >= usual }
}

// levels says that the error is hardly above its smallest one while the training loss still falls.
func (s *pathSearch) levels() bool {
	return s.learns && s.last <= s.least+math.Max(flat, s.fitting.chance())*math.Abs(s.least)
}

// Every other λ of a grid is further apart: the error has risen where it is above its smallest one by steep, or twice in a row.
const steep = 0.01

// nearWorth is how many times as much as is worth the next λ an error must fall by for the next λ to be tried whatever the path
// says: above that a fall that slows is a matter of where the path began.
const nearWorth = 2

// slows says that the error fell by so little more than is worth, and by so much less than before, that the parabola through the
// last three λ rises to the next one.
func (s *pathSearch) slows(worth float64) bool {
	return s.gain < nearWorth*worth*math.Abs(s.least) && 2*s.gain < s.gainBefore && !math.IsInf(s.gainBefore, 1)
}

// levelsOff says that the parabola through the last three λ falls to the next one by less than nearWorth times what is worth, of
// which the λ between gains most: where errors may fall late, and each λ takes several times as long as the one before.
// MovieLens-1M with lists of both sides took 45 of 70 CPU seconds for a last λ that was worse than the one between.
func (s *pathSearch) levelsOff(worth float64) bool {
	next := 2*s.gain - s.gainBefore
	return s.fitting.Late && next > 0 && next < nearWorth*worth*math.Abs(s.least)
}

// ahead says that what a path has is worth ending it for: of one whose error may fall late only where it is the best so far, or
// better than a usual model where it is the first.
func (r *Race) ahead(s *pathSearch) bool {
	if !s.fitting.Late {
		return true
	}
	best := s.fitting.Plain
	switch {
	case r.Candidates != nil:
		best = r.Candidates[r.winner].Scores.First()
	case best == 0:
		return false
	}
	return s.least < best-worthwhile*math.Abs(best)
}

// ends is the end of a candidate's path in a race: where its own error has risen, and never for what others have at the same
// place, as candidates begin at other λ, and may fall late; or where it fell by less than is worth the next λ, or predicts that
// it will rise or level off there. One whose smallest error is surely above the best ends at the first rise.
func (r *Race) ends(s *pathSearch) func() bool {
	usual := (r.Options.Points + 1) / 2
	return func() bool {
		worth := s.fitting.Worth
		little := worth > 0 && r.ahead(s)
		if little && (s.gain < worth*math.Abs(s.least) || s.slows(worth) || s.levelsOff(worth)) &&
			s.first-s.least > 2*worth*math.Abs(s.first) {
			return true
		}
		if s.rose == 0 {
			return false
		}
		if len(s.points) >= usual || s.last > s.least+steep*math.Abs(s.least) || s.rose >= 2 && !s.levels() {
			return true
		}
		if r.Candidates != nil && !s.levels() {
			best := r.Candidates[r.winner].Scores.First()
			s.beaten = s.least > best+flat*math.Abs(best)
		}
		return s.beaten
	}
}
