package recovery

import (
	"fmt"
	"strconv"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// number gives the training entries, and those to test and to choose by, the rows and columns of the shape: ids from 1, or from 0
// where one is 0. Without a shape a square matrix has the ids of rows and columns together.
func (t *Task) number() error {
	if t.Shape == [2]int{} {
		if t.Cone != General {
			t.joinIDs()
		}
		t.Shape = [2]int{t.Train.RowIDs.Len(), t.Train.ColIDs.Len()}
		t.Shape = [2]int{max(t.Shape[0], t.Train.Shape[0]), max(t.Shape[1], t.Train.Shape[1])}
		if err := t.granted(); err != nil {
			return err
		}
	} else if err := t.numberByShape(); err != nil {
		return err
	}
	for _, r := range []**dataset.Ratings{&t.Test, &t.Valid} {
		if *r != nil && ((*r).RowIDs != t.Train.RowIDs || (*r).ColIDs != t.Train.ColIDs) {
			*r = (*r).By(t.Train.RowIDs, t.Train.ColIDs)
		}
	}
	return nil
}

// granted refuses a matrix that the steps could not write out.
func (t *Task) granted() error {
	const fewest = 2 // W, and what its steps need
	return memory.GrantMatrix(dataset.Called(t.Train.Name), fewest, t.Shape[0], t.Shape[1])
}

// shaped is ratings with a shape that has room for all ids, which those that were put together by hand may lack.
func shaped(r *dataset.Ratings) *dataset.Ratings {
	s := *r
	s.Shape = [2]int{max(r.Shape[0], r.RowIDs.Len()), max(r.Shape[1], r.ColIDs.Len())}
	return &s
}

// joinIDs numbers rows and columns by one list of ids.
func (t *Task) joinIDs() {
	ids := dataset.NewIDs(t.Train.RowIDs.Texts())
	for _, text := range t.Train.ColIDs.Texts() {
		ids.Add([]byte(text))
	}
	r := t.Train.By(ids, ids)
	r.Shape = [2]int{ids.Len(), ids.Len()}
	t.Train = r
}

// numberByShape is number for a shape that is given.
func (t *Task) numberByShape() error {
	m, n := t.Shape[0], t.Shape[1]
	if m < 1 || n < 1 {
		return fmt.Errorf("task: a matrix of %d×%d has no entries", m, n)
	}
	if err := t.granted(); err != nil {
		return err
	}
	from := 1
	if t.Train.RowIDs.Find([]byte("0")) >= 0 || t.Train.ColIDs.Find([]byte("0")) >= 0 {
		from = 0
	}
	for e := range t.Train.Rows {
		for side, id := range [2]string{t.Train.RowIDs.Text(int(t.Train.Rows[e])), t.Train.ColIDs.Text(int(t.Train.Cols[e]))} {
			i, err := strconv.Atoi(id)
			if err != nil || i < from || i >= from+t.Shape[side] {
				return fmt.Errorf("%s: %s %q is outside of a matrix of %d×%d, whose %ss are numbered from %d to %d",
					place(t.Train, e), [2]string{"row", "column"}[side], id, m, n, [2]string{"row", "column"}[side], from,
					from+t.Shape[side]-1)
			}
		}
	}
	rows := numbered(from, m)
	cols := rows
	if m != n {
		cols = numbered(from, n)
	}
	r := t.Train.By(rows, cols)
	r.Shape = t.Shape
	t.Train = r
	return nil
}

// numbered are the ids from, from+1, ….
func numbered(from, n int) *dataset.IDs {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strconv.Itoa(from + i)
	}
	return dataset.NewIDs(texts)
}

// place is the file with the line of an entry, where that is known.
func place(r *dataset.Ratings, e int) string {
	if line := r.Line(e); line > 0 {
		return fmt.Sprintf("%s:%d", r.Name, line)
	}
	return r.Name
}
