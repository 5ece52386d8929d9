package main

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// A bound on a matrix too large to decompose holds but for a probability that is printed, also when a run goes on; a proof is
// for the asking.
func TestCertificatesOfLargeMatrices(t *testing.T) {
	t.Chdir(t.TempDir())
	g := dataset.Generator{Name: "wide", Rows: 300, Cols: 280, N: 6000, Rank: 2, Mean: 3, Scale: 1, Noise: 0.3, Seed: 5}
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteRatings("wide.csv", r); err != nil {
		t.Fatal(err)
	}
	fit := "--train wide.csv --lambda 20 "
	for args, certificate := range map[string]string{"--checkpoint c": "probable", "--exact-certificate": "proven"} {
		r := fitJSON(t, strings.Fields(fit+args)...)
		if r["certificate"] != certificate || r["status"] != "converged" {
			t.Errorf("%s: %v, the certificate is %v; want %s", args, r["status"], r["certificate"], certificate)
		}
		if _, any := r["failure_probability"]; any != (certificate == "probable") {
			t.Errorf("%s: the failure probability is %v", args, r["failure_probability"])
		}
	}
	want := fitJSON(t, strings.Fields(fit)...)
	probability := func(r map[string]any) float64 { return r["failure_probability"].(float64) }
	if polars := want["iterations"].(float64) + 1; polars < 2 || math.Abs(probability(want)-1e-9*polars) > 1e-18 {
		t.Errorf("the failure probability of %v bounds is %v", polars, probability(want))
	}
	resumed := fitJSON(t, strings.Fields(fit+"--resume c")...)
	if resumed["certificate"] != want["certificate"] {
		t.Errorf("resumed: %v, without a stop %v", resumed["certificate"], want["certificate"])
	}
	if more := probability(resumed) - probability(want); math.Abs(more-1e-9) > 1e-18 {
		t.Errorf("one more polar after a stop adds %v to the failure probability", more)
	}
	bound := want["lower_bound"].(float64)
	near(t, "the lower bound after a stop", resumed["lower_bound"], bound, 1e-9*bound)
}

// What is proven, how surely, and where random starts go on are in a resumed state what they were in the state of the checkpoint.
func TestResumeKeepsCertificateAndSeed(t *testing.T) {
	t.Chdir(t.TempDir())
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
	if err := writeCheckpoint("c", s, "problem", 0.5); err != nil {
		t.Fatal(err)
	}
	got, err := resume("c", p, "problem")
	if err != nil {
		t.Fatal(err)
	}
	if got.Iter != 17 || got.Seed != s.Seed || got.Cert.LowerBound != -0.25 || got.Cert.Kind != gcg.Probable ||
		got.Cert.Failure != 1e-7 {
		t.Errorf("iteration %d, seed %d, certificate %+v; it was iteration 17, seed %d, %+v", got.Iter, got.Seed, got.Cert,
			s.Seed, s.Cert)
	}
	near(t, "the loss", got.Loss, s.Loss, 1e-12)
	near(t, "the gauge", got.Rho, s.Rho, 1e-12)
	if c, err := model.LoadCheckpoint("c"); err != nil || c.Progress.Rho != s.Rho || c.Progress.Lambda != 0.5 {
		t.Errorf("the checkpoint holds %+v, %v", c.Progress, err)
	}
}

// Columns that a run has merged weigh what they did after a checkpoint, where they are still no atoms of the gauge.
func TestMergedColumnsSurviveACheckpoint(t *testing.T) {
	t.Chdir(t.TempDir())
	op, err := operator.NewIdentity(4, 3)
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{1, -2, 3, -4, 5, 1, 0, 2, -1, 3, 3, -2}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Factor{C: math.Inf(1), R: 2},
		Penalty: gauge.Linear{Lambda: 0.5}}
	r, err := solver.Run(context.Background(), p, &solver.GCG{Rule: solver.OpenLoop}, solver.Options{Tol: 1e-9, MaxIter: 40})
	if err != nil {
		t.Fatal(err)
	}
	s := r.State
	if s.W.Merged == 0 || s.W.Rank() > 3 {
		t.Fatalf("%d of %d columns are merged", s.W.Merged, s.W.Rank())
	}
	if err := writeCheckpoint("c", s, "problem", 0.5); err != nil {
		t.Fatal(err)
	}
	got, err := resume("c", p, "problem")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the gauge", got.Rho, s.Rho, 1e-12)
	near(t, "the objective", got.Objective(p), s.Objective(p), 1e-12)
}
