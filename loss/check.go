package loss

import (
	"fmt"
	"math"
)

// first is the first error, so that a message stays one line.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func checkTargets(y []float64) error {
	if len(y) == 0 {
		return fmt.Errorf("loss: there are no observations")
	}
	for i, x := range y {
		if !finite(x) {
			return fmt.Errorf("loss: the target of observation %d is %v; it must be a finite number", i+1, x)
		}
	}
	return nil
}

func checkSigns(y []float64) error {
	if len(y) == 0 {
		return fmt.Errorf("loss: there are no observations")
	}
	for i, x := range y {
		if x != 1 && x != -1 {
			return fmt.Errorf("loss: the label of observation %d is %v; it must be 1 or -1", i+1, x)
		}
	}
	return nil
}

func checkWeights(omega []float64, n int) error {
	if omega == nil {
		return nil
	}
	if len(omega) != n {
		return fmt.Errorf("loss: there are %d weights for %d observations; give one each, or none", len(omega), n)
	}
	for i, w := range omega {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("loss: the weight of observation %d is %v; it must be a finite number, 0 or more", i+1, w)
		}
	}
	if heaviest(omega) == 0 {
		return fmt.Errorf("loss: every weight is 0; at least one must be positive")
	}
	return nil
}

func checkWidth(mu float64) error {
	if !(mu > 0) || math.IsInf(mu, 1) {
		return fmt.Errorf("loss: the smoothing width Mu is %v; it must be a positive finite number", mu)
	}
	return nil
}

func checkGroup(group, n int) error {
	if group < 0 {
		return fmt.Errorf("loss: Group is %d; it must be the number of outputs of a row, or 0", group)
	}
	if group > 0 && n%group != 0 {
		return fmt.Errorf("loss: %d observations do not make rows of Group = %d outputs", n, group)
	}
	return nil
}
