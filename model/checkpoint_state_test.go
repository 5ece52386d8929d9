package model_test

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// What is proven, how surely, and where random starts go on are in a resumed state what they were in the state of the checkpoint.
func TestResumeKeepsCertificateAndSeed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	op, err := operator.NewSampling(3, 2, []int64{0, 2, 3, 4}, []int32{0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{1, 2, 3, 4}}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 0.5}}
	s, err := gcg.NewState(p, &gcg.Iterate{M: 3, N: 2, U: model.Unpacked([]float64{1, 2, -3}, 3, 1),
		V: model.Unpacked([]float64{0.5, 1}, 2, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s.Iter, s.Seed = 17, 1<<63+5
	s.Cert.LowerBound, s.Cert.Kind, s.Cert.Failure = -0.25, gcg.Probable, 1e-7
	if err := atomicfile.Write(name, model.CheckpointOf(s, "problem of one kind", 0.5).Write); err != nil {
		t.Fatal(err)
	}
	c, err := model.LoadCheckpoint(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.State(p, "problem of one kind")
	if err != nil {
		t.Fatal(err)
	}
	if got.Iter != 17 || got.Seed != s.Seed || got.Cert.LowerBound != -0.25 || got.Cert.Kind != gcg.Probable ||
		got.Cert.Failure != 1e-7 {
		t.Errorf("iteration %d, seed %d, certificate %+v; it was iteration 17, seed %d, %+v", got.Iter, got.Seed, got.Cert,
			s.Seed,
			s.Cert)
	}
	if math.Abs(got.Loss-s.Loss) > 1e-12 || math.Abs(got.Rho-s.Rho) > 1e-12 {
		t.Errorf("loss %v and gauge %v, which were %v and %v", got.Loss, got.Rho, s.Loss, s.Rho)
	}
	if c.Progress.Rho != s.Rho || c.Progress.Lambda != 0.5 {
		t.Errorf("the checkpoint holds %+v", c.Progress)
	}
	for other, want := range map[string]string{"problem of another kind": "it has one, this one another",
		"problem of kind":          "it has one, which this one does not have",
		"task":                     "it has problem of one kind, this one task",
		"problem of one kind here": "it does not have here, which this one has"} {
		if _, err := c.State(p, other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", other, err, want)
		}
	}
}

// Columns that a run has merged weigh what they did after a checkpoint, where they are still no atoms of the gauge.
func TestMergedColumnsSurviveACheckpoint(t *testing.T) {
	op, err := operator.NewIdentity(4, 3)
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{1, -2, 3, -4, 5, 1, 0, 2, -1, 3, 3, -2}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Factor{C: math.Inf(1), R: 2},
		Penalty: gauge.Linear{Lambda: 0.5}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{Rule: conditional.OpenLoop}, solver.Options{Tol: 1e-9,
		MaxIter: 40})
	if err != nil {
		t.Fatal(err)
	}
	s := r.State
	if s.W.Merged == 0 || s.W.Rank() > 3 {
		t.Fatalf("%d of %d columns are merged", s.W.Merged, s.W.Rank())
	}
	got, err := model.CheckpointOf(s, "problem", 0.5).State(p, "problem")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Rho-s.Rho) > 1e-12 || math.Abs(got.Objective(p)-s.Objective(p)) > 1e-12 {
		t.Errorf("κ(W) is %v, F %v; they were %v and %v", got.Rho, got.Objective(p), s.Rho, s.Objective(p))
	}
}
