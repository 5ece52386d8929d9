package model

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"gonum.org/v1/gonum/mat"
)

// A Recommender makes top lists for users by their ids: of those that the model knows, and of new ones from their ratings.
type Recommender struct {
	Model *Model
	Top   int // items of a list

	users, items *dataset.IDs
	seen         map[string][]int32   // columns of the model, ascending, by user
	mean         []float64            // of the rows, where new ones are folded in towards it
	inner        func() *mat.SymDense // itemGram, once a new row of clicks needs it
	described    *dataset.IDs         // users with features that were given, or nil
	parts        []float64            // of their rows
}

// NewRecommender is one of a model, whose rows and columns have ids from then on.
func NewRecommender(m *Model, top int) *Recommender {
	m.Name()
	return &Recommender{Model: m, Top: top, users: dataset.NewIDs(m.RowIDs), items: dataset.NewIDs(m.ColIDs),
		seen: map[string][]int32{}, mean: m.meanRow(), inner: sync.OnceValue(m.itemGram)}
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
	if of == nil {
		of = r.users
	}
	at := seen.By(of, r.items)
	lists := map[int32][]int32{}
	for e, i := range at.Rows {
		if j := at.Cols[e]; i >= 0 && j >= 0 {
			lists[i] = append(lists[i], j)
		}
	}
	for i, list := range lists {
		id := of.Text(int(i))
		list = append(list, r.seen[id]...)
		slices.Sort(list)
		r.seen[id] = list
	}
	return len(lists)
}

// Knows says whether the model has a user.
func (r *Recommender) Knows(user string) bool { return r.users.Find([]byte(user)) >= 0 }

// User is the list of a user of the model; another one is an error.
func (r *Recommender) User(user string) ([]Recommendation, error) {
	i := r.users.Find([]byte(user))
	if i < 0 {
		return nil, fmt.Errorf("user %q is not in the model", user)
	}
	return r.Model.Top(int(i), r.Top, r.seen[user]), nil
}

// listsAtOnce is how many users get their lists at once, on all processors: few enough for interrupts and memory.
const listsAtOnce = 256

// Everybody calls f with the lists of all users of the model, in its order. It ends with the first error of f, or with ctx.
func (r *Recommender) Everybody(ctx context.Context, f func(user string, list []Recommendation) error) error {
	ids := r.Model.RowIDs
	for lo := 0; lo < len(ids); lo += listsAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+listsAtOnce, len(ids))
		for k, list := range r.Model.Tops(lo, hi, r.Top, func(i int) []int32 { return r.seen[ids[i]] }) {
			if err := f(ids[lo+k], list); err != nil {
				return err
			}
		}
	}
	return nil
}

// A NewUser is one that the model has not seen, with ratings of items that it has.
type NewUser struct {
	ID      string
	Cols    []int32 // of the model
	Values  []float64
	Unknown int // ratings of items that the model does not have, which teach it nothing
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
	var inner *mat.SymDense
	if r.Model.Info.Background > 0 && r.Model.Rank > 0 {
		inner = r.inner()
	}
	return r.Model.foldIn(r.towards(u.ID), inner, u.Cols, u.Values, r.Top, r.seen[u.ID])
}
