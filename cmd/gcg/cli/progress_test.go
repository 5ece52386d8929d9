package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// A log line before any bound has no gap, where it had that of the largest number.
func TestNoGapYet(t *testing.T) {
	var out strings.Builder
	p := &Progress{out: &out, verbose: true}
	state := &gcg.State{Cert: gcg.Certificate{Objective: 3, LowerBound: math.Inf(-1), Gap: math.Inf(1), Relative: math.Inf(1)}}
	p.event(solver.Event{State: state}, selection.Size{}, nil)
	if s := out.String(); !strings.Contains(s, "objective 3  gap -  ") {
		t.Errorf("%q", s)
	}
}
