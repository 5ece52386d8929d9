package conform_test

import (
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// A state that belongs to its W passes, and each part that does not is found.
func TestStateFindsWhatIsOff(t *testing.T) {
	op, err := operator.NewIdentity(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{1, 2, 3, 4, 5, 6}}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
	w := &gcg.Iterate{M: 3, N: 2}
	w.Add([]gcg.Atom{gcg.RankOne([]float64{1, 0, 0}, []float64{0.6, 0.8})}, []float64{2})
	for name, spoil := range map[string]func(s *gcg.State){
		"":                      func(*gcg.State) {},
		"state: Z = A(W) + E b": func(s *gcg.State) { s.Z[3] += 1e-6 },
		"state: R = -∇L(Z)":     func(s *gcg.State) { s.R[1] *= 1 + 1e-6 },
		"state: Loss = L(Z)":    func(s *gcg.State) { s.Loss *= 1 - 1e-6 },
		"state: ρ ≥ κ(W)":       func(s *gcg.State) { s.Rho *= 1 - 1e-6 },
	} {
		s, err := gcg.NewState(p, w)
		if err != nil {
			t.Fatal(err)
		}
		spoil(s)
		found := map[string]bool{}
		for _, c := range conform.State(p, s) {
			if !c.OK() {
				found[c.Name] = true
			}
		}
		if name == "" && len(found) > 0 || name != "" && !found[name] {
			t.Errorf("%q spoilt: found %v", name, found)
		}
	}
}
