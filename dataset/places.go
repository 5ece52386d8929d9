package dataset

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// Line is the line of the file that observation e stood on, or 0.
func (r *Ratings) Line(e int) int { return r.breaks.Line(e) }

// Place is the file with the line of observation e, where that is known.
func (r *Ratings) Place(e int) string { return r.place(e) }

// place is the file with the line of observation e, where that is known.
func (r *Ratings) place(e int) string {
	if r.placeOf != nil {
		return r.placeOf(e)
	}
	return placeIn(r.Name, r.breaks, e)
}

func placeIn(name string, breaks text.LineBreaks, e int) string {
	if line := breaks.Line(e); line > 0 {
		return fmt.Sprintf("%s:%d", name, line)
	}
	return name
}
