package task

import (
	"encoding/binary"
	"hash/crc64"
	"math"
	"strconv"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// The checksum is that of all numbers by eight bytes each, whatever the blocks that are hashed at once.
func TestChecksumOfManyNumbers(t *testing.T) {
	for _, rows := range []int{1, 7, 1022, 1023, 1024, 3000} {
		x := &dataset.Matrix{Rows: rows, Cols: 1, Dense: make([]float64, rows)}
		s := &Samples{X: x, Class: make([]int32, rows)}
		all := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(rows)), 1)
		for i := range x.Dense {
			x.Dense[i] = math.Sqrt(float64(i))
			all = binary.LittleEndian.AppendUint64(all, math.Float64bits(x.Dense[i]))
		}
		all = append(all, make([]byte, 8*rows)...)
		want := strconv.FormatUint(crc64.Checksum(all, crc64.MakeTable(crc64.ECMA)), 16)
		if got := s.Checksum(); got != want {
			t.Errorf("%d rows: %s, not %s", rows, got, want)
		}
	}
}
