package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A checkpoint whose numbers no run has, such as a negative iteration, is damaged: its bound would be believed.
func TestImpossibleCheckpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c")
	for name, change := range map[string]func(*Checkpoint){
		"":                   func(*Checkpoint) {},
		"kind":               func(c *Checkpoint) { c.Progress.Kind = -1 },
		"iteration":          func(c *Checkpoint) { c.Progress.Iteration = -1 },
		"ρ":                  func(c *Checkpoint) { c.Progress.Rho = -1e-9 },
		"λ":                  func(c *Checkpoint) { c.Progress.Lambda = -2 },
		"weight of a term":   func(c *Checkpoint) { c.Terms[0].Weight = 0 },
		"key of a term":      func(c *Checkpoint) { c.Terms[0].Key = -1 },
		"row of a term":      func(c *Checkpoint) { c.Terms[0].Rows[0] = 2 },
		"column of a term":   func(c *Checkpoint) { c.Terms[0].Cols[0] = -1 },
		"last row of a term": func(c *Checkpoint) { c.Terms[0].Rows[1] = -1 },
	} {
		c := &Checkpoint{Rows: 2, Cols: 3, U: []float64{}, V: []float64{}, Progress: Progress{Problem: "p"},
			Terms: []Term{{Key: 0, Weight: 2, Rows: []int32{0, 1}, Cols: []int32{2, 0}, Values: []float64{1, -1}}}}
		change(c)
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file, b.Bytes(), 0o600)
		if _, err := LoadCheckpoint(file); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("an impossible %s: %v", name, err)
		}
	}
}
