package cli

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// A TriedPoint is a λ that was tried before one was chosen, for scripts.
type TriedPoint struct {
	Lambda      float64  `json:"lambda"` // of the whole data
	RelativeGap *float64 `json:"relative_gap,omitempty"`
	selection.Size
	scores
	StdErr   *float64 `json:"standard_error,omitempty"` // of the first score; of cross-validation
	Selected []string `json:"selected,omitempty"`       // the rules that take it, as of a path
}

// TriedOf are the points of a curve that were solved; share makes λ of a part of the data those of the whole.
func TriedOf(c *selection.Curve, share float64) (tried []TriedPoint) {
	marked := marks(c.Solved(), c.Folds)
	for i, p := range c.Solved() {
		t := TriedPoint{Lambda: p.Lambda / share, Size: p.Size, scores: scoresFrom(p.Scores), Selected: marked[i]}
		_, t.RelativeGap = p.Cert.Bracket()
		if c.Folds > 0 {
			t.StdErr = &p.StdErr
		}
		tried = append(tried, t)
	}
	return tried
}

// keepTried notes in a model what was tried before its λ was chosen.
func keepTried(m *model.Model, c *selection.Curve, share float64) {
	for _, p := range c.Solved() {
		m.Info.Tried = append(m.Info.Tried, model.Tried{Lambda: p.Lambda / share, Score: p.Scores[0].Name, Value: p.Scores.First(),
			StdErr: p.StdErr})
	}
}

// endWarning doubts a λ that is the smallest of a grid that has come to its limit, or is nothing.
func endWarning(c *selection.Curve, share float64) string {
	if n := len(c.Points); n == 0 || len(c.Grid) == 0 || n < len(c.Grid) || c.CutShort != "" || !c.AtEnd() {
		return ""
	}
	return fmt.Sprintf("the error still fell at the smallest λ that was tried, %.4g: a smaller one may be better; "+
		"give a smaller --ratio, or --lambda", c.Grid[len(c.Grid)-1]/share)
}
