package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
)

// One user has item 0 in training, and took to items 1 and 4 of 0 … 5 later; the list is 3, 1, 2, 4, 5.
func TestMeasuresOfOneList(t *testing.T) {
	trial := &metric.Trial{Train: &dataset.Sparse{M: 2, N: 6, Ptr: []int64{0, 1, 2}, Cols: []int32{0, 3}, Values: []float64{1,
		1}},
		Relevant: map[int]map[int]bool{0: {1: true, 4: true}}, Lengths: []int{1, 2, 4}}
	l := trial.Measure(func(dst []float64, lo, hi int) {
		if lo != 0 || hi != 2 {
			t.Fatalf("scores of users from %d to %d", lo, hi)
		}
		copy(dst, []float64{9, 4, 3, 5, 2, 1})
	})
	log := func(k float64) float64 { return 1 / math.Log2(k+1) }
	ideal := log(1) + log(2)
	for at, want := range []map[string]float64{
		{"recall": 0, "precision": 0, "ndcg": 0, "map": 0, "mrr": 0, "hit": 0, "coverage": 1. / 6, "popularity": 1. / 2},
		{"recall": .5, "precision": .5, "ndcg": log(2) / ideal, "map": .25, "mrr": .5, "hit": 1, "coverage": 2. / 6,
			"popularity": 1. / 4},
		{"recall": 1, "precision": .5, "ndcg": (log(2) + log(4)) / ideal, "map": .5, "mrr": .5, "hit": 1, "coverage": 4. / 6,
			"popularity": 1. / 8},
	} {
		s := l.At[at]
		for name, got := range map[string]float64{"recall": s.Recall(), "precision": s.Precision(), "ndcg": s.NDCG(),
			"map": s.MAP(),
			"mrr": s.MRR(), "hit": s.HitRate(), "coverage": s.Coverage, "popularity": s.Popularity} {
			if math.Abs(got-want[name]) > 1e-15 {
				t.Errorf("%s@%d is %v, want %v", name, l.Lengths[at], got, want[name])
			}
		}
	}
	// of 2 relevant and 3 other items: 1 beats 2 and 5, 4 beats 5
	if want := 3. / 6; math.Abs(l.AUC-want) > 1e-15 || l.Users != 1 {
		t.Errorf("AUC %v of %d users, want %v of 1", l.AUC, l.Users, want)
	}
}

// Equal scores count half in the AUC, and go by the order of the items in lists.
func TestTies(t *testing.T) {
	trial := &metric.Trial{Train: &dataset.Sparse{M: 1, N: 4, Ptr: []int64{0, 0}}, Relevant: map[int]map[int]bool{0: {2: true}},
		Lengths: []int{2}}
	if l := trial.Measure(metric.Same([]float64{1, 1, 1, 1})); l.AUC != 0.5 || l.At[0].Recall() != 0 {
		t.Errorf("AUC %v, recall %v", l.AUC, l.At[0].Recall())
	}
}

// Lists of random scores against sorting all of them, and the AUC against all pairs.
func TestListsAgainstSorting(t *testing.T) {
	const m, n = 300, 50
	rng := rand.New(rand.NewPCG(1, 2))
	s := &dataset.Sparse{M: m, N: n, Ptr: make([]int64, 1, m+1)}
	relevant, scores := map[int]map[int]bool{}, make([]float64, m*n)
	want, auc := &metric.Ranking{}, 0.0
	for i := range m {
		row, later := scores[i*n:(i+1)*n], map[int]bool{}
		var left []int
		for j := range row {
			row[j] = float64(rng.IntN(30))
			switch rng.IntN(5) {
			case 0:
				s.Cols = append(s.Cols, int32(j))
				continue
			case 1:
				later[j] = true
			}
			left = append(left, j)
		}
		s.Ptr = append(s.Ptr, int64(len(s.Cols)))
		relevant[i] = later
		won, pairs := 0.0, 0.0
		for _, a := range left {
			for _, b := range left {
				if later[a] && !later[b] {
					pairs++
					if row[a] > row[b] {
						won++
					} else if row[a] == row[b] {
						won += 0.5
					}
				}
			}
		}
		auc += won / pairs / m
		slices.SortStableFunc(left, func(a, b int) int { return int(row[b] - row[a]) })
		want.Add(left[:7], later)
	}
	trial := &metric.Trial{Train: s, Relevant: relevant, Lengths: []int{3, 7}}
	l := trial.Measure(func(dst []float64, lo, hi int) { copy(dst, scores[lo*n:hi*n]) })
	got := &l.At[1]
	if math.Abs(got.NDCG()-want.NDCG()) > 1e-12 || math.Abs(got.MAP()-want.MAP()) > 1e-12 || math.Abs(l.AUC-auc) > 1e-12 ||
		l.Users != m || got.Users() != m {
		t.Errorf("NDCG %v, MAP %v, AUC %v of %d users; want %v, %v, %v of %d", got.NDCG(), got.MAP(), l.AUC, l.Users, want.NDCG(),
			want.MAP(), auc, m)
	}
	if l.At[0].Recall() >= got.Recall() {
		t.Errorf("recall %v of shorter lists, %v of longer ones", l.At[0].Recall(), got.Recall())
	}
}

func TestPopularityRanksByCounts(t *testing.T) {
	trial := &metric.Trial{Train: &dataset.Sparse{M: 3, N: 3, Ptr: []int64{0, 1, 3, 4}, Cols: []int32{2, 1, 2, 2}},
		Relevant: map[int]map[int]bool{0: {1: true}}, Lengths: []int{1}}
	if c := trial.Popularity(); !slices.Equal(c, []float64{0, 1, 3}) {
		t.Fatalf("counts %v", c)
	}
	if l := trial.Measure(metric.Same(trial.Popularity())); l.At[0].Recall() != 1 {
		t.Errorf("recall %v", l.At[0].Recall())
	}
}

// A user to whom all that is left is relevant says nothing of the order of scores, and is no pair lost; what a user has in
// training is in no list, and so not relevant.
func TestListsWithoutPairs(t *testing.T) {
	trial := &metric.Trial{Train: &dataset.Sparse{M: 3, N: 3, Ptr: []int64{0, 1, 2, 3}, Cols: []int32{0, 0, 2}}, Lengths: []int{1},
		Relevant: map[int]map[int]bool{0: {1: true, 2: true}, 1: {0: true, 1: true}, 2: {2: true}}}
	l := trial.Measure(metric.Same([]float64{1, 3, 2}))
	if l.AUC != 1 || l.Users != 2 || l.At[0].Recall() != 0.75 || l.At[0].NDCG() != 1 {
		t.Errorf("AUC %v of %d users, recall %v, NDCG %v; want 1 of 2, 0.75, 1", l.AUC, l.Users, l.At[0].Recall(), l.At[0].NDCG())
	}
	if len(trial.Relevant[1]) != 2 {
		t.Error("what is relevant was overwritten")
	}
}
