// Package side makes completion with side information of features of users and items: the trace norm of
//
//	x_ij = [αᵢeᵢ; fᵢ]ᵀ W [βⱼeⱼ; gⱼ]
//
// for an indicator eᵢ of each user and its features fᵢ, and those of the items. See package operator/inductive. The features have
// a constant one, so that M, the block of W that users and items share, has biases of features and what all have in common. A
// user without ratings is predicted by its features, and without features by the constant.
package side

import (
	"fmt"
	"math"

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

// Number gives users and items that only the features know numbers behind those of the ratings. It is an error if a file has none
// of the ids of the ratings.
func (s *Information) Number(train *dataset.Ratings) error {
	for side, of := range s.both() {
		if of == nil {
			continue
		}
		ids, what := []*dataset.IDs{train.RowIDs, train.ColIDs}[side], []string{"users", "items"}[side]
		met := 0
		for _, at := range of.IDs.In(ids) {
			if at >= 0 {
				met++
			}
		}
		if met == 0 {
			return fmt.Errorf("%s: none of its ids, such as %q, is among the %s of %s, such as %q: its first column has the ids of %s",
				of.Name, of.IDs.Text(0), what, train.Name, ids.Text(0), what)
		}
		for i := range of.IDs.Len() {
			if ids.Add([]byte(of.IDs.Text(i))) < 0 {
				return fmt.Errorf("%s: there are more %s than can be numbered", of.Name, what)
			}
		}
		train.Shape[side] = ids.Len()
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
}

// A Side is the matrix of one side and how later files become rows of it.
type Side struct {
	*inductive.Side
	Encoding features.Encoding
}

// On makes the sides of a problem for a weight η from the numbers of ratings of each user and item, and their scales 1/√p, nil
// for 1.
func (f *Features) On(weight float64, rows, cols, rowScale, colScale []float64) *Sides {
	return &Sides{f.Users.side(weight, rows, rowScale), f.Items.side(weight, cols, colScale)}
}

// side is one of them.
func (l *Learnt) side(weight float64, count, scale []float64) Side {
	s, f := Side{Encoding: *l.Encoding}, l.Rows
	s.Encoding.Scale = weight * math.Sqrt(indicators(count, scale)/squares(f, count))
	values := make([]float64, len(f.Values))
	for e, x := range f.Values {
		values[e] = s.Encoding.Scale * x
	}
	s.Side = &inductive.Side{N: len(count), P: f.P, Scale: scale, Ptr: f.Ptr, Index: f.Index, Values: values}
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
	return inductive.New(entries, s.Users.Side, s.Items.Side)
}

// Model is one of an iterate: the factors of users and items are those of indicators and features together, over the scales.
func (s *Sides) Model(w *gcg.Iterate) (*model.Model, error) {
	m, err := model.Of("completion", w)
	if err != nil {
		return nil, err
	}
	m.Rows, m.U, m.RowFeatures = s.Users.split(m.U, m.Rank)
	m.Cols, m.V, m.ColFeatures = s.Items.split(m.V, m.Rank)
	return m, nil
}

// split makes of a factor of n+p rows the one of n rows, with what features add over the scale, and that of features.
func (s *Side) split(x []float64, k int) (n int, whole []float64, of *model.Features) {
	f := model.Unpacked(x, s.N+s.P, k)
	rows := s.Times(f)
	if s.Scale != nil {
		for i, by := range s.Scale {
			for c := range k {
				rows.Row(i)[c] /= by
			}
		}
	}
	return s.N, model.Packed(rows), &model.Features{Encoding: s.Encoding, Factor: append([]float64(nil), x[s.N*k:]...)}
}

// Start is where a model is on the problem, from its factors u and v of the users and items, in the scales of the problem and
// with those of the features in them: these are taken out and put in places of their own.
func (s *Sides) Start(m *model.Model, u, v *gcg.Factor) *gcg.Iterate {
	left, right := s.Users.start(m.RowFeatures, m.S, u), s.Items.start(m.ColFeatures, m.S, v)
	return &gcg.Iterate{M: left.Rows, N: right.Rows, U: left, V: right}
}

// start is the factor of n+p rows.
func (s *Side) start(known *model.Features, sigma []float64, f *gcg.Factor) *gcg.Factor {
	w := gcg.NewFactor(s.N+s.P, f.K)
	if known != nil {
		at := map[string]int{}
		for i, name := range known.Encoding.Names() {
			at[name] = i
		}
		for p, name := range s.Encoding.Names() {
			if i, ok := at[name]; ok {
				for c, x := range known.Factor[i*f.K : (i+1)*f.K] {
					w.Row(s.N + p)[c] = x * math.Sqrt(sigma[c]) * known.Encoding.Scale / s.Encoding.Scale
				}
			}
		}
	}
	by := s.Times(w) // of the features alone
	for i := range s.N {
		for c, x := range f.Row(i)[:f.K] {
			if s.Scale != nil {
				w.Row(i)[c] = x - by.Row(i)[c]/s.Scale[i]
			} else {
				w.Row(i)[c] = x - by.Row(i)[c]
			}
		}
	}
	return w
}
