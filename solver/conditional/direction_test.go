package conditional

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// tasksOnly refuses to predict atoms.
type tasksOnly struct{ *operator.Tasks }

func (tasksOnly) AtomTo([]float64, int, *gcg.Atom) {
	panic("predictions of every task for an atom of one")
}

// Curvatures along sparse atoms are those of their predictions, in several batches of columns, without a pass over the
// observations of other tasks.
func TestColumnCurvatures(t *testing.T) {
	const n, p, tasks = 500, 60, 40
	rng := rand.New(rand.NewPCG(3, 9))
	x, task, y := make([]float64, n*p), make([]int32, n), make([]float64, n)
	for i := range n {
		task[i], y[i] = int32(rng.IntN(tasks)), float64(2*rng.IntN(2)-1)
		for j := range p {
			x[i*p+j] = 1000
			if j > 0 && rng.IntN(4) > 0 {
				x[i*p+j] = rng.NormFloat64()
			}
		}
	}
	features, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(features, task, tasks)
	if err != nil {
		t.Fatal(err)
	}
	var atoms []gcg.Atom
	for range 200 {
		a := gcg.Atom{}
		for k, count := rng.IntN(p), 1+rng.IntN(15); count > 0; count-- {
			a.Rows, a.Cols = append(a.Rows, int32((k+count)%p)), append(a.Cols, int32(rng.IntN(tasks)))
			a.Vals = append(a.Vals, rng.NormFloat64())
		}
		atoms = append(atoms, a)
	}
	constant := gcg.Atom{Rows: []int32{0}, Cols: []int32{1}, Vals: []float64{1}} // redundant where there is an intercept
	atoms = append(atoms, constant)
	for _, intercept := range []bool{false, true} {
		problem := &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1},
			Intercept: intercept}
		s, err := gcg.NewState(problem, nil)
		if err != nil {
			t.Fatal(err)
		}
		alone := *problem
		alone.Operator = tasksOnly{op}
		d := &stepDirection{atoms: atoms, z: make([]float64, n)}
		got := d.curvatures(view.Of(&alone), s)
		for _, i := range append(rng.Perm(len(atoms)), 0, 1, 2) {
			want := curvatureOf(view.Of(problem), s, make([]float64, n), atoms[i])
			if d := math.Abs(got(i) - want); d > 1e-9*want+1e-20*kernel.Dot(x, x) {
				t.Errorf("intercept %v, atom %d: %g, its predictions have %g", intercept, i, got(i), want)
			}
		}
	}
}
