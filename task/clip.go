package task

import "github.com/seed-b18ef778/gcg/model"

// Clip says where predictions are cut off. Its zero value takes the range of the training ratings.
type Clip struct {
	Rule   ClipRule
	Lo, Hi float64 // of ClipTo
}

// A ClipRule is where the bounds of predictions come from.
type ClipRule int

const (
	ClipToRatings ClipRule = iota // the smallest and the largest training rating
	NoClip
	ClipTo // Lo and Hi
)

// on makes a model clip, with training ratings from lo to hi.
func (c Clip) on(m *model.Model, lo, hi float64) {
	switch c.Rule {
	case ClipToRatings:
		m.Clip, m.Lo, m.Hi = true, lo, hi
	case ClipTo:
		m.Clip, m.Lo, m.Hi = true, c.Lo, c.Hi
	}
}
