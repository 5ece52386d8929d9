package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
)

// A model and a checkpoint of rows that ranks share are those of one process: a rank has its own, and all save them together.
// Where the file cannot be written the first rank says so, and no other waits for it.
func TestSharedRows(t *testing.T) {
	const m, n, k = 40, 9, 3
	u, v := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			f.Row(i)[i%k] = float64(1 + i/k)
		}
	}
	var alone bytes.Buffer
	folder := t.TempDir()
	for _, ranks := range []int{1, 2, 5} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			rows, err := cluster.Spread(c, slices.Repeat([]int64{1}, m))
			if err != nil {
				return err
			}
			w := &gcg.Iterate{M: m, N: n, U: u.SharedBy(rows), V: v.SharedBy(rows.Beside(n))}
			shared, err := Of("completion", w)
			if err != nil {
				return err
			}
			if len(shared.U) > (m/ranks+m/8)*k {
				return fmt.Errorf("a rank has %d numbers of U", len(shared.U))
			}
			var whole bytes.Buffer
			if err := shared.Whole().Write(&whole); err != nil {
				return err
			}
			if ranks == 1 {
				alone = whole
			} else if err := shared.Write(&whole); err == nil {
				return fmt.Errorf("a rank writes what it has not")
			}
			name := filepath.Join(folder, "my.gcg")
			if err := shared.SaveOver(c, name); err != nil {
				return err
			}
			if err := shared.SaveOver(c, filepath.Join(folder, "none", "my.gcg")); (err == nil) != (c.Rank() > 0) {
				return fmt.Errorf("rank %d: %v", c.Rank(), err)
			}
			if saved, err := os.ReadFile(name); c.Rank() == 0 && !bytes.Equal(saved, alone.Bytes()) {
				return fmt.Errorf("another file, %w", err)
			}
			saved := filepath.Join(folder, "my.ckpt")
			for _, save := range []bool{false, true} { // that of fewer ranks, and then their own
				if save {
					if err := CheckpointOf(&gcg.State{W: w}, "p", 1).Save(saved, c); err != nil {
						return err
					}
				} else if ranks == 1 {
					continue
				}
				got, err := loadCheckpoint(saved, w.U.Shared, w.V.Shared)
				if err != nil || !slices.Equal(got.U, Packed(w.U)) || !slices.Equal(got.V, Packed(w.V)) {
					return fmt.Errorf("rank %d resumes from %v, %w", c.Rank(), got, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
		c, err := LoadCheckpoint(filepath.Join(folder, "my.ckpt"))
		if err != nil || !slices.Equal(c.U, Packed(u)) || !slices.Equal(c.V, Packed(v)) {
			t.Errorf("%d ranks: %v %v", ranks, c, err)
		}
	}
}

// A model of some rows predicts for them as the whole does, and has no others, with ids and without.
func TestLoadRows(t *testing.T) {
	whole := sample(rand.New(rand.NewPCG(4, 1)))
	whole.Problem = "completion"
	name := filepath.Join(t.TempDir(), "m")
	for _, ids := range [][]string{whole.RowIDs, nil} {
		whole.RowIDs = ids
		if err := whole.Save(name); err != nil {
			t.Fatal(err)
		}
		named := *whole
		named.Name()
		some, err := LoadRows(name, func(id []byte) bool { return slices.Index(named.RowIDs, string(id))%2 == 1 })
		if err != nil || some.Rows != whole.Rows/2 {
			t.Fatal(some, err)
		}
		for i, id := range some.RowIDs {
			for j := range whole.Cols {
				if id != named.RowIDs[2*i+1] || some.Predict(i, j) != whole.Predict(2*i+1, j) {
					t.Fatalf("row %s, column %d: %v, not %v", id, j, some.Predict(i, j), whole.Predict(2*i+1, j))
				}
			}
		}
	}
	if _, err := LoadRows(name, func([]byte) bool { return false }); err != nil {
		t.Error(err)
	}
}
