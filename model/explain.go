package model

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Contribution is what a rated item adds to the score of another.
type Contribution struct {
	Item  int
	Value float64
}

// A ratedRow is a row with its factor and its ratings.
type ratedRow struct {
	u      []float64 // its factor, times S
	base   float64   // its centre
	mean   []float64 // ū, or nil
	scale  float64   // that of the row
	cols   []int32
	values []float64
	inner  *mat.SymDense // itemGram, or nil
}

// explain says for some items which of the row's ratings carry their scores: at most n for each, the largest in size first.
// The factor of a row is, with V fixed, linear in what its ratings say:
//
//	u = ū + A⁻¹ Σ_t p_t v̂_t,   A = Σ_t w_t v̂_t v̂_tᵀ + λI,   w_t = ℓ''(z_t, x_t),   p_t = w_t (z_t - b_t) - ℓ'(z_t, x_t)
//
// over the rated items t, with b_t the score of t for u = ū, which has what a list of what was rated says. So item j has the
// score b_j + Σ_t p_t v̂_jᵀA⁻¹v̂_t, and the terms of the sum are the contributions. Of squares w_t = 1 and p_t = x_t - b_t; of
// clicks A has all cells, and p_t = w₀ + αr_t (see FoldIn). For a row of the fit the sum is its score as far as the
// fit has converged. See Hu, Koren and Volinsky (2008), section 5.
func (m *Model) explain(r ratedRow, items []int, n int) ([][]Contribution, error) {
	lists := make([][]Contribution, len(items))
	for _, j := range items {
		if known(j, m.Cols) < 0 {
			return nil, fmt.Errorf("model: item %d is none of its %d, and has no score to explain", j, m.Cols)
		}
	}
	if m.Rank == 0 || len(r.cols) == 0 {
		return lists, nil
	}
	rows, pulls, gram, err := m.pulls(r)
	if err != nil {
		return nil, err
	}
	chol, err := m.regularized(gram)
	if err != nil || chol == nil {
		return lists, err
	}
	x := mat.NewVecDense(m.Rank, nil)
	for k, j := range items {
		if err := chol.SolveVecTo(x, mat.NewVecDense(m.Rank, m.foldRow(int32(j), r.scale))); err != nil {
			return nil, fmt.Errorf("model: the ratings of the row do not tell their parts apart: %w", err)
		}
		for t, at := range r.cols {
			if value := pulls[t] * kernel.Dot(x.RawVector().Data, rows.RawRowView(t)); value != 0 {
				lists[k] = append(lists[k], Contribution{int(at), value})
			}
		}
		lists[k] = largest(lists[k], n)
	}
	return lists, nil
}

// largest are the n contributions of the largest size, ties by the lower item.
func largest(list []Contribution, n int) []Contribution {
	slices.SortFunc(list, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Item, b.Item))
	})
	return list[:min(n, len(list))]
}

// pulls are v̂_t and p_t of the ratings of a row, and Σ_t w_t v̂_t v̂_tᵀ.
func (m *Model) pulls(r ratedRow) (rows *mat.Dense, pulls []float64, gram *mat.SymDense, err error) {
	l, err := m.pointLoss()
	if err != nil {
		return nil, nil, nil, err
	}
	rows, pulls = mat.NewDense(len(r.cols), m.Rank, nil), make([]float64, len(r.cols))
	gram = mat.NewSymDense(m.Rank, nil)
	clicks := m.Info.Background > 0
	if clicks {
		if r.inner == nil {
			r.inner = m.itemGram()
		}
		gram.ScaleSym(m.Info.Background*r.scale*r.scale, r.inner)
	}
	for t, j := range r.cols {
		weight := 1.0
		switch start := m.itemScore(r.start(m), nil, int(j)); {
		case clicks:
			weight = m.Info.Alpha * r.values[t]
			pulls[t] = m.Info.Background + weight
		case l == nil:
			pulls[t] = r.values[t] - r.base - start
		default:
			part := m.itemScore(r.u, nil, int(j)) - start
			_, slope, curvature := l(r.base+start+part, r.values[t])
			weight, pulls[t] = curvature, curvature*part-slope
		}
		rows.SetRow(t, m.foldRow(j, r.scale))
		gram.SymRankOne(gram, weight, rows.RowView(t))
	}
	return rows, pulls, gram, nil
}

// start is ū, 0 where it is nil.
func (r *ratedRow) start(m *Model) []float64 {
	if r.mean == nil {
		r.mean = make([]float64, m.Rank)
	}
	return r.mean
}

// Carrying adds up the contributions to all items of a list, the largest in size first: what carries the list as a whole.
func Carrying(lists [][]Contribution) []Contribution {
	sums := map[int]float64{}
	for _, list := range lists {
		for _, c := range list {
			sums[c.Item] += c.Value
		}
	}
	all := make([]Contribution, 0, len(sums))
	for item, value := range sums {
		all = append(all, Contribution{item, value})
	}
	return largest(all, len(all))
}

// Explain says which ratings of a new user carry the scores of its list: for each item the contributions of all ratings, the
// largest in size first, which add up to its score less what it is without ratings.
func (r *Recommender) Explain(u NewUser, list []Recommendation) ([][]Contribution, error) {
	factor, base, err := r.Model.fold(r.towards(u.ID), r.gram(), u)
	if err != nil {
		return nil, err
	}
	mean := r.Model.towardsRated(r.towards(u.ID), u.list())
	row := ratedRow{u: factor, base: base, mean: mean, inner: r.gram(), cols: u.Cols, values: u.Values}
	row.scale = r.Model.foldScale(len(u.Cols))
	return r.explained(row, list)
}

// ExplainUser is Explain for a user of the model, by the ratings that LeaveOut was told: the sums are its scores as far as those
// are what the model was fitted to, and the fit has converged. A user of whom no rating is known is an error.
func (r *Recommender) ExplainUser(user string, list []Recommendation) ([][]Contribution, error) {
	i := int(r.users.Find([]byte(user)))
	if i < 0 {
		return nil, fmt.Errorf("user %q is not in the model", user)
	}
	was := r.seen[user]
	switch {
	case r.noValues != nil:
		return nil, r.noValues
	case len(was.cols) == 0:
		return nil, fmt.Errorf("of user %q no rating is known, as none was given to leave out", user)
	}
	row := ratedRow{base: r.Model.centre(i, -1), scale: 1, inner: r.gram(), cols: was.cols, values: was.values}
	row.u, _ = r.Model.rowOf(i)
	if r.Model.RowScale != nil {
		row.scale = r.Model.RowScale[i]
	}
	if r.Model.RowFeatures != nil {
		who := NewUser{Cols: was.cols, AlsoSeen: r.also[user]}
		row.mean = r.Model.towardsRated(r.towards(user), who.list())
	}
	return r.explained(row, list)
}

// explained explains a list by the ratings of a row, each item once: clicks on one are added up, and of several ratings of one
// the last counts.
func (r *Recommender) explained(row ratedRow, list []Recommendation) ([][]Contribution, error) {
	var err error
	of := map[int32]float64{}
	if r.Model.Info.Background > 0 {
		if of, err = r.Model.clickCounts(row.cols, row.values); err != nil {
			return nil, err
		}
	} else {
		for t, j := range row.cols {
			of[j] = row.values[t]
		}
	}
	row.cols, row.values = slices.Sorted(maps.Keys(of)), nil
	for _, j := range row.cols {
		row.values = append(row.values, of[j])
	}
	items := make([]int, len(list))
	for k, l := range list {
		items[k] = l.Item
	}
	return r.Model.explain(row, items, len(row.cols))
}
