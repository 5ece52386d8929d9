package implicit_test

import (
	"context"
	"flag"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/baseline/als"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

var (
	besideALS = flag.String("als", "", "measure the clicks of this file, ratings from 4 on, beside alternating least squares")
	alpha     = flag.Float64("alpha", 10, "α of -als")
	lambda    = flag.Float64("lambda", 110, "λ of -als")
)

// alsGap is the relative gap to which iterations at a fixed rank count as converged; few problems need as many as mostIterations.
const (
	alsGap         = 1e-3
	mostIterations = 3000
)

// TestBesideALS measures the convex problem, certified to 1e-3, beside alternating least squares on the same objective at the
// optimum's rank: after fifteen iterations, and when they have converged, which their certificate says. A tenth of each user's
// clicks is held out.
func TestBesideALS(t *testing.T) {
	if *besideALS == "" {
		t.Skip("give -als FILE to measure")
	}
	r, err := dataset.RatingsReader{}.ReadRatings(*besideALS)
	if err != nil {
		t.Fatal(err)
	}
	f := &implicit.Task{Train: r, Alpha: *alpha, Positive: 4, Split: dataset.Split{PerUser: 0.9, Seed: 1}}
	got, err := f.Fit(context.Background(), task.Options{Lambda: *lambda})
	if err != nil {
		t.Fatal(err)
	}
	if gap := got.Result.State.Cert.Relative; gap > 1e-3 {
		t.Errorf("the gap is %v after %d steps", gap, got.Result.Iter)
	}
	rank := got.Result.State.W.Rank()
	recall, ndcg := report(t, "gcg", got.Result, got.Ranked, got.Result.State.Cert.Objective)
	for _, opt := range []solver.Options{
		{MaxIter: 15, CertifyEvery: mostIterations},
		{Tol: alsGap, MaxIter: mostIterations, CertifyEvery: 20, Plateau: mostIterations},
	} {
		p, err := f.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Whole()
		if err != nil {
			t.Fatal(err)
		}
		run, err := solver.Run(context.Background(), s.Problem, &als.Method{Rank: rank}, opt)
		if err != nil {
			t.Fatal(err)
		}
		theirs, ofThem := report(t, "als", run, p.Ranked(p.Model(s, run)), run.State.Objective(s.Problem))
		if opt.Tol > 0 && (math.Abs(recall-theirs) > 0.01*theirs || math.Abs(ndcg-ofThem) > 0.01*ofThem) {
			t.Errorf("the lists differ by more than 1 %%: recall %v and %v, NDCG %v and %v", recall, theirs, ndcg, ofThem)
		}
	}
}

// report prints a run, and returns recall@20 and NDCG@100.
func report(t *testing.T, name string, r *solver.Result, of *metric.Ranked, f float64) (recall, ndcg float64) {
	recall, ndcg = of.Model.At[0].Recall(), of.Model.At[1].NDCG()
	t.Logf("%s: rank %d, F %.6g, gap %.1e, recall@20 %.4f, NDCG@100 %.4f, %d steps, %.2f s, %s", name, r.State.W.Rank(), f,
		r.State.Cert.Relative, recall, ndcg, r.Iter, r.Elapsed.Seconds(), r.Status)
	return recall, ndcg
}
