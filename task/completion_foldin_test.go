package task_test

import (
	"fmt"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A user who is folded in from the ratings that the fit had of one has the predictions of that one: at the optimum her row
// minimises the same function, and what was subtracted from her ratings is that of her ratings alone.
func TestFoldInIsTheRowOfTheFit(t *testing.T) {
	for _, c := range []task.Completion{{Center: dataset.GlobalMean}, {Center: dataset.RowMeans}, {Center: dataset.ShrunkMeans},
		{Center: dataset.ShrunkMeans, Weights: task.Weights{Rule: task.Power, Alpha: 0.5}},
		{Center: dataset.GlobalMean, Loss: task.Loss{Kind: task.Huber, Mu: 0.3}}} {
		t.Run(fmt.Sprintf("%v %v %v", c.Center, c.Weights, c.Loss), func(t *testing.T) {
			train, _ := generated(t)
			c.Train, c.Clip = train, task.Clip{Rule: task.NoClip}
			lambda := largest(t, c) / 8
			of := task.Completion{Train: train, Center: c.Center, Weights: c.Weights, Loss: c.Loss, Clip: c.Clip}
			m := fit(t, &of, task.Options{Lambda: lambda, Run: solver.Options{Tol: 1e-10}}).Model
			for _, user := range []int32{0, 7, 30} {
				var cols []int32
				var values []float64
				for e, i := range train.Rows {
					if i == user {
						cols, values = append(cols, train.Cols[e]), append(values, train.Values[e])
					}
				}
				list, err := m.FoldIn(cols, values, 5)
				if err != nil || len(cols) == 0 || m.Rank == 0 {
					t.Fatalf("%d ratings, rank %d, %v", len(cols), m.Rank, err)
				}
				for _, r := range list {
					near(t, fmt.Sprintf("item %d for user %d", r.Item, user), r.Score, m.Predict(int(user), r.Item), 1e-4)
				}
			}
		})
	}
}
