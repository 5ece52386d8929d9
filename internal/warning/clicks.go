package warning

import "fmt"

// Strangers tells of test clicks of users or items without any in training: no list can have them, and they are left out.
type Strangers struct {
	Name string
	N    int // of them
	Of   int // test clicks
}

func (w Strangers) String() string {
	if w.N == w.Of {
		return fmt.Sprintf("%s: none of the %d test clicks is of a user and an item of training, so there is nothing to measure",
			w.Name, w.Of)
	}
	return fmt.Sprintf("%s: %d of %d test clicks are of users or items without one in training, and are left out of "+
		"what is measured",
		w.Name, w.N, w.Of)
}

// LooksLikeRatings warns of counts that are those of a scale: a low rating is then taken for a click.
type LooksLikeRatings struct {
	Name   string
	Lo, Hi float64
}

func (w LooksLikeRatings) String() string {
	return fmt.Sprintf("%s: its counts are whole numbers from %v to %v, as ratings are, "+
		"of which low ones are taken for clicks too",
		w.Name, w.Lo, w.Hi)
}
