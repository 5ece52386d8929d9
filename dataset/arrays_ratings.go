package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/param"
)

// ratings makes ratings of arrays, whose rows are users and whose columns are items.
func (a *arrays) ratings(o RatingsReader) (*Ratings, error) {
	if o.Columns != "" {
		return nil, param.Errorf("%s: holds arrays, which are found by their names; leave %v out", a.name, param.Columns)
	}
	a.summed()
	x, err := a.where()
	if err != nil {
		return nil, err
	}
	if x.entries == 0 {
		return nil, fmt.Errorf("%s: has no entry; a rating is one", a.name)
	}
	if x.ptr != nil {
		x.expand()
	}
	r := &Ratings{Name: a.name, Rows: x.rows, Cols: x.cols}
	r.placeOf = func(e int) string { return fmt.Sprintf("%s: entry %d", a.name, e+1) }
	if err := a.values(r, o); err != nil {
		return nil, err
	}
	if err := a.beside(r, o); err != nil {
		return nil, err
	}
	for side, ids := range []**IDs{&r.RowIDs, &r.ColIDs} {
		if *ids, err = a.ids([]string{"row_ids", "col_ids"}[side], x.shape[side], x.entries); err != nil {
			return nil, err
		}
	}
	r.Shape = x.shape
	if o.RowIDs != nil {
		s := r.By(o.RowIDs, o.ColIDs)
		s.placeOf, r = r.placeOf, s
	}
	if o.Narrow {
		r.narrow.rows, r.narrow.cols = listOf(r.Rows), listOf(r.Cols)
		r.Rows, r.Cols = nil, nil
	}
	r.Checksum = a.checksum()
	return r, nil
}

// values reads the ratings themselves.
func (a *arrays) values(r *Ratings, o RatingsReader) (err error) {
	if !a.has("data") {
		if !o.ValuesOptional {
			return fmt.Errorf("%s: has no data.npy; each entry needs a rating", a.name)
		}
		r.Values, r.NoValues = make([]float64, len(r.Rows)), true
		return nil
	}
	a.gaps = o.ValuesOptional
	n := 0
	switch {
	case o.Narrow:
		r.narrow = &gathered{}
		var values []float64
		if values, err = line[float64](a, "data"); err != nil {
			return err
		}
		singles := make([]float32, len(values))
		for e, v := range values {
			singles[e] = r.narrow.narrowed.of(v)
		}
		r.narrow.singles, n = listOf(singles), len(singles)
	case o.Labels:
		var texts []string
		if texts, err = a.texts("data"); err != nil {
			return err
		}
		ids := &IDs{}
		r.Values, n = make([]float64, len(texts)), len(texts)
		for e, s := range texts {
			r.Values[e] = float64(ids.Add([]byte(s)))
		}
		r.Labels = ids.Texts()
	default:
		if r.Values, err = line[float64](a, "data"); err != nil {
			return err
		}
		n = len(r.Values)
	}
	if n != len(r.Rows) {
		return fmt.Errorf("%s: has %d values for %d entries; give one for each", a.name, n, len(r.Rows))
	}
	return a.inRange(r)
}

// inRange refuses ratings whose powers overflow, and notes where none is given.
func (a *arrays) inRange(r *Ratings) error {
	given := len(r.Values) == 0
	for e, v := range r.Values {
		if math.Abs(v) > largestRating {
			return fmt.Errorf("%s: the rating is %g; beyond %g powers of ratings overflow: give them in a larger unit", r.place(e), v,
				largestRating)
		}
		given = given || v == v
	}
	if !given { // those that may be missing all are
		clear(r.Values)
		r.NoValues = true
	}
	return nil
}

// beside reads weights, offsets and times.
func (a *arrays) beside(r *Ratings, o RatingsReader) (err error) {
	for k, to := range []*[]float64{&r.Omega, &r.Offset} {
		what := []string{"weight", "offset"}[k]
		if !a.has(what) {
			continue
		}
		if o.Narrow {
			return param.Errorf("%s: has a %s for each rating, which float32 has no place for; leave %v out", a.name, what,
				param.Narrow)
		}
		if *to, err = line[float64](a, what); err != nil {
			return err
		}
		for e, v := range *to {
			if k == 0 && v < 0 {
				return fmt.Errorf("%s: the weight is %v; a weight is 0 or more", r.place(e), v)
			}
		}
		if len(*to) != len(r.Rows) {
			return fmt.Errorf("%s: has %d %ss for %d entries; give one for each", a.name, len(*to), what, len(r.Rows))
		}
	}
	if !o.times() || !a.has("time") {
		return nil
	}
	err = a.read("time", func(n *npyArray) error {
		r.Times, err = n.seconds()
		return err
	})
	if err == nil && len(r.Times) != len(r.Rows) {
		err = fmt.Errorf("%s: has %d times for %d entries; give one for each", a.name, len(r.Times), len(r.Rows))
	}
	return err
}

// seconds reads times: numbers of seconds, or NumPy's datetime64 in a unit from nanoseconds to days.
func (a *npyArray) seconds() ([]int64, error) {
	per := 1.0
	if unit, is := strings.CutPrefix(a.descr, "<M8["); is {
		units := map[string]float64{"D": 1. / 86400, "h": 1. / 3600, "m": 1. / 60, "s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}
		if per = units[strings.TrimSuffix(unit, "]")]; per == 0 {
			return nil, a.errorf("holds times of type %q; save them with .astype('datetime64[s]')", a.descr)
		}
		a.descr = "<i8"
	}
	values, err := numbersOf[float64](a)
	if err != nil {
		return nil, err
	}
	times := make([]int64, len(values))
	for e, v := range values {
		if v == math.MinInt64 { // NumPy's NaT
			return nil, a.errorf("time %d is missing (NaT); fill it in or leave the entry out", e+1)
		}
		times[e] = int64(math.Floor(v / per))
	}
	return times, nil
}

// ids are what n rows or columns are called: the texts of a member, or their numbers from 0.
func (a *arrays) ids(member string, n, entries int) (*IDs, error) {
	ids := &IDs{}
	if !a.has(member) {
		if n > emptyRows(entries) {
			return nil, fmt.Errorf("%s: claims %d rows or columns but has only %d entries; mend its shape", a.name, n, entries)
		}
		var b [20]byte
		for i := range n {
			ids.Add(strconv.AppendInt(b[:0], int64(i), 10))
		}
		return ids, nil
	}
	texts, err := a.texts(member)
	if err != nil {
		return nil, err
	}
	if len(texts) != n {
		return nil, fmt.Errorf("%s: has %d ids for %d of the matrix; give one for each", a.members[member].file, len(texts), n)
	}
	for i, s := range texts {
		if s == "" {
			return nil, fmt.Errorf("%s: id %d is empty; every one needs a name", a.members[member].file, i+1)
		}
		if at := ids.Add([]byte(s)); int(at) != i {
			return nil, fmt.Errorf("%s: ids %d and %d are both %q; every one needs a name of its own", a.members[member].file, at+1,
				i+1, s)
		}
	}
	return ids, nil
}
