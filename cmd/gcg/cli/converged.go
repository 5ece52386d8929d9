package cli

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// An OpenError says that the gap which was required is not reached: exit code 3. The result is printed all the same.
type OpenError struct{ error }

// leaves notes how a run ended.
func (f *RunFlags) leaves(status solver.Status, gap float64) {
	if status != solver.Converged {
		f.open = fmt.Sprintf("%s at a relative gap of %s, not the %g of --tol", status, gapText(gap), f.Tol)
	}
}

// leavesPoints notes how the points of a curve ended.
func (f *RunFlags) leavesPoints(c *selection.Curve) {
	for i := range c.Points {
		if p := &c.Points[i]; p.Status != solver.Converged {
			f.leaves(p.Status, p.Gap())
			f.open = fmt.Sprintf("λ %.4g %s", p.Lambda, f.open)
		}
	}
	if c.CutShort != "" {
		f.open = fmt.Sprintf("%s after %d of %d λ", c.CutShort, len(c.Points), len(c.Grid))
	}
}

// converged refuses, where --require-converged says so, what did not.
func (f *RunFlags) converged() error {
	if !f.requireConverged || f.open == "" {
		return nil
	}
	return Open(f.open)
}

// Open says that a gap which was required is not reached.
func Open(text string) error { return OpenError{fmt.Errorf("--require-converged: %s", text)} }
