package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// Errors 1, -2 and 0.5: squares 1 + 4 + 0.25, absolute values 1 + 2 + 0.5, over the range 1 … 5.
func TestErrorsByHand(t *testing.T) {
	var e Errors
	e.Add(4, 3)
	e.Add(1, 3)
	e.Add(5, 4.5)
	near(t, "RMSE", e.RMSE(), math.Sqrt(5.25/3))
	near(t, "MAE", e.MAE(), 3.5/3)
	near(t, "NMAE", e.NMAE(1, 5), 3.5/12)
	if e.N() != 3 {
		t.Errorf("%d predictions", e.N())
	}
}

func TestErrorsOfNothing(t *testing.T) {
	var e Errors
	near(t, "RMSE of none", e.RMSE(), 0)
	near(t, "MAE of none", e.MAE(), 0)
	e.Add(2, 1)
	near(t, "NMAE without a range", e.NMAE(3, 3), 0)
}

// NMAE does not depend on the scale of the ratings, and no error is less than the mean one squared.
func TestErrorsScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var e, scaled Errors
	for range 500 {
		p, x := rng.NormFloat64(), rng.NormFloat64()
		e.Add(p, x)
		scaled.Add(20*p+3, 20*x+3)
	}
	near(t, "NMAE of scaled ratings", scaled.NMAE(-57, 63), e.NMAE(-3, 3))
	near(t, "RMSE of scaled ratings", scaled.RMSE(), 20*e.RMSE())
	if e.MAE() > e.RMSE() {
		t.Errorf("MAE %g above RMSE %g", e.MAE(), e.RMSE())
	}
}

// Ratings of users without a training rating count the same on any number of ranks, to the last bit.
func TestErrorsOfHiddenUsersOverRanks(t *testing.T) {
	const users = 400
	counts := make([]int64, users)
	for i := range counts {
		counts[i] = 2
	}
	var want *Errors
	var mutex sync.Mutex
	for _, ranks := range []int{1, 2, 4} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			rows, err := cluster.Spread(c, counts)
			if err != nil {
				return err
			}
			held := &dataset.Ratings{Shape: [2]int{users, 1}, Spread: rows}
			train := &dataset.Ratings{Shape: held.Shape, Spread: rows}
			lo, hi := rows.OwnRows()
			for i := lo; i < hi; i++ {
				for e := range 2 {
					held.Rows, held.Cols = append(held.Rows, int32(i)), append(held.Cols, 0)
					held.Values = append(held.Values, math.Sin(float64(3*i+e)))
				}
				if i%3 == 0 {
					train.Rows, train.Cols = append(train.Rows, int32(i)), append(train.Cols, 0)
				}
			}
			held.HideUnseen(train)
			if held.Unknown() == 0 {
				return fmt.Errorf("no user is hidden")
			}
			got := Predicted(func(i, _ int) float64 { return math.Cos(float64(max(i, -1))) }, held)
			mutex.Lock()
			defer mutex.Unlock()
			if want == nil {
				want = got
			}
			if *got != *want {
				return fmt.Errorf("%d ranks have %v, not %v", ranks, *got, *want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
