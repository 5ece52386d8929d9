package conform_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/loss"
)

// A claimant is a logistic loss that claims other bounds than it has.
type claimant struct {
	gcg.ConjugateLoss
	infimum, curvature, conjugate float64
}

func (c claimant) Infimum() float64   { return c.infimum }
func (c claimant) Curvature() float64 { return c.curvature }
func (c claimant) HessTo(dst []float64, lo int, z, e []float64) {
	c.ConjugateLoss.(gcg.CurvedLoss).HessTo(dst, lo, z, e)
}
func (c claimant) Conjugate(lo int, r []float64, s float64) float64 {
	if s == 1 {
		return c.ConjugateLoss.Conjugate(lo, r, s)
	}
	return c.ConjugateLoss.Conjugate(lo, r, s) + c.conjugate
}

func TestBoundsOfALossAreChecked(t *testing.T) {
	y := []float64{1, -1, 1, 1, -1}
	l := &loss.Logistic{Y: y}
	for name, c := range map[string]struct {
		claimant
		wrong string
	}{
		"true":      {claimant{l, 0, 0.25, 0}, ""},
		"loose":     {claimant{l, -1, 3, 1}, ""},
		"unbounded": {claimant{l, math.Inf(-1), math.Inf(1), math.Inf(1)}, ""},
		"infimum":   {claimant{l, 0.5, 0.25, 0}, "at least its infimum"},
		"curvature": {claimant{l, 0, 0.2, 0}, "at most its curvature"},
		"conjugate": {claimant{l, 0, 0.25, -1}, "at least ⟨p, z⟩"},
	} {
		for seed := range uint64(20) {
			for _, check := range conform.Loss(c.claimant, rand.New(rand.NewPCG(seed, 1))) {
				if expected := c.wrong != "" && strings.HasSuffix(check.Name, c.wrong); check.OK() == expected {
					t.Errorf("%s, seed %d: %s", name, seed, check)
				}
			}
		}
	}
}

// halfCurved has second derivatives that no method takes, since it does not bound them.
type halfCurved struct{ gcg.Loss }

func (halfCurved) HessTo(dst []float64, _ int, _, e []float64) { copy(dst, e) }

// A loss with HessTo alone is told that it is not used.
func TestSecondDerivativesNeedABound(t *testing.T) {
	y := []float64{1, 2, 3}
	for _, x := range []struct {
		l    gcg.Loss
		want bool
	}{{halfCurved{&loss.Squared{Y: y}}, true}, {&loss.Squared{Y: y}, false}} {
		said := false
		for _, c := range conform.Loss(x.l, rand.New(rand.NewPCG(1, 2))) {
			said = said || !c.OK() && strings.Contains(c.Name, "Curvature")
		}
		if said != x.want {
			t.Errorf("%T: said is %v", x.l, said)
		}
	}
}
