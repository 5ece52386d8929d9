package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/internal/par"
	"gonum.org/v1/gonum/mat"
)

// A Recommender makes top lists for users by their ids: of those that the model knows, and of new ones from their ratings.
type Recommender struct {
	Model *Model
	Top   int // items of a list
	// Ranks make the lists of Everybody together, each with the same model; nil is one process.
	Ranks *cluster.Comm

	users, items *dataset.IDs
	seen         map[string]history   // by user
	noValues     error                // why the ratings of histories are not known, nil where they are
	index        *Index               // of BuildIndex
	mean         []float64            // of the rows, where new ones are folded in towards it
	anybody      func() []float64     // the mean of the rows for a new one without ratings, once it is needed
	inner        func() *mat.SymDense // itemGram, once a new row of clicks needs it
	also         map[string][]int32   // of AddSeen: what users have seen
	described    *dataset.IDs         // users with features that were given, or nil
	parts        []float64            // of their rows
	barred       []int32              // items that no list has
}

// A history is what a user has seen: columns of the model, ascending, with ratings unless these are not known.
type history struct {
	cols   []int32
	values []float64
}

// NewRecommender is one of a model, whose rows and columns have ids from then on.
func NewRecommender(m *Model, top int) *Recommender {
	m.Name()
	return &Recommender{Model: m, Top: top, users: dataset.NewIDs(m.RowIDs), items: dataset.NewIDs(m.ColIDs),
		seen: map[string]history{}, mean: m.meanRow(), inner: sync.OnceValue(m.itemGram),
		anybody: sync.OnceValue(m.meanOfRows)}
}

// BuildIndex makes lists fast from then on, see Index, with the same answers. It takes the time of some lists of all items.
func (r *Recommender) BuildIndex() { r.index = NewIndex(r.Model) }

// With is the recommender with another length of lists; it shares all else.
func (r *Recommender) With(top int) *Recommender {
	other := *r
	other.Top = top
	return &other
}

// Users are the ids of the users of the model.
func (r *Recommender) Users() *dataset.IDs { return r.users }

// Items are the ids of its items.
func (r *Recommender) Items() *dataset.IDs { return r.items }

// Restrict leaves items out of all lists: those that are not among only, where that is not nil, and those of without. It
// returns how many items of the model are left.
func (r *Recommender) Restrict(only, without *dataset.IDs) (left int) {
	r.barred = nil
	for j, id := range r.Model.ColIDs {
		if only != nil && only.Find([]byte(id)) < 0 || without != nil && without.Find([]byte(id)) >= 0 {
			r.barred = append(r.barred, int32(j))
		}
	}
	return len(r.Model.ColIDs) - len(r.barred)
}

// hidden are the items that the list of a user does not have, who has seen some.
func (r *Recommender) hidden(user string) []int32 {
	seen := r.seen[user].cols
	if len(r.barred) == 0 {
		return seen
	}
	return slices.Concat(seen, r.barred)
}

// Similar is Model.SimilarItems.
func (r *Recommender) Similar(item, n int) []Recommendation {
	if r.index == nil {
		return r.Model.SimilarItems(item, n)
	}
	return r.index.Similar(item, n)
}

// list is the list of row i.
func (r *Recommender) list(i int, seen []int32) []Recommendation {
	if r.index != nil {
		return r.index.Top(i, r.Top, seen)
	}
	return r.Model.Top(i, r.Top, seen)
}

// gram is what folding in a row of clicks needs, nil where the model is of ratings.
func (r *Recommender) gram() *mat.SymDense {
	if r.Model.Info.Background > 0 && r.Model.Rank > 0 {
		return r.inner()
	}
	return nil
}

// AddUsers makes users known by their features, see Model.AddRows: those that the model does not know have lists then, and those
// that are folded in are so towards what their features say.
func (r *Recommender) AddUsers(t *features.Table) (added int, err error) {
	if added, err = r.Model.AddRows(t); err != nil {
		return 0, err
	}
	all := make([]int32, t.IDs.Len())
	for i := range all {
		all[i] = int32(i)
	}
	rows, err := r.Model.RowFeatures.Encoding.Encode(t, all)
	if err != nil {
		return 0, err
	}
	r.described, r.parts = t.IDs, r.Model.RowFeatures.part(rows, r.Model.Rank)
	r.users = dataset.NewIDs(r.Model.RowIDs)
	return added, nil
}

// AddSeen makes users and items known by what was seen, see Model.AddSeen, which joins the lists of new users, too: it comes
// before NewUsers.
func (r *Recommender) AddSeen(pairs *dataset.Ratings) (users, items int, err error) {
	if users, items, err = r.Model.AddSeen(pairs); err != nil {
		return 0, 0, err
	}
	r.users, r.items, r.also = dataset.NewIDs(r.Model.RowIDs), dataset.NewIDs(r.Model.ColIDs), map[string][]int32{}
	at := pairs.ColIDs.In(r.items)
	for e, i := range pairs.Rows {
		if j := pairs.Cols[e]; i >= 0 && j >= 0 && at[j] >= 0 {
			id := pairs.RowIDs.Text(int(i))
			r.also[id] = append(r.also[id], at[j])
		}
	}
	return users, items, nil
}

// towards is ū of a new user.
func (r *Recommender) towards(id string) []float64 {
	if r.described != nil {
		if at, k := int(r.described.Find([]byte(id))), r.Model.Rank; at >= 0 {
			return r.Model.timesS(slices.Clone(r.parts[at*k : (at+1)*k]))
		}
	}
	return r.mean
}

// LeaveOut leaves out of the lists what users have seen. It counts the users in of, or those of the model where of is nil, and
// returns for how many of them an item of the model is left out.
func (r *Recommender) LeaveOut(seen *dataset.Ratings, of *dataset.IDs) (met int) {
	if seen == nil {
		return 0
	}
	if of == nil {
		of = r.users
	}
	at, values := seen.By(of, r.items), r.valuesOf(seen)
	lists := map[int32]*history{}
	for e, i := range at.Rows {
		j := at.Cols[e]
		if i < 0 || j < 0 {
			continue
		}
		h := lists[i]
		if h == nil {
			h = &history{}
			lists[i] = h
		}
		h.cols = append(h.cols, j)
		if values != nil {
			h.values = append(h.values, values[e])
		}
	}
	for i, h := range lists {
		id := of.Text(int(i))
		h.add(r.seen[id])
		r.seen[id] = *h
	}
	return len(lists)
}

// valuesOf are the ratings of what was seen, in the words of the model; nil where they are not known, which noValues says then.
func (r *Recommender) valuesOf(seen *dataset.Ratings) []float64 {
	m := r.Model
	values := seen.Values
	switch {
	case m.Info.Background > 0 && seen.NoValues:
		values = make([]float64, len(seen.Cols))
		for e := range values {
			values[e] = math.Max(1, m.Info.Positive)
		}
	case seen.NoValues:
		r.noValues = fmt.Errorf("%s: has no ratings, of which an explanation is made", seen.Name)
		return nil
	case m.TwoLabels() != nil:
		signs, err := m.Signs(seen)
		if err != nil {
			r.noValues = err
			return nil
		}
		values = signs
	}
	if e := slices.IndexFunc(values, math.IsNaN); e >= 0 {
		r.noValues = fmt.Errorf("%s: has no rating, of which an explanation is made", seen.Place(e))
		return nil
	}
	return values
}

// add puts another history before this one, and sorts by columns; of one column what comes last stays last.
func (h *history) add(before history) {
	cols, values := slices.Concat(before.cols, h.cols), slices.Concat(before.values, h.values)
	order := make([]int, len(cols))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cols[a], cols[b]) })
	h.cols, h.values = nil, nil
	for _, t := range order {
		h.cols = append(h.cols, cols[t])
		if len(values) == len(cols) {
			h.values = append(h.values, values[t])
		}
	}
}

// Knows says whether the model has a user.
func (r *Recommender) Knows(user string) bool { return r.users.Find([]byte(user)) >= 0 }

// User is the list of a user of the model; another one is an error.
func (r *Recommender) User(user string) ([]Recommendation, error) {
	i := r.users.Find([]byte(user))
	if i < 0 {
		return nil, fmt.Errorf("user %q is not in the model", user)
	}
	return r.list(int(i), r.hidden(user)), nil
}

// listsAtOnce is how many users get their lists at once, on all processors: few enough for interrupts and memory.
const listsAtOnce = 256

// Everybody calls f with the lists of all users of the model, in its order. It ends with the first error of f, or with ctx. Where
// there are Ranks, each makes the lists of some users, and f is called on the first.
func (r *Recommender) Everybody(ctx context.Context, f func(user string, list []Recommendation) error) error {
	ids := r.Model.RowIDs
	if len(ids) >= listsAtOnce {
		r.BuildIndex()
	}
	for lo := 0; lo < len(ids); lo += listsAtOnce * r.Ranks.Size() {
		r.Ranks.Agree()
		if err := ctx.Err(); err != nil {
			return err
		}
		first := min(lo+listsAtOnce*r.Ranks.Rank(), len(ids))
		lists := make([][]Recommendation, min(listsAtOnce, len(ids)-first))
		par.For(len(lists), func(b int) { lists[b] = r.list(first+b, r.hidden(ids[first+b])) })
		for k, list := range r.gathered(lists) {
			if err := f(ids[lo+k], list); err != nil {
				return err
			}
		}
	}
	return nil
}

// gathered are the lists of all ranks, in their order, on the first of them; others have none.
func (r *Recommender) gathered(own [][]Recommendation) (all [][]Recommendation) {
	if r.Ranks.Size() == 1 {
		return own
	}
	lengths, items, scores := make([][]int32, r.Ranks.Size()), make([][]int32, r.Ranks.Size()), make([][]float64, r.Ranks.Size())
	for _, list := range own {
		lengths[0] = append(lengths[0], int32(len(list)))
		for _, t := range list {
			items[0], scores[0] = append(items[0], int32(t.Item)), append(scores[0], t.Score)
		}
	}
	lengths, items, scores = cluster.Deal(r.Ranks, lengths), cluster.Deal(r.Ranks, items), cluster.Deal(r.Ranks, scores)
	if r.Ranks.Rank() > 0 {
		return nil
	}
	for rank := range lengths {
		at := 0
		for _, n := range lengths[rank] {
			list := make([]Recommendation, n)
			for k := range list {
				list[k] = Recommendation{int(items[rank][at+k]), scores[rank][at+k]}
			}
			all, at = append(all, list), at+int(n)
		}
	}
	return all
}

// A NewUser is one that the model has not seen, with ratings of items that it has.
type NewUser struct {
	ID       string
	Cols     []int32 // of the model
	Values   []float64
	AlsoSeen []int32 // columns without a rating that join the list of what was rated
	Unknown  int     // ratings of items that the model does not have, which teach it nothing
}

// list is what was rated and also seen, each once.
func (u *NewUser) list() []int32 {
	if len(u.AlsoSeen) == 0 {
		return u.Cols
	}
	all := slices.Concat(u.Cols, u.AlsoSeen)
	slices.Sort(all)
	return slices.Compact(all)
}

// NewUsers groups ratings by user, whether the model has them or not. An item that a user has rated twice is an error, and so is
// a label that a model of two labels does not have. Clicks on an item count together, each as one where they have no count.
func (r *Recommender) NewUsers(ratings *dataset.Ratings) ([]NewUser, error) {
	if r.Model.Info.Background > 0 {
		return r.newClickers(ratings), nil
	}
	if r.Model.TwoLabels() != nil {
		signs, err := r.Model.Signs(ratings)
		if err != nil {
			return nil, err
		}
		of := *ratings
		of.Values, ratings = signs, &of
	}
	s, err := ratings.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return nil, err
	}
	at, list := ratings.ColIDs.In(r.items), make([]NewUser, s.M)
	for i := range list {
		list[i].ID = ratings.RowIDs.Text(i)
		list[i].AlsoSeen = r.also[list[i].ID]
		for e := s.Ptr[i]; e < s.Ptr[i+1]; e++ {
			list[i].add(at[s.Cols[e]], s.Values[e])
		}
	}
	return list, nil
}

// newClickers groups clicks by user.
func (r *Recommender) newClickers(clicks *dataset.Ratings) []NewUser {
	at, list := clicks.ColIDs.In(r.items), make([]NewUser, clicks.RowIDs.Len())
	for i := range list {
		list[i].ID = clicks.RowIDs.Text(i)
	}
	for e, x := range clicks.Values {
		if clicks.NoValues {
			x = math.Max(1, r.Model.Info.Positive)
		}
		list[clicks.Rows[e]].add(at[clicks.Cols[e]], x)
	}
	return list
}

// add is a rating of a column of the model, or of none of them (-1).
func (u *NewUser) add(j int32, x float64) {
	if j < 0 {
		u.Unknown++
		return
	}
	u.Cols, u.Values = append(u.Cols, j), append(u.Values, x)
}

// FoldIn is the list of a new user, see Model.FoldIn: what was rated and what was left out is not in it. Without a rating of
// an item of the model it is what anybody would get. Several goroutines may call it.
func (r *Recommender) FoldIn(u NewUser) ([]Recommendation, error) {
	mean := r.towards(u.ID)
	if mean == nil && len(u.list()) == 0 && r.Model.Rows > 0 && r.Model.Entries == nil {
		mean = r.anybody()
	}
	return r.Model.foldIn(mean, r.gram(), r.index, u, r.Top, r.hidden(u.ID))
}
