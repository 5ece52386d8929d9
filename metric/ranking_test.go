package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

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

// The median of 1, 2, 4, 4, 5 is 4: lists should have what is rated 4 or 5, of users and items that are known.
func TestRelevantByHand(t *testing.T) {
	train, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1}, {User: "b", Item: "y", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	others, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "y", Value: 4}, {User: "b", Item: "x", Value: 2},
		{User: "a", Item: "x", Value: 5},
		{User: "a", Item: "nothing", Value: 4}, {User: "nobody", Item: "x", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	held := others.By(train.RowIDs, train.ColIDs)
	relevant := RelevantFrom(held, UsualThreshold(held))
	if len(relevant) != 1 || len(relevant[0]) != 2 || !relevant[0][0] || !relevant[0][1] {
		t.Errorf("%v", relevant)
	}
	var r Ranking
	r.Add([]int{0, 7}, relevant[0])
	near(t, "the recall of one of two", r.Recall(), 0.5)
	if r := RelevantFrom(&dataset.Ratings{}, UsualThreshold(&dataset.Ratings{})); len(r) != 0 {
		t.Errorf("of nothing: %v", r)
	}
}
