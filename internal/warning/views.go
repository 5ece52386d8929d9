package warning

import "fmt"

// A ConstantColumns warns that features are the same in every sample that has them: nothing is learnt of these.
type ConstantColumns struct {
	View, First string // the name of the first of them, or its number
	Count       int
}

func (w ConstantColumns) String() string {
	if w.Count == 1 {
		return fmt.Sprintf("%s: column %s is constant, of which there is nothing to learn", w.View, w.First)
	}
	return fmt.Sprintf("%s: %d columns are constant, of which there is nothing to learn; the first is %s", w.View, w.Count, w.First)
}

// An Overweight warns that a view's entries are so much larger than another's that hardly anything of the other one counts.
type Overweight struct {
	Large, Small string
	Ratio        float64 // of the losses of predicting 0
}

func (w Overweight) String() string {
	return fmt.Sprintf("%s weighs %.2g times as much as %s, of which little will be learnt; scale the features, or give weights",
		w.Large, w.Ratio, w.Small)
}
