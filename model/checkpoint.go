package model

import (
	"encoding/json"
	"fmt"
	"io"
)

// A Checkpoint is what a run needs to continue: the factors with their weights spread evenly, and what is proven so far.
type Checkpoint struct {
	Rows, Cols, Rank int
	U, V             []float64 // row-major
	Progress         Progress
}

// Progress belongs to a checkpoint. Problem names data, λ and all else that must be the same to continue.
type Progress struct {
	Problem    string   `json:"problem"`
	Iteration  int      `json:"iteration"`
	LowerBound *float64 `json:"lower_bound,omitempty"`
	Kind       int      `json:"kind"`
	Failure    float64  `json:"failure"`
	Rho        float64  `json:"rho"`
	Lambda     float64  `json:"lambda"`
	Seed       uint64   `json:"seed"`
	Seconds    float64  `json:"seconds"`
}

// Write writes the checkpoint in the safetensors layout.
func (c *Checkpoint) Write(w io.Writer) error {
	text, err := json.Marshal(c.Progress)
	if err != nil {
		return err
	}
	meta := map[string]string{"format": "gcg-checkpoint", "format_version": "1", "progress": string(text)}
	return encode(w, meta, []tensor{
		{name: "u", shape: []int{c.Rows, c.Rank}, f64: c.U},
		{name: "v", shape: []int{c.Cols, c.Rank}, f64: c.V},
	})
}

// LoadCheckpoint reads a checkpoint.
func LoadCheckpoint(name string) (*Checkpoint, error) {
	meta, t, err := decode(name)
	if err != nil {
		return nil, err
	}
	c, err := checkpointOf(meta, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

func checkpointOf(meta map[string]string, t map[string]tensor) (*Checkpoint, error) {
	u, v := t["u"], t["v"]
	if meta["format"] != "gcg-checkpoint" || meta["format_version"] != "1" || len(u.shape) != 2 || len(v.shape) != 2 || u.shape[1] != v.shape[1] {
		return nil, fmt.Errorf("is no checkpoint of this version of gcg")
	}
	c := &Checkpoint{Rows: u.shape[0], Cols: v.shape[0], Rank: u.shape[1], U: u.f64, V: v.f64}
	if err := json.Unmarshal([]byte(meta["progress"]), &c.Progress); err != nil {
		return nil, fmt.Errorf("is damaged: %v", err)
	}
	if p := c.Progress; len(c.U) != c.Rows*c.Rank || len(c.V) != c.Cols*c.Rank || p.Kind < 0 || p.Iteration < 0 || !(p.Rho >= 0) || !(p.Lambda >= 0) {
		return nil, fmt.Errorf("is damaged: its factors or its progress are impossible")
	}
	return c, nil
}
