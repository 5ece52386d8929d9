package task

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
)

// Folds of zero weight are the same problem as the rows left out: λ at which W leaves 0 is that of the others.
func TestFoldsLeaveRowsOut(t *testing.T) {
	const n, p = 60, 4
	rng := rand.New(rand.NewPCG(2, 6))
	x, y := make([]float64, n*p), make([]float64, n)
	for e := range x {
		x[e] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = x[i*p] + rng.NormFloat64()
	}
	linear := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
	rows := func() *dataset.Rows {
		return &dataset.Rows{X: &dataset.Matrix{Rows: n, Cols: p, Dense: slices.Clone(x)},
			Targets: &dataset.Matrix{Rows: n, Cols: 1, Dense: slices.Clone(y)}}
	}
	for _, by := range []Normalization{Sum, Mean} {
		l, err := (&Linear{Kind: Regression, Train: rows(), Normalize: by, Seed: 7}).Prepare()
		if err != nil {
			t.Fatal(err)
		}
		part, err := l.Fold(1, 4)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[Normalization]float64{Sum: 0.75, Mean: 1}[by]; part.Share != want {
			t.Errorf("share %v, want %v", part.Share, want)
		}
		var in []int32
		for i, k := range l.parts {
			if k != 1 {
				in = append(in, int32(i))
			}
		}
		train, err := l.train.subset(in)
		if err != nil {
			t.Fatal(err)
		}
		left := &PreparedLinear{task: &Linear{Kind: Regression, Normalize: by, Gauge: gauge.L1{}, Loss: l.task.Loss}, schema: l.schema,
			train: train}
		op, err := left.trainOperator()
		if err != nil {
			t.Fatal(err)
		}
		copied, err := left.posed(op, nil, 1)
		if err != nil || len(in) != 45 {
			t.Fatalf("%d rows are left, %v", len(in), err)
		}
		a, err := selection.Grid(context.Background(), part.Problem, linear, 0.5, 2)
		if err != nil {
			t.Fatal(err)
		}
		b, err := selection.Grid(context.Background(), copied.Problem, linear, 0.5, 2)
		if err != nil || math.Abs(a[0]-b[0]) > 1e-9*b[0] {
			t.Errorf("λ of %v by weights and %v by copying, %v", a, b, err)
		}
	}
}
