package cur_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/cur"
)

// On the gene sets λ_max is what is known of it, and a few gradients certify 1e-6.
func TestGene(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of CPU")
	}
	for name, top := range map[string]float64{"SRBCT": 0.2056956478, "Brain_Tumor2": 0.2596550083,
		"Leukemia_11225": 0.2413274269} {
		file := "../../../shared/data/gene/" + name + ".X.csv.gz"
		if _, err := os.Stat(file); err != nil {
			t.Skip("the gene data are not here: ", file)
		}
		d, err := dataset.ReadMatrix(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := testproblem.Selection(t, d.Rows, d.Cols, d.Dense, 1)
		lambda, err := solver.MaxLambda(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(lambda-top) > 1e-9 {
			t.Errorf("%s: λ_max is %.10f, not %v", name, lambda, top)
		}
		p.Penalty = gauge.Linear{Lambda: 0.002 * lambda}
		r, err := solver.Run(context.Background(), p, &cur.WorkingSet{}, solver.Options{Tol: 1e-6, MaxIter: 30})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d gradients, %.3f s CPU, F = %.10g, gap %.2g", name, r.State.Count.Gradients, r.CPU.Seconds(),
			r.State.Cert.Objective, r.State.Cert.Relative)
		if g := r.State.Count.Gradients; r.Status != solver.Converged || g > 7 {
			t.Errorf("%s: %s after %d gradients at a gap of %.2g", name, r.Status, g, r.State.Cert.Relative)
		}
	}
}
