package gauge

import (
	"fmt"
	"math"
)

// EntriesOfRows makes groups of rows of a rows×cols W groups of its entries, as Group.Index has them. An error is for W of more
// entries than int32 numbers.
func EntriesOfRows(groups [][]int32, rows, cols int) ([][]int32, error) {
	if float64(rows)*float64(cols) > math.MaxInt32 {
		return nil, fmt.Errorf("groups of features are for up to 2³¹-1 entries, and W is %d × %d", rows, cols)
	}
	entries := make([][]int32, len(groups))
	for g, members := range groups {
		for _, i := range members {
			for j := range cols {
				entries[g] = append(entries[g], i*int32(cols)+int32(j))
			}
		}
	}
	return entries, nil
}
