package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

func set(items ...int) map[int]bool {
	s := map[int]bool{}
	for _, i := range items {
		s[i] = true
	}
	return s
}

// One hit at rank 2 of 3, three relevant: recall 1/3, DCG 1/log₂3, ideal 1 + 1/log₂3 + 1/2. Then a perfect list, a miss,
// and a user without relevant items, who does not count.
func TestRankingByHand(t *testing.T) {
	var r Ranking
	r.Add([]int{7, 4, 9}, set(4, 1, 2))
	near(t, "recall@3", r.Recall(), 1.0/3)
	ndcg := (1 / math.Log2(3)) / (1 + 1/math.Log2(3) + 0.5)
	near(t, "NDCG@3", r.NDCG(), ndcg)
	r.Add([]int{5, 6}, set(6, 5))
	near(t, "recall after a perfect list", r.Recall(), (1.0/3+1)/2)
	near(t, "NDCG after a perfect list", r.NDCG(), (ndcg+1)/2)
	r.Add([]int{1, 2, 3}, set(9))
	near(t, "recall after a miss", r.Recall(), (1.0/3+1)/3)
	r.Add([]int{1, 2, 3}, nil)
	near(t, "recall after a user without relevant items", r.Recall(), (1.0/3+1)/3)
	near(t, "NDCG after a user without relevant items", r.NDCG(), (ndcg+1)/3)
}

func TestRankingOfNothing(t *testing.T) {
	var r Ranking
	near(t, "recall of nobody", r.Recall(), 0)
	near(t, "NDCG of nobody", r.NDCG(), 0)
	r.Add(nil, set(1))
	near(t, "NDCG of an empty list", r.NDCG(), 0)
}

// Against the definitions: recall by set intersection, and NDCG over the best permutation of the same length.
func TestRankingAgainstTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		items := 4 + rng.IntN(8)
		list := rng.Perm(items)[:1+rng.IntN(items)]
		relevant := map[int]bool{}
		for i := range items {
			if rng.IntN(3) == 0 {
				relevant[i] = true
			}
		}
		if len(relevant) == 0 {
			continue
		}
		gains := make([]float64, items)
		hits := 0
		for i := range items {
			if relevant[i] {
				gains[i] = 1
				if slices.Contains(list, i) {
					hits++
				}
			}
		}
		dcg := func(order []int) (s float64) {
			for k, j := range order {
				s += (math.Exp2(gains[j]) - 1) / math.Log2(float64(k)+2)
			}
			return s
		}
		best := make([]int, items)
		for i := range best {
			best[i] = i
		}
		slices.SortStableFunc(best, func(a, b int) int { return int(gains[b] - gains[a]) })
		var r Ranking
		r.Add(list, relevant)
		near(t, "recall", r.Recall(), float64(hits)/float64(len(relevant)))
		near(t, "NDCG", r.NDCG(), dcg(list)/dcg(best[:len(list)]))
	}
}
