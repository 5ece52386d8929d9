// Package side makes completion with side information of features of users and items: the trace norm of
//
//	x_ij = [αᵢeᵢ; fᵢ]ᵀ W [βⱼeⱼ; gⱼ]
//
// for an indicator eᵢ of each user and its features fᵢ, and those of the items. See package operator/inductive. The features
// have a constant one, so that M, the block of W that users and items share, has biases of features and what all have in
// common. A user without ratings is predicted by its features, and without features by the constant.
package side

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator/inductive"
)

// Information is what is known of users and items besides their ratings.
type Information struct {
	Users, Items *features.Table // nil for none
	// Weight is η, how much features may explain beside the indicators: the squared length of features is η² times that of
	// indicators, on average over the ratings. 0 takes UsualWeight, or what is chosen with λ among Weights.
	Weight float64
}

// UsualWeight is η where nothing chooses it. From 0.2 to 0.3 errors on MovieLens-100k are the same to a thousandth; below, items
// without ratings lose, and above those with many.
const UsualWeight = 0.25

// Weights are those that are tried. What features say of a user or an item is little beside ratings at the first, and nearly all
// that is to be known of them at the last.
var Weights = []float64{0.0625, UsualWeight, 1, 4}

// Rated says which lists of what was rated are features: those of the items of each user, and of the users of each item.
type Rated struct {
	Users, Items bool
	Lists        *Lists // what the lists have; nil for the ratings that are trained on
}

// Lists have the cells of ratings and of what was seen besides.
type Lists struct {
	Rows, Cols []float64 // how many items each user's list has, and how many users each item's
	Cells      inductive.Lister
}

// Any says that there are some.
func (r Rated) Any() bool { return r.Users || r.Items }

// UsualRatedWeight is η of lists of what was rated where none is given. From 0.6 to 1 the errors on MovieLens-100k are the same
// to a thousandth, and at 0.35 they are higher by six to eight.
const UsualRatedWeight = 0.6

// RatedPower is the power of the number n of ratings that a list of n ones is divided by: it has length 1 with ½.
const RatedPower = 0.5

// Number gives users and items that only the features know numbers behind those of the ratings, which have ids of their own
// from then on where there are such. It is an error if a file has none of the ids of the ratings.
func (s *Information) Number(train *dataset.Ratings) error {
	for side, of := range s.both() {
		if of == nil {
			continue
		}
		to, what := []**dataset.IDs{&train.RowIDs, &train.ColIDs}[side], []string{"users", "items"}[side]
		ids := *to
		if of.IDs.Len() > 0 && !slices.ContainsFunc(of.IDs.In(ids), func(at int32) bool { return at >= 0 }) {
			return fmt.Errorf("%s: none of its ids, such as %q, is among the %s of %s, such as %q: its first column has the ids of %s",
				of.Name, of.IDs.Text(0), what, train.Name, ids.Text(0), what)
		}
		more := [2]*dataset.IDs{{}, {}}
		more[side] = of.IDs
		if err := train.Know(more[0], more[1]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Information) both() [2]*features.Table { return [2]*features.Table{s.Users, s.Items} }

// Known says of each user and item whether a file has features of it; nil for all of a side without a file.
func (s *Information) Known(train *dataset.Ratings) (rows, cols []bool) {
	return knownOf(s.Users, train.RowIDs), knownOf(s.Items, train.ColIDs)
}

func knownOf(t *features.Table, ids *dataset.IDs) []bool {
	if t == nil {
		return nil
	}
	known := make([]bool, ids.Len())
	for i, at := range ids.In(t.IDs) {
		known[i] = at >= 0
	}
	return known
}

// Features are those of all users and items of some ratings, for the problems on them and on parts of them.
type Features struct {
	Users, Items Learnt
}

// Learnt is what was made of one file, or of none.
type Learnt struct {
	Encoding *features.Encoding
	Rows     *features.Rows // of all ids
	Idle     []string       // columns that tell no row from others
	Without  int            // rows with ratings of which the file has nothing; 0 without a file
}

// Learn makes features of the files, with means and categories of the users and items with ratings, from the numbers of these.
func (s *Information) Learn(train *dataset.Ratings, rows, cols []float64) (f *Features, err error) {
	f = &Features{}
	if f.Users, err = learn(s.Users, train.RowIDs, rows); err != nil {
		return nil, err
	}
	f.Items, err = learn(s.Items, train.ColIDs, cols)
	return f, err
}

func learn(t *features.Table, ids *dataset.IDs, count []float64) (l Learnt, err error) {
	at := make([]int32, ids.Len())
	for i := range at {
		at[i] = -1
	}
	rated := func(int32) bool { return false }
	if t != nil {
		at = ids.In(t.IDs)
		of := t.IDs.In(ids)
		rated = func(row int32) bool { i := of[row]; return i >= 0 && count[i] > 0 }
		for i, row := range at {
			if row < 0 && count[i] > 0 {
				l.Without++
			}
		}
	}
	if l.Encoding, l.Idle, err = features.Learn(t, rated); err != nil {
		return l, err
	}
	l.Rows, err = l.Encoding.Encode(t, at)
	return l, err
}

// Sides are the features of the users and of the items of a problem.
type Sides struct {
	Users, Items Side
	cells        inductive.Lister    // of the lists; nil for those of the entries
	op           *inductive.Operator // once there is one
}

// A Side is the matrix of one side and how later files become rows of it.
type Side struct {
	*inductive.Side
	Encoding features.Encoding
}

// On makes the sides of a problem for a weight η from the numbers of ratings of each user and item, and their scales 1/√p, nil
// for 1. Lists of what was rated are those of the ratings that the operator observes, unless there are others.
func (f *Features) On(weight float64, rated Rated, rows, cols, rowScale, colScale []float64) *Sides {
	s, byUser, byItem := &Sides{}, rows, cols
	if l := rated.Lists; l != nil {
		s.cells, byUser, byItem = l.Cells, l.Rows, l.Cols
	}
	if !rated.Users {
		byUser = nil
	}
	if !rated.Items {
		byItem = nil
	}
	s.Users, s.Items = f.Users.side(weight, byUser, rows, rowScale), f.Items.side(weight, byItem, cols, colScale)
	if rated.Users {
		s.Users.Lists = len(cols)
	}
	if rated.Items {
		s.Items.Lists = len(rows)
	}
	return s
}

// side is one of them, of lists of so many each, nil for none.
func (l *Learnt) side(weight float64, listed, count, scale []float64) Side {
	s, f := Side{Encoding: *l.Encoding}, l.Rows
	all := squares(f, count)
	if listed != nil { // a list has length 1, and who rated has one
		for _, n := range count {
			all += n
		}
	}
	s.Encoding.Scale = weight * math.Sqrt(indicators(count, scale)/all)
	values := make([]float64, len(f.Values))
	for e, x := range f.Values {
		values[e] = s.Encoding.Scale * x
	}
	s.Side = &inductive.Side{N: len(count), P: f.P, Scale: scale, Ptr: f.Ptr, Index: f.Index, Values: values}
	if listed != nil {
		s.Listed = make([]float64, len(count))
		for i, n := range listed {
			s.Listed[i] = s.Encoding.Scale * model.ListWeight(n, RatedPower)
		}
	}
	return s
}

// indicators is the sum over the ratings of the squared lengths of indicators.
func indicators(count, scale []float64) (sum float64) {
	for i, n := range count {
		if scale != nil {
			n *= scale[i] * scale[i]
		}
		sum += n
	}
	return sum
}

// squares is the sum over the ratings of the squared lengths of features.
func squares(f *features.Rows, count []float64) (sum float64) {
	for i, n := range count {
		for _, x := range f.Values[f.Ptr[i]:f.Ptr[i+1]] {
			sum += n * x * x
		}
	}
	return sum
}

// Operator observes entries with these features.
func (s *Sides) Operator(entries inductive.Entries) (gcg.Operator, error) {
	op, err := inductive.NewListed(entries, s.cells, s.Users.Side, s.Items.Side)
	s.op = op
	return op, err
}

// Model is one of an iterate: the factors of users and items are those of indicators and features together, over the scales.
func (s *Sides) Model(w *gcg.Iterate) (*model.Model, error) {
	m, err := model.Of("completion", w)
	if err != nil {
		return nil, err
	}
	u, v := model.Unpacked(m.U, s.Users.Rows(), m.Rank), model.Unpacked(m.V, s.Items.Rows(), m.Rank)
	left, right := s.op.Times(u, v)
	m.Rows, m.RowFeatures, m.RowRated = s.Users.N, s.Users.features(m.U, m.Rank), s.Users.rated(m.U, m.Rank)
	m.Cols, m.ColFeatures, m.ColRated = s.Items.N, s.Items.features(m.V, m.Rank), s.Items.rated(m.V, m.Rank)
	m.U, m.V = s.Users.unscaled(left), s.Items.unscaled(right)
	return m, nil
}

// unscaled is S W over the scale, row by row.
func (s *Side) unscaled(rows *gcg.Factor) []float64 {
	if s.Scale != nil {
		for i, by := range s.Scale {
			for c := range rows.K {
				rows.Row(i)[c] /= by
			}
		}
	}
	return model.Packed(rows)
}

// features are those of a factor.
func (s *Side) features(x []float64, k int) *model.Features {
	return &model.Features{Encoding: s.Encoding, Factor: append([]float64(nil), x[s.N*k:(s.N+s.P)*k]...)}
}

// rated is the part of a factor that lists of what was rated have, or nil.
func (s *Side) rated(x []float64, k int) *model.Rated {
	if s.Listed == nil {
		return nil
	}
	return &model.Rated{Weight: s.Encoding.Scale, Power: RatedPower, Factor: append([]float64(nil), x[(s.N+s.P)*k:]...)}
}

// Known is what a model to start from has of lists, by the numbers of the problem: the factors of listed items, of the users'
// lists, and of listed users; nil for none.
type Known struct{ Items, Users *gcg.Factor }

// Start is where a model is on the problem, from its factors u and v of the users and items, in the scales of the problem and
// with those of the features in them: these are taken out and put in places of their own.
func (s *Sides) Start(m *model.Model, u, v *gcg.Factor, known Known) *gcg.Iterate {
	left := s.Users.start(m.RowFeatures, m.S, u.K, m.RowRated, known.Items)
	right := s.Items.start(m.ColFeatures, m.S, u.K, m.ColRated, known.Users)
	x, y := s.op.Times(left, right) // of the features alone
	s.Users.addOwn(left, u, x)
	s.Items.addOwn(right, v, y)
	return &gcg.Iterate{M: left.Rows, N: right.Rows, U: left, V: right}
}

// start is the factor of all rows of W, without those of indicators.
func (s *Side) start(known *model.Features, sigma []float64, k int, rated *model.Rated, listed *gcg.Factor) *gcg.Factor {
	w := gcg.NewFactor(s.Rows(), k)
	if known != nil {
		at := map[string]int{}
		for i, name := range known.Encoding.Names() {
			at[name] = i
		}
		for p, name := range s.Encoding.Names() {
			if i, ok := at[name]; ok {
				for c, x := range known.Factor[i*k : (i+1)*k] {
					w.Row(s.N + p)[c] = x * math.Sqrt(sigma[c]) * known.Encoding.Scale / s.Encoding.Scale
				}
			}
		}
	}
	if rated != nil && listed != nil && s.Listed != nil {
		for i := range s.Lists {
			for c, x := range listed.Row(i)[:k] {
				w.Row(s.N + s.P + i)[c] = x * rated.Weight / s.Encoding.Scale
			}
		}
	}
	return w
}

// addOwn gives the indicators what the features do not have of a factor f.
func (s *Side) addOwn(w, f, features *gcg.Factor) {
	for i := range s.N {
		for c, x := range f.Row(i)[:f.K] {
			of := features.Row(i)[c]
			if s.Scale != nil {
				of /= s.Scale[i]
			}
			w.Row(i)[c] = x - of
		}
	}
}
