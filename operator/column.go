package operator

import (
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// distinct is the ascending list of the different indices, and the place of each index in it.
func distinct(index []int32) (list []int32, place map[int32]int) {
	place = make(map[int32]int, len(index))
	for _, j := range index {
		if _, ok := place[j]; !ok {
			place[j] = 0
			list = append(list, j)
		}
	}
	sort.Slice(list, func(a, b int) bool { return list[a] < list[b] })
	for t, j := range list {
		place[j] = t
	}
	return list, place
}

// columns copies the given ascending features of X, in one pass: as columns of n values where X is dense, else of the values
// that are not 0. The caller sets Offset and Stride.
func (x *Features) columns(features []int32) []gcg.Column {
	out := make([]gcg.Column, len(features))
	sparse := x.rows.sparse()
	if !sparse {
		for t := range out {
			out[t].Values = make([]float64, x.n)
		}
		par.For(par.Grain(x.n, 256, 64), func(b int) {
			lo, hi := par.Range(b, par.Grain(x.n, 256, 64), x.n)
			row := make([]float64, len(features))
			for i := lo; i < hi; i++ {
				x.rows.entries(row, i, features)
				for t, v := range row {
					out[t].Values[i] = v
				}
			}
		})
		return out
	}
	row := make([]float64, len(features))
	for i := range x.n {
		x.rows.entries(row, i, features)
		for t, v := range row {
			if v != 0 {
				out[t].Index = append(out[t].Index, int32(i))
				out[t].Values = append(out[t].Values, v)
			}
		}
	}
	for t := range out {
		if out[t].Index == nil {
			out[t].Index = []int32{} // a feature that is 0 everywhere, not a dense one
		}
	}
	return out
}

// Columns has for each entry (j, c) of W the values of feature j, at the observations iC + c.
func (d *Design) Columns(rows, cols []int32) []gcg.Column {
	features, place := distinct(rows)
	x := d.x.columns(features)
	out := make([]gcg.Column, len(rows))
	for t, j := range rows {
		out[t] = x[place[j]]
		out[t].Offset, out[t].Stride = int(cols[t]), d.outputs
	}
	return out
}

// Columns has for each entry (j, t) of W the values of feature j in the samples of task t.
func (o *Tasks) Columns(rows, cols []int32) []gcg.Column {
	features, place := distinct(rows)
	x := o.x.columns(features)
	out := make([]gcg.Column, len(rows))
	for t, j := range rows {
		out[t] = gcg.Column{Index: []int32{}, Stride: 1}
		whole := x[place[j]]
		for e, v := range whole.Values {
			i := int32(e)
			if whole.Index != nil {
				i = whole.Index[e]
			}
			if o.task[i] == cols[t] && v != 0 {
				out[t].Index = append(out[t].Index, i)
				out[t].Values = append(out[t].Values, v)
			}
		}
	}
	return out
}

// Columns has for each entry of W a 1 at its one observation.
func (o *Identity) Columns(rows, cols []int32) []gcg.Column {
	out := make([]gcg.Column, len(rows))
	for t := range rows {
		out[t] = gcg.Column{Values: []float64{1}, Offset: int(rows[t])*o.n + int(cols[t]), Stride: 1}
	}
	return out
}

// Columns has for each entry of W its scale at the one observation of it, or nothing where there is none.
func (s *Sampling) Columns(rows, cols []int32) []gcg.Column {
	out := make([]gcg.Column, len(rows))
	for t, i := range rows {
		out[t] = gcg.Column{Index: []int32{}, Stride: 1}
		if e, ok := s.find(i, cols[t]); ok {
			out[t] = gcg.Column{Values: []float64{s.scale(int(i), int(cols[t]))}, Offset: e, Stride: 1}
		}
	}
	return out
}
