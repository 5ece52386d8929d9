package task

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/seed-b18ef778/gcg/dataset"
)

// The checksum is that of the bytes of all numbers, the lowest first on every processor, with the length of each list before it.
func TestChecksumOfManyNumbers(t *testing.T) {
	for _, rows := range []int{1, 7, 1022, 1023, 1024, 3000} {
		x := &dataset.Matrix{Rows: rows, Cols: 1, Dense: make([]float64, rows)}
		s := &Samples{X: x, Class: make([]int32, rows)}
		var all []byte
		add := func(v ...uint64) {
			for _, v := range v {
				all = binary.LittleEndian.AppendUint64(all, v)
			}
		}
		add(2, uint64(rows), 1, uint64(rows))
		for i := range x.Dense {
			x.Dense[i], s.Class[i] = math.Sqrt(float64(i)), int32(i%3)
			add(math.Float64bits(x.Dense[i]))
		}
		add(0, 0, 0, 0, uint64(rows))
		for _, v := range s.Class {
			all = binary.LittleEndian.AppendUint32(all, uint32(v))
		}
		add(0, 0, 0)
		want := fmt.Sprintf("xxh64:%016x", xxhash.Sum64(all))
		if got := s.Checksum(); got != want {
			t.Errorf("%d rows: %s, not %s", rows, got, want)
		}
	}
}

// Data that differ in a number, in a place or in what is missing have different checksums.
func TestChecksumTellsDataApart(t *testing.T) {
	seen := map[string]int{}
	x := func(v ...float64) *dataset.Matrix { return &dataset.Matrix{Rows: 2, Cols: len(v) / 2, Dense: v} }
	for k, s := range []*Samples{
		{X: x(1, 2, 3, 4), Y: []float64{1, 2}}, {X: x(1, 2, 3, 5), Y: []float64{1, 2}}, {X: x(1, 2), Y: []float64{3, 4, 1, 2}},
		{X: x(1, 2, 3, 4), Y: []float64{1, 2}, Missing: []bool{false, true}},
		{X: x(1, 2, 3, 4), Y: []float64{1, 2}, Missing: []bool{true, false}},
		{X: x(1, 2, 3, 4), Y: []float64{1, 2}, Weight: []float64{1, 2}},
		{X: x(1, 2, 3, 4), Class: []int32{0, 1}}, {X: x(1, 2, 3, 4), Task: []int32{0, 1}, Y: []float64{1, 2}},
	} {
		if other, twice := seen[s.Checksum()]; twice {
			t.Errorf("data %d and %d have one checksum", other, k)
		}
		seen[s.Checksum()] = k
	}
}
