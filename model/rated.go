package model

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Rated is the part that the list of what a row (or a column) rated has in its factor: a row that rated the columns j of a list
// of n has
//
//	Weight · n^-Power · Σ_j F_j
//
// in U, for the rows F_j of Factor.
type Rated struct {
	Weight float64   `json:"weight"`
	Power  float64   `json:"power"`
	Factor []float64 `json:"-"` // as many rows as the other side had in training, × Rank
}

// ListWeight is n^-power, and 0 for an empty list.
func ListWeight(n, power float64) float64 {
	if n <= 0 {
		return 0
	}
	return math.Pow(n, -power)
}

// addTo adds the part of a list to a row of U; what training did not know has none.
func (r *Rated) addTo(u []float64, list []int32) {
	k := len(u)
	by := r.Weight * ListWeight(float64(len(list)), r.Power)
	for _, j := range list {
		if at := int(j) * k; at+k <= len(r.Factor) {
			kernel.Axpy(by, r.Factor[at:at+k], u)
		}
	}
}

// towardsRated is ū of a new row with what its list says of it, times S; mean is what else is known, and may be nil.
func (m *Model) towardsRated(mean []float64, list []int32) []float64 {
	if m.RowRated == nil {
		return mean
	}
	u := make([]float64, m.Rank)
	m.RowRated.addTo(u, list)
	m.timesS(u)
	for c, x := range mean {
		u[c] += x
	}
	return u
}

// AddSeen makes users and items that the fit did not have known by lists of what was seen: pairs, whose ratings, if any, say
// nothing here. A new user is predicted by the list of its items, where the model has lists of users, and a new item by that
// of its users, where it has lists of items; to what AddRows and AddCols have added the list is added. Those of the fit stay as
// they are. It returns how many came in, none without a pair that the fit knows. A model without lists is an error.
func (m *Model) AddSeen(pairs *dataset.Ratings) (users, items int, err error) {
	if m.RowRated == nil && m.ColRated == nil {
		return 0, 0, fmt.Errorf("%s: the model was fitted without lists of what was rated", pairs.Name)
	}
	m.Name()
	atRow, atCol := pairs.RowIDs.In(dataset.NewIDs(m.RowIDs)), pairs.ColIDs.In(dataset.NewIDs(m.ColIDs))
	fit := [2]int32{int32(m.Rows - m.addedRows), int32(m.Cols - m.addedCols)}
	byUser, byItem := make([][]int32, len(atRow)), make([][]int32, len(atCol))
	for e, i := range pairs.Rows {
		j := pairs.Cols[e]
		if i < 0 || j < 0 {
			continue
		}
		row, col := atRow[i], atCol[j]
		user, item := row >= 0 && row < fit[0], col >= 0 && col < fit[1] // of the fit
		switch {
		case !user && item:
			byUser[i] = append(byUser[i], col)
		case user && !item:
			byItem[j] = append(byItem[j], row)
		}
	}
	users = m.addLists(m.RowRated, m.RowFeatures, pairs.RowIDs, byUser, atRow, &m.RowIDs, &m.U)
	items = m.addLists(m.ColRated, m.ColFeatures, pairs.ColIDs, byItem, atCol, &m.ColIDs, &m.V)
	m.Rows, m.Cols, m.addedRows, m.addedCols = m.Rows+users, m.Cols+items, m.addedRows+users, m.addedCols+items
	m.RowScale, m.RowOffset = widened(m.RowScale, m.Rows, 1), widened(m.RowOffset, m.Rows, 0)
	m.ColScale, m.ColOffset = widened(m.ColScale, m.Cols, 1), widened(m.ColOffset, m.Cols, 0)
	return users, items, nil
}

// addLists adds the parts of lists to rows of a factor, at the places that ids have in it; those with -1 come in.
func (m *Model) addLists(r *Rated, of *Features, ids *dataset.IDs, lists [][]int32, at []int32, names *[]string,
	factor *[]float64) (added int) {
	if r == nil {
		return 0
	}
	for i, list := range lists {
		slices.Sort(list)
		if list = slices.Compact(list); len(list) == 0 {
			continue
		}
		row := int(at[i])
		if row < 0 {
			row = len(*names)
			*names, *factor, added = append(*names, ids.Text(i)), append(*factor, factorOf(-1, nil, nil, of, m.Rank)...), added+1
		}
		r.addTo((*factor)[row*m.Rank:(row+1)*m.Rank], list)
	}
	return added
}

// lists are those of both sides, by the name of their part of a file.
func (m *Model) lists() map[string]**Rated {
	return map[string]**Rated{"row_rated": &m.RowRated, "col_rated": &m.ColRated}
}

// checkRated refuses lists that do not fit the rank.
func (m *Model) checkRated() error {
	for name, side := range m.lists() {
		r := *side
		if r != nil && (m.Rank == 0 && len(r.Factor) > 0 || m.Rank > 0 && len(r.Factor)%m.Rank != 0 || !finite(r.Weight) ||
			!(r.Power >= 0)) {
			return fmt.Errorf("its %s has %d numbers at rank %d, a weight of %v and the power %v", name, len(r.Factor), m.Rank,
				r.Weight, r.Power)
		}
	}
	return nil
}

// saveRated adds the lists to the tensors and the texts of a file.
func (m *Model) saveRated(meta map[string]string, tensors []tensor) ([]tensor, error) {
	for name, side := range m.lists() {
		r := *side
		if r == nil {
			continue
		}
		text, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("model: its lists are not saved: %w", err)
		}
		meta[name] = string(text)
		tensors = append(tensors, tensor{name: name, shape: []int{len(r.Factor) / max(m.Rank, 1), m.Rank}, f64: r.Factor})
	}
	return tensors, nil
}

// readRated reads them.
func (m *Model) readRated(meta map[string]string, t map[string]tensor) error {
	for name, side := range m.lists() {
		text, ok := meta[name]
		if !ok {
			continue
		}
		r := &Rated{Factor: t[name].f64}
		if err := json.Unmarshal([]byte(text), r); err != nil {
			return fmt.Errorf("is damaged: its %s is not JSON (%v)", name, err)
		}
		*side = r
	}
	return nil
}
