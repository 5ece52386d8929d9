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
	Terms            []Term
	Progress         Progress
}

// A Term is a weighted sparse atom of a checkpoint.
type Term struct {
	Key        int64
	Weight     float64
	Rows, Cols []int32
	Values     []float64
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
	// Intercept is unpenalised and can be fitted anew, which is slow from far away.
	Intercept []float64 `json:"intercept,omitempty"`
}

// checkpointFormat tells the file from a model, whose format is gcg.
const checkpointFormat = "gcg-checkpoint"

// Write writes the checkpoint in the safetensors layout.
func (c *Checkpoint) Write(w io.Writer) error {
	text, err := json.Marshal(c.Progress)
	if err != nil {
		return err
	}
	meta := map[string]string{"format": checkpointFormat, "format_version": "1", "progress": string(text)}
	tensors := []tensor{{name: "u", shape: []int{c.Rows, c.Rank}, f64: c.U}, {name: "v", shape: []int{c.Cols, c.Rank}, f64: c.V}}
	if len(c.Terms) > 0 {
		meta["format_version"] = "2"
		tensors = append(tensors, termTensors(c.Terms)...)
	}
	return encode(w, meta, tensors)
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
	if meta["format"] == "gcg" {
		return nil, fmt.Errorf("is a model, not a checkpoint: start from it with --warm")
	}
	if meta["format"] != checkpointFormat || meta["format_version"] != "1" && meta["format_version"] != "2" || len(u.shape) != 2 || len(v.shape) != 2 || u.shape[1] != v.shape[1] {
		return nil, fmt.Errorf("is no checkpoint of this version of gcg")
	}
	c := &Checkpoint{Rows: u.shape[0], Cols: v.shape[0], Rank: u.shape[1], U: u.f64, V: v.f64}
	if err := json.Unmarshal([]byte(meta["progress"]), &c.Progress); err != nil {
		return nil, fmt.Errorf("is damaged: %v", err)
	}
	if p := c.Progress; len(c.U) != c.Rows*c.Rank || len(c.V) != c.Cols*c.Rank || p.Kind < 0 || p.Iteration < 0 || !(p.Rho >= 0) || !(p.Lambda >= 0) {
		return nil, fmt.Errorf("is damaged: its factors or its progress are impossible")
	}
	var err error
	c.Terms, err = readTerms(t, c.Rows, c.Cols)
	return c, err
}

// termTensors lay the terms end to end: term t holds the entries from ends[t-1] to ends[t].
func termTensors(terms []Term) []tensor {
	keys, ends, rows, cols := []int64{}, []int64{}, []int64{}, []int64{}
	weights, values := []float64{}, []float64{}
	for _, t := range terms {
		keys, weights = append(keys, t.Key), append(weights, t.Weight)
		for e := range t.Values {
			rows, cols = append(rows, int64(t.Rows[e])), append(cols, int64(t.Cols[e]))
		}
		values = append(values, t.Values...)
		ends = append(ends, int64(len(values)))
	}
	n, e := []int{len(terms)}, []int{len(values)}
	return []tensor{{name: "term_keys", shape: n, i64: keys}, {name: "term_weights", shape: n, f64: weights}, {name: "term_ends", shape: n, i64: ends},
		{name: "term_rows", shape: e, i64: rows}, {name: "term_cols", shape: e, i64: cols}, {name: "term_values", shape: e, f64: values}}
}

func readTerms(t map[string]tensor, m, n int) ([]Term, error) {
	keys, ends, weights := t["term_keys"].i64, t["term_ends"].i64, t["term_weights"].f64
	rows, cols, values := t["term_rows"].i64, t["term_cols"].i64, t["term_values"].f64
	wrong := fmt.Errorf("is damaged: its sparse atoms do not fit together")
	if len(ends) != len(keys) || len(weights) != len(keys) || len(rows) != len(values) || len(cols) != len(values) {
		return nil, wrong
	}
	var terms []Term
	var lo int64
	for k, hi := range ends {
		if hi < lo || hi > int64(len(values)) || keys[k] < 0 || !(weights[k] > 0) {
			return nil, wrong
		}
		one := Term{Key: keys[k], Weight: weights[k], Values: values[lo:hi]}
		for e := lo; e < hi; e++ {
			if rows[e] < 0 || rows[e] >= int64(m) || cols[e] < 0 || cols[e] >= int64(n) {
				return nil, wrong
			}
			one.Rows, one.Cols = append(one.Rows, int32(rows[e])), append(one.Cols, int32(cols[e]))
		}
		terms = append(terms, one)
		lo = hi
	}
	return terms, nil
}
