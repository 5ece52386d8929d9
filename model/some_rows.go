package model

import (
	"slices"
	"strconv"
)

// someRows are the rows of a model that are read, while it is.
type someRows struct {
	wanted func(id []byte) bool
	here   []bool // of all rows, once their ids are known
	texts  []byte // of the ids of those that are wanted
	ends   []int64
}

// ofRows are the tensors with a row, or a number, for each row of a completion. They stand behind row_ids in the file.
var ofRows = []string{"row_offset", "row_scale", "u"}

// choose keeps the wanted rows of a completion.
func (s *someRows) choose(name string, rows int, before *contents) func(i int) bool {
	if before.meta["problem"] != "completion" || !slices.Contains(ofRows, name) {
		return nil
	}
	if s.here == nil && !s.find(rows, before.tensors["row_ids"].u8, before.tensors["row_ids_ends"].i64) {
		return nil
	}
	return func(i int) bool { return i < len(s.here) && s.here[i] }
}

// find finds the rows that are wanted, and says whether ids are those of so many rows. Rows without ids are called by number.
func (s *someRows) find(rows int, texts []byte, ends []int64) bool {
	if len(ends) > 0 && len(ends) != rows {
		return false
	}
	lo := int64(0)
	for i := range rows {
		var id []byte
		switch {
		case len(ends) == 0:
			id = strconv.AppendInt(nil, int64(i+1), 10)
		case ends[i] < lo || ends[i] > int64(len(texts)):
			return false
		default:
			id, lo = texts[lo:ends[i]], ends[i]
		}
		is := s.wanted(id)
		if s.here = append(s.here, is); is {
			s.texts = append(s.texts, id...)
			s.ends = append(s.ends, int64(len(s.texts)))
		}
	}
	return true
}

// restrict gives tensors of which the wanted rows were read their shape.
func (s *someRows) restrict(t map[string]tensor) {
	if s.here == nil {
		return
	}
	u := t["u"]
	if len(u.shape) > 0 {
		u.shape[0] = len(s.ends)
	}
	t["row_ids"], t["row_ids_ends"] = tensor{u8: s.texts}, tensor{i64: s.ends}
}
