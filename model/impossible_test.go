package model

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A checkpoint whose numbers no run has, such as a negative iteration, is damaged: its bound would be believed. What Load refuses
// Write does not write, else a run could not be continued.
func TestImpossibleCheckpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c")
	for name, change := range map[string]func(*Checkpoint){
		"":                   func(*Checkpoint) {},
		"kind":               func(c *Checkpoint) { c.Progress.Kind = -1 },
		"iteration":          func(c *Checkpoint) { c.Progress.Iteration = -1 },
		"ρ":                  func(c *Checkpoint) { c.Progress.Rho = -1e-9 },
		"λ":                  func(c *Checkpoint) { c.Progress.Lambda = -2 },
		"weight of a term":   func(c *Checkpoint) { c.Terms[0].Weight = -1 },
		"rank":               func(c *Checkpoint) { c.Rank = 4 },
		"number of rows":     func(c *Checkpoint) { c.Rows = -1 },
		"last column":        func(c *Checkpoint) { c.Terms[0].Cols[1] = 3 },
		"key of a term":      func(c *Checkpoint) { c.Terms[0].Key = -1 },
		"row of a term":      func(c *Checkpoint) { c.Terms[0].Rows[0] = 2 },
		"column of a term":   func(c *Checkpoint) { c.Terms[0].Cols[0] = -1 },
		"last row of a term": func(c *Checkpoint) { c.Terms[0].Rows[1] = -1 },
	} {
		c := &Checkpoint{Rows: 2, Cols: 3, U: []float64{}, V: []float64{}, Progress: Progress{Problem: "p"},
			Terms: []Term{{Key: 0, Weight: 2, Rows: []int32{0, 1}, Cols: []int32{2, 0}, Values: []float64{1, -1}}}}
		change(c)
		var b bytes.Buffer
		if err := c.Write(&b); (err == nil) != (name == "") || err != nil &&
			(!strings.HasPrefix(err.Error(), "model: the checkpoint is not saved: it") || b.Len() > 0) {
			t.Errorf("an impossible %s is written: %v", name, err)
		}
		b.Reset()
		if err := c.encode(&b); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file, b.Bytes(), 0o600)
		if _, err := LoadCheckpoint(file); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("an impossible %s: %v", name, err)
		}
	}
}

// A model whose parts do not fit together is refused by Write, which leaves nothing behind, as it is by Load: else it would be
// lost at the next start.
func TestImpossibleModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m")
	for name, change := range map[string]func(*Model){
		"":                         func(*Model) {},
		"its U and V":              func(m *Model) { m.U = m.U[:1] },
		"are not 7×4 and 9×4":      func(m *Model) { m.Rank = 4 },
		"1 singular values":        func(m *Model) { m.S = m.S[:1] },
		"1 row ids where 7":        func(m *Model) { m.RowIDs = m.RowIDs[:1] },
		"10 column ids where 9":    func(m *Model) { m.ColIDs = append(m.ColIDs, "k") },
		"0 row scales where 7":     func(m *Model) { m.RowScale = []float64{} },
		"8 column scales where 9":  func(m *Model) { m.ColScale = m.ColScale[1:] },
		"6 row offsets where 7":    func(m *Model) { m.RowOffset = m.RowOffset[1:] },
		"9 column offsets where 8": func(m *Model) { m.Cols, m.V, m.ColIDs, m.ColScale = 8, m.V[:16], m.ColIDs[1:], m.ColScale[1:] },
		"is sparse and has":        func(m *Model) { m.Entries = &Entries{Rows: []int32{0}, Cols: []int32{0}, Values: []float64{1}} },
		"row 8 and column 1":       func(m *Model) { sparse(m, Entries{[]int32{7}, []int32{0}, []float64{1}}) },
		"row 1 and column 0":       func(m *Model) { sparse(m, Entries{[]int32{0}, []int32{-1}, []float64{1}}) },
		"after row 2":              func(m *Model) { sparse(m, Entries{[]int32{1, 0}, []int32{0, 0}, []float64{1, 1}}) },
	} {
		m := sample(rand.New(rand.NewPCG(8, 1)))
		change(m)
		var b bytes.Buffer
		if err := m.Write(&b); (err == nil) != (name == "") || err != nil &&
			(!strings.HasPrefix(err.Error(), "model: is not saved: ") || !strings.Contains(err.Error(), name) || b.Len() > 0) {
			t.Errorf("%q is written: %v", name, err)
		}
		b.Reset()
		if err := m.encode(&b); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file, b.Bytes(), 0o600)
		if _, err := Load(file); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%q is read: %v", name, err)
		}
	}
	for _, e := range []Entries{{nil, []int32{0}, []float64{1}}, {[]int32{0}, nil, []float64{1}}, {[]int32{0}, []int32{0}, nil}} {
		m := &Model{Rows: 1, Cols: 1, Entries: &e}
		if err := m.Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "its matrix: ") {
			t.Errorf("entries %v: %v", e, err)
		}
	}
}

// sparse makes a model one of a sparse W.
func sparse(m *Model, e Entries) { m.Rank, m.U, m.V, m.S, m.Entries = 0, nil, nil, nil, &e }

// Numbers that are not finite are refused when a checkpoint is written, not when it is needed.
func TestCheckpointIsFinite(t *testing.T) {
	for _, c := range []*Checkpoint{
		{Rows: 1, Cols: 1, Rank: 1, U: []float64{math.NaN()}, V: []float64{1}},
		{Rows: 1, Cols: 1, Terms: []Term{{Weight: math.Inf(1)}}},
		{Rows: 1, Cols: 1, Terms: []Term{{Weight: 1, Rows: []int32{0}, Cols: []int32{0}, Values: []float64{math.Inf(-1)}}}},
	} {
		var b bytes.Buffer
		if err := c.Write(&b); err == nil || !strings.Contains(err.Error(), "is not saved") || b.Len() > 0 {
			t.Errorf("%+v is written: %v", c, err)
		}
	}
}

// A term of weight 0, which a step to an end of a line leaves, does not make a checkpoint useless.
func TestTermOfNoWeight(t *testing.T) {
	c := &Checkpoint{Rows: 1, Cols: 2, U: []float64{}, V: []float64{}, Terms: []Term{
		{Key: 1, Rows: []int32{0}, Cols: []int32{0}, Values: []float64{1}}, {Key: 2, Weight: 3, Rows: []int32{0}, Cols: []int32{1},
			Values: []float64{1}}}}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "c")
	os.WriteFile(file, b.Bytes(), 0o600)
	got, err := LoadCheckpoint(file)
	if err != nil || len(got.Terms) != 1 || got.Terms[0].Key != 2 || len(c.Terms) != 2 {
		t.Errorf("%v: %+v", err, got)
	}
}

// What the metadata cannot hold is refused when it is written: texts that JSON would change, and numbers that it has not.
func TestMetadataRefuses(t *testing.T) {
	nan := math.NaN()
	for name, write := range map[string]func(io.Writer) error{
		"problem":  (&Model{Rows: 1, Cols: 1, Problem: "h\xe9l"}).Write,
		"info":     (&Model{Rows: 1, Cols: 1, Info: Info{LowerBound: &nan}}).Write,
		"progress": (&Checkpoint{Rows: 1, Cols: 1, Progress: Progress{Failure: nan}}).Write,
	} {
		var b bytes.Buffer
		if err := write(&b); err == nil || !strings.HasPrefix(err.Error(), "model: ") || !strings.Contains(err.Error(), name) ||
			b.Len() > 0 {
			t.Errorf("%s is written: %v", name, err)
		}
	}
}
