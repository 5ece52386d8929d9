package fixedrank_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// What a Local keeps of the data is that of the problem, also where that was given other data in place, of as many observations.
func TestLocalForgetsOtherData(t *testing.T) {
	const rows, classes = 80, 4
	rng := rand.New(rand.NewPCG(1, 2))
	labels := make([]int32, rows)
	for i := range labels {
		labels[i] = int32(i % classes)
	}
	l := &loss.Softmax{Labels: labels, Classes: classes, Mean: true}
	p := &gcg.Problem{Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.03}}
	kept := &fixedrank.Local{}
	for _, m := range []int{12, 20} {
		x := make([]float64, rows*m)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		features, err := operator.DenseFeatures(rows, m, x)
		if err != nil {
			t.Fatal(err)
		}
		if p.Operator, err = operator.NewDesign(features, classes); err != nil {
			t.Fatal(err)
		}
		var objective [2]float64
		for i, improver := range []*fixedrank.Local{kept, {}} {
			r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-6,
				Improver: improver})
			if err != nil || r.Status != solver.Converged {
				t.Fatalf("%d features: %v, %+v", m, err, r)
			}
			objective[i] = r.State.Cert.Objective
		}
		if k := kept.KeptGram().K; k != m {
			t.Errorf("the preconditioner for %d features is that of %d", m, k)
		}
		if math.Abs(objective[0]-objective[1]) > 1e-6*objective[1] {
			t.Errorf("%d features: F is %v, and %v with a Local that has seen others", m, objective[1], objective[0])
		}
	}
}
