// Package rival says which problems the rivals of the papers are for: most of them know the trace norm alone.
package rival

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// TakesTraceNorm is an error of a method called name where the problem is not λ times the trace norm without an intercept. also
// is what else the method needs, or "".
func TakesTraceNorm(name string, p *view.Problem, also string) error {
	if p.Spectral && view.IsLinear(p.Penalty) && !p.Intercept {
		return nil
	}
	return Refused(name, "λ times the trace norm without an intercept"+also, p)
}

// mostColumns are those of the usual factors: a step costs as much as columns.
const mostColumns = 50

// Columns are those of factors whose number nothing says: as many as the shorter side of W, and at most 50.
func Columns(w *gcg.Iterate) int { return min(w.M, w.N, mostColumns) }

// Refused is the error of a method called name, which is for something else than p.
func Refused(name, is string, p *view.Problem) error {
	return fmt.Errorf("baseline: %s is for %s, not for %T of gauge %s", name, is, p.Penalty, p.Gauge.Name())
}
