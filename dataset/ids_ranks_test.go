package dataset

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
)

// Ranks agree on ids in the order of the ranks, each once, whichever of them have an id, or none.
func TestIDsOverRanks(t *testing.T) {
	own := [][]string{{"b", "7", "a"}, {}, {"a", "c", "7", ""}, {"c", "b", "70"}}
	want := []string{"b", "7", "a", "c", "", "70"}
	for _, ranks := range []int{1, 4} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			list := own[c.Rank()]
			if ranks == 1 {
				list = slices.Concat(own[0], own[2][1:2], own[2][3:], own[3][2:])
			}
			all, at := NewIDs(list).OverRanks(c)
			if !slices.Equal(all.Texts(), want) {
				return fmt.Errorf("%q", all.Texts())
			}
			for i, id := range list {
				if want[at[i]] != id {
					return fmt.Errorf("%q is at %d", id, at[i])
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}
