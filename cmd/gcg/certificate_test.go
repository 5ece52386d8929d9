package main

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// A bound on a matrix too large to decompose holds but for a probability that is printed, also when a run goes on; a proof is for
// the asking.
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
