package model

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// The checksum would turn away nearly all that a fuzzer makes, so what is behind it is fuzzed without.

func FuzzLoad(f *testing.F) {
	m := sample(rand.New(rand.NewPCG(3, 1)))
	good := bytesOf(f, m)
	f.Add(good)
	f.Add(good[:40])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add(bytesOf(f, &Model{Rows: 2, Cols: 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parse(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil {
			oneLine(t, err)
			return
		}
		m, err := fromTensors(c.meta, c.tensors)
		if err != nil {
			oneLine(t, err)
			return
		}
		if m.Rows > 0 && m.Cols > 0 {
			m.Predict(0, 0)
			m.Predict(m.Rows-1, m.Cols-1)
		}
		if m.Rows > 0 && m.Cols < 1<<16 {
			m.Top(m.Rows-1, 3, nil)
			if m.Cols > 0 {
				m.FoldIn([]int32{0}, []float64{1}, 3)
			}
		}
	})
}

func FuzzLoadCheckpoint(f *testing.F) {
	lower := 1.5
	for _, c := range []*Checkpoint{
		{Rows: 2, Cols: 1, Rank: 2, U: []float64{1, 2, 3, 4}, V: []float64{5, 6},
			Progress: Progress{Problem: "p", LowerBound: &lower, Rho: 2, Lambda: 1}},
		{Rows: 4, Cols: 5},
	} {
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(bytesOf(f, sample(rand.New(rand.NewPCG(3, 1)))))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := parse(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil {
			oneLine(t, err)
			return
		}
		c, err := checkpointOf(x.meta, x.tensors, nil, nil)
		if err != nil {
			oneLine(t, err)
			return
		}
		if len(c.U) != c.Rows*c.Rank || len(c.V) != c.Cols*c.Rank || c.Progress.Iteration < 0 {
			t.Errorf("accepted %d×%d of rank %d with %d and %d numbers", c.Rows, c.Cols, c.Rank, len(c.U), len(c.V))
		}
	})
}

func oneLine(t *testing.T, err error) {
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
}
