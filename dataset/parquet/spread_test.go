package parquet

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// Ranks read the row groups of a folder's files in parts: together all ratings, by the ids of one process. There may be more
// ranks than row groups.
func TestRatingsOverRanks(t *testing.T) {
	folder := t.TempDir()
	for part := range 3 {
		var list []dataset.Rating
		for e := range 50 + 30*part {
			e += 200 * part
			list = append(list, dataset.Rating{User: fmt.Sprint("u", e*7%90), Item: fmt.Sprint("i", e), Value: float64(e % 5)})
		}
		r, err := dataset.FromSlice(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := dataset.WriteRatings(filepath.Join(folder, fmt.Sprintf("part-%d.parquet", part)), r); err != nil {
			t.Fatal(err)
		}
	}
	one, err := dataset.RatingsReader{}.ReadRatings(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{1, 2, 3, 5} {
		var readers atomic.Int32
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			r, err := dataset.RatingsReader{Ranks: c}.ReadRatings(folder)
			if err != nil {
				return err
			}
			if r.Len() > 0 {
				readers.Add(1)
			}
			if r.Total() != one.Len() || r.Checksum != one.Checksum || r.Columns != one.Columns ||
				!slices.Equal(r.RowIDs.Texts(), one.RowIDs.Texts()) || !slices.Equal(r.ColIDs.Texts(), one.ColIDs.Texts()) {
				return fmt.Errorf("%d ratings, %s %q", r.Total(), r.Checksum, r.Columns)
			}
			return nil
		})
		if err != nil || int(readers.Load()) != ranks {
			t.Errorf("%d ranks, of which %d have ratings: %v", ranks, readers.Load(), err)
		}
	}
}

// Ranks read rows of features by row groups, with texts that are categories, and answers, as one process does, though a rank may
// have no row group.
func TestRowsOverRanks(t *testing.T) {
	folder := t.TempDir()
	for part := range 3 {
		var list []dataset.Rating
		for i := range 30 {
			list = append(list, dataset.Rating{User: fmt.Sprint("u", (7*i+part)%5), Item: fmt.Sprint("i", part+i%3),
				Value: float64(i * i % 7)})
		}
		r, err := dataset.FromSlice(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := dataset.WriteRatings(filepath.Join(folder, fmt.Sprintf("part-%d.parquet", part)), r); err != nil {
			t.Fatal(err)
		}
	}
	one, err := dataset.RowsReader{}.Read(folder, "rating")
	if err != nil || one.X.Cols < 5 {
		t.Fatal(one, err)
	}
	for _, ranks := range []int{1, 2, 5} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			r, err := dataset.RowsReader{Ranks: c}.Read(folder, "rating")
			if err != nil {
				return err
			}
			if err := r.OverRanks(c); err != nil {
				return err
			}
			lo, hi := r.Spread.OwnRows()
			if !slices.Equal(r.X.Dense, one.X.Dense[lo*one.X.Cols:hi*one.X.Cols]) || !slices.Equal(r.X.Names, one.X.Names) ||
				!slices.Equal(r.Targets.Dense, one.Targets.Dense) {
				return fmt.Errorf("rows %d to %d are others: %v", lo, hi, r.X.Names)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// Parts are all row groups, each once.
func TestParts(t *testing.T) {
	files, err := filepath.Glob(folder + "/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		whole, err := dataset.RatingsReader{}.ReadRatings(file)
		if err != nil {
			continue // is of something else
		}
		err = cluster.InProcess(4, func(c *cluster.Comm) error {
			r, err := dataset.RatingsReader{Ranks: c}.ReadRatings(file)
			if err == nil && r.Total() != whole.Len() {
				err = fmt.Errorf("%d ratings of %d", r.Total(), whole.Len())
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
