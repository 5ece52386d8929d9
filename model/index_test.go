package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// indexedModel has a spectrum that falls by ratio from one coordinate to the next, and items that are twins, so that they tie.
func indexedModel(rng *rand.Rand, rows, cols, k int, ratio float64, offsets bool) *Model {
	m := &Model{Problem: "completion", Rows: rows, Cols: cols, Rank: k, U: make([]float64, rows*k), V: make([]float64, cols*k)}
	for c := range k {
		m.S = append(m.S, 50*math.Pow(ratio, float64(c)))
	}
	for i := range m.U {
		m.U[i] = rng.NormFloat64() / math.Sqrt(float64(rows))
	}
	for j := range m.V {
		m.V[j] = rng.NormFloat64() / math.Sqrt(float64(cols))
	}
	if offsets {
		m.Global, m.ColOffset, m.RowOffset = 3, make([]float64, cols), make([]float64, rows)
		m.ColScale, m.RowScale = make([]float64, cols), make([]float64, rows)
		for j := range cols {
			m.ColOffset[j], m.ColScale[j] = rng.NormFloat64()/10, 0.5+rng.Float64()
		}
		for i := range rows {
			m.RowOffset[i], m.RowScale[i] = rng.NormFloat64()/10, 0.5+rng.Float64()
		}
	}
	for j := 3; j < cols; j += 4 { // twins
		copy(m.V[j*k:(j+1)*k], m.V[(j-3)*k:(j-2)*k])
		if offsets {
			m.ColOffset[j], m.ColScale[j] = m.ColOffset[j-3], m.ColScale[j-3]
		}
	}
	return m
}

// The index has the answers of all items scored, to the last bit, with ties and what was seen.
func TestIndexIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		rows, cols, k int
		ratio         float64
		offsets       bool
	}{{9, 1000, 6, 0.7, false}, {9, 1000, 6, 1, true}, {30, 700, 40, 0.85, true}, {5, 300, 0, 1, true}, {4, 3, 2, 0.5, false},
		{6, 500, 33, 1, false}, {3, 0, 2, 1, false}} {
		m := indexedModel(rng, c.rows, c.cols, c.k, c.ratio, c.offsets)
		x := NewIndex(m)
		for i := -1; i < m.Rows; i++ {
			var seen []int32
			for j := range m.Cols {
				if rng.Float64() < 0.2 {
					seen = append(seen, int32(j))
				}
			}
			for _, n := range []int{0, 1, 10, m.Cols + 3} {
				if got, want := x.Top(i, n, seen), m.Top(i, n, seen); !slices.Equal(got, want) {
					t.Fatalf("%+v: the first %d of row %d are %v, by all scores %v", c, n, i, got, want)
				}
			}
		}
	}
	if NewIndex(&Model{Rows: 1, Cols: 1, Entries: &Entries{}}) != nil {
		t.Error("a sparse model has an index")
	}
}

// A search scores few items: that is what the index is for.
func TestIndexScoresFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	m := indexedModel(rng, 20, 40000, 32, 0.8, true)
	x := NewIndex(m)
	if x.head == m.Rank {
		t.Errorf("the heads have all %d coordinates", x.head)
	}
	u, _ := m.rowOf(3)
	q := make([]float64, m.Rank)
	for c := range q {
		q[c] = u[c] / x.balance[c]
	}
	s, scored := x.search(q, 10), 0
	s.skip = func(int32) bool { return false }
	s.score = func(j int) float64 { scored++; return m.itemScore(u, nil, j) }
	s.run()
	if scored > m.Cols/20 {
		t.Errorf("%d of %d items were scored", scored, m.Cols)
	}
}

// Similar items are those of the largest cosines of V S^½, scaled or not, without the item and those of no factor.
func TestSimilarItems(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	m := indexedModel(rng, 10, 300, 12, 0.8, true)
	clear(m.V[7*m.Rank : 8*m.Rank])
	cosine := func(a, b int) float64 {
		var ab, aa, bb float64
		for c, s := range m.S {
			x, y := m.V[a*m.Rank+c], m.V[b*m.Rank+c]
			ab, aa, bb = ab+s*x*y, aa+s*x*x, bb+s*y*y
		}
		return ab / math.Sqrt(aa*bb)
	}
	for _, j := range []int{0, 3, 50, 299} {
		list := m.SimilarItems(j, 8)
		var all []float64
		for l := range m.Cols {
			if l != j && l != 7 {
				all = append(all, cosine(j, l))
			}
		}
		slices.Sort(all)
		slices.Reverse(all)
		for k, r := range list {
			if math.Abs(r.Score-all[k]) > 1e-12 || math.Abs(r.Score-cosine(j, r.Item)) > 1e-12 || r.Score > 1 {
				t.Errorf("item %d: number %d is %v of cosine %v, want %v", j, k, r, cosine(j, r.Item), all[k])
			}
		}
		if len(list) != 8 {
			t.Errorf("item %d is like %d items", j, len(list))
		}
	}
	if list := m.SimilarItems(0, 1); list[0].Item != 3 || math.Abs(list[0].Score-1) > 1e-12 {
		t.Errorf("the twin of item 0 is %v", list)
	}
	if list := m.SimilarItems(7, 5); list != nil {
		t.Errorf("an item of no factor is like %v", list)
	}
	if got, want := m.SimilarUsers(4, 3), m.flipped().SimilarItems(4, 3); !slices.Equal(got, want) || len(got) != 3 {
		t.Errorf("users like user 4 are %v, want %v", got, want)
	}
}

// Lists of users with an index are those without.
func TestRecommenderWithIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	m := indexedModel(rng, 20, 400, 8, 0.7, true)
	m.Info.Lambda = 0.3
	r := NewRecommender(m, 7)
	fresh := NewUser{ID: "new", Cols: []int32{3, 50, 2}, Values: []float64{5, 1, 4}}
	lists := func() (all [][]Recommendation) {
		for i := range m.Rows {
			list, err := r.User(fmt.Sprint(i + 1))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, list)
		}
		list, err := r.FoldIn(fresh)
		if err != nil {
			t.Fatal(err)
		}
		return append(all, list, r.Similar(3, 5))
	}
	want := lists()
	r.BuildIndex()
	if got := lists(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("with the index %v, without %v", got, want)
	}
	if top := len(want[0]); top != 7 || len(r.With(3).With(5).Model.Top(0, 5, nil)) != 5 {
		t.Errorf("a list has %d items", top)
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, ratio := range []float64{0.9, 0.95, 1} {
		rng := rand.New(rand.NewPCG(1, 1))
		m := indexedModel(rng, 1000, 200_000, 64, ratio, true)
		x := NewIndex(m)
		b.Run(fmt.Sprintf("ratio=%v,head=%d", ratio, x.head), func(b *testing.B) {
			i := 0
			for b.Loop() {
				x.Top(i%m.Rows, 10, nil)
				i++
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		m := indexedModel(rand.New(rand.NewPCG(1, 1)), 1000, 200_000, 64, 0.9, true)
		for b.Loop() {
			m.Top(3, 10, nil)
		}
	})
}
