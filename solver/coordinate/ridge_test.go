package coordinate_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
)

// ridged is a problem with μ/2‖W‖² beside it.
func ridged(t *testing.T, p *gcg.Problem, mu float64) *gcg.Problem {
	t.Helper()
	m, n, _ := p.Operator.Dims()
	w, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	if q.Operator, err = operator.Stack(p.Operator, w); err != nil {
		t.Fatal(err)
	}
	q.Loss = loss.Stack(p.Loss, &loss.Ridge{N: m * n, Mu: mu, Group: n})
	return &q
}

// With a ridge the certificate closes on every odd design, and the method is the one that is chosen.
func TestClosesWithRidge(t *testing.T) {
	turn := 0
	for _, d := range oddDesigns() {
		for lossName, l := range d.losses() {
			for gaugeName, k := range d.gauges() {
				if turn++; turn%3 > 0 {
					continue
				}
				sparse, constant := turn%2 == 0, turn/2%2 == 0
				op, err := operator.NewDesign(d.features(t, sparse), 1)
				if err != nil {
					t.Fatal(err)
				}
				p := ridged(t, &gcg.Problem{Operator: op, Loss: l, Gauge: k, Intercept: constant, Penalty: gauge.Linear{Lambda: 1}},
					[]float64{1e-3, 0.5, 20}[turn/3%3])
				name := fmt.Sprintf("%s, %s, %s, sparse %v, intercept %v", d.name, lossName, gaugeName, sparse, constant)
				closes(t, name, p)
				if m, _, _ := solver.For(p); m.Name() != (&coordinate.Descent{}).Name() {
					t.Errorf("%s: %s is chosen", name, m.Name())
				}
			}
		}
	}
}

// A squared loss with a ridge is that of data with √μ·I below the features and zeros below the targets: one optimum, and that of
// corrective steps, which know nothing of ridges. Here of several targets and of one.
func TestRidgeIsMoreData(t *testing.T) {
	const mu, lambda = 1.7, 3.0
	for _, outputs := range []int{1, 2} {
		d := gaussian(40, 15, 6)
		y := make([]float64, d.n*outputs)
		for e := range y {
			y[e] = d.x[e*7%len(d.x)] + d.x[e/outputs*d.p]
		}
		more := design{"more", d.n + d.p, d.p, slices.Clone(d.x)}
		for i := range d.p {
			row := make([]float64, d.p)
			row[i] = math.Sqrt(mu)
			more.x = append(more.x, row...)
		}
		of := func(d design, y []float64) *gcg.Problem {
			op, err := operator.NewDesign(d.features(t, false), outputs)
			if err != nil {
				t.Fatal(err)
			}
			return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: outputs}, Gauge: gauge.Group{},
				Penalty: gauge.Linear{Lambda: lambda}}
		}
		p := ridged(t, of(d, y), mu)
		agrees(t, fmt.Sprintf("%d outputs", outputs), p)
		p.Penalty = gauge.Linear{Lambda: lambda}
		var at [2]gcg.Certificate
		for i, p := range []*gcg.Problem{p, of(more, append(slices.Clone(y), make([]float64, d.p*outputs)...))} {
			r, err := solver.Run(context.Background(), p, &coordinate.Descent{}, solver.Options{Tol: 1e-10})
			if err != nil {
				t.Fatal(err)
			}
			at[i] = r.State.Cert
		}
		if math.Abs(at[0].Objective-at[1].Objective) > 1e-8*at[1].Objective || at[0].Relative > 1e-10 {
			t.Errorf("%d outputs: %v with a ridge, %v with more data", outputs, at[0], at[1])
		}
	}
}
