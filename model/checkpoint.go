package model

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/param"
)

// A Checkpoint is what a run needs to continue: the factors with their weights spread evenly, and what is proven so far.
type Checkpoint struct {
	Rows, Cols, Rank int
	U, V             []float64 // row-major
	Terms            []Term
	Progress         Progress

	users, items *cluster.Rows // where ranks share the rows, of which U and V have those of this rank alone
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
	Kind       Kind     `json:"kind"`
	Failure    float64  `json:"failure"`
	Rho        float64  `json:"rho"`
	Lambda     float64  `json:"lambda"`
	Seed       uint64   `json:"seed"`
	// Intercept is unpenalised and can be fitted anew, which is slow from far away.
	Intercept []float64 `json:"intercept,omitempty"`
	// Merged columns of the factors are no atoms, but together one matrix of the gauge at most MergedWeight.
	Merged       int     `json:"merged,omitempty"`
	MergedWeight float64 `json:"merged_weight,omitempty"`
}

// checkpointFormat tells the file from a model, whose format is gcg.
const checkpointFormat = "gcg-checkpoint"

// Write writes the checkpoint in the safetensors layout, without terms of weight 0, which add nothing. One that LoadCheckpoint
// would refuse is an error, and nothing is written.
func (c *Checkpoint) Write(w io.Writer) error {
	saved, err := c.checked()
	if err != nil {
		return err
	}
	return saved.encode(w)
}

// checked is c without terms of weight 0, or why LoadCheckpoint would refuse it.
func (c *Checkpoint) checked() (*Checkpoint, error) {
	saved := *c
	saved.Terms = slices.DeleteFunc(slices.Clone(c.Terms), func(t Term) bool { return t.Weight == 0 })
	if err := saved.check(); err != nil {
		return nil, fmt.Errorf("model: the checkpoint is not saved: %w", err)
	}
	return &saved, nil
}

func (c *Checkpoint) encode(w io.Writer) error {
	return c.encodeAs(w, map[string]string{"format": checkpointFormat})
}

// encodeAs adds what meta says.
func (c *Checkpoint) encodeAs(w io.Writer, meta map[string]string) error {
	text, err := json.Marshal(c.Progress)
	if err != nil {
		return fmt.Errorf("model: the progress of the checkpoint is not saved: %w", err)
	}
	meta["format_version"], meta["progress"] = "1", string(text)
	tensors := []tensor{{name: "u", shape: []int{c.Rows, c.Rank}, f64: c.U}, {name: "v", shape: []int{c.Cols, c.Rank}, f64: c.V}}
	if len(c.Terms) > 0 {
		meta["format_version"] = "2"
		tensors = append(tensors, termTensors(c.Terms)...)
	}
	return encode(w, meta, tensors)
}

// check refuses parts that do not fit together and what no run has, before they are written and after they are read.
func (c *Checkpoint) check() error {
	inU, inV := c.Rows, c.Cols
	if c.users != nil {
		lo, hi := c.users.OwnRows()
		first, end := c.items.OwnRows()
		inU, inV = hi-lo, end-first
	}
	if err := checkFactors(c.Rows, c.Cols, c.Rank, inU, inV, c.U, c.V); err != nil {
		return err
	}
	if p := c.Progress; !slices.Contains(kinds, gcg.Kind(p.Kind)) || p.Iteration < 0 || !(p.Rho >= 0) || !(p.Lambda >= 0) ||
		p.Merged < 0 || p.Merged > c.Rank || !(p.MergedWeight >= 0) {
		return fmt.Errorf("its progress is impossible: kind %d, iteration %d, ρ %v, λ %v", p.Kind, p.Iteration, p.Rho, p.Lambda)
	}
	for k, t := range c.Terms {
		if t.Key < 0 || !(t.Weight > 0) {
			return fmt.Errorf("its sparse atom %d has key %d and weight %v", k+1, t.Key, t.Weight)
		}
		if err := checkEntries(c.Rows, c.Cols, t.Rows, t.Cols, t.Values); err != nil {
			return fmt.Errorf("its sparse atom %d: %w", k+1, err)
		}
	}
	return nil
}

// LoadCheckpoint reads a checkpoint, with the files of all ranks that have saved it.
func LoadCheckpoint(name string) (*Checkpoint, error) { return loadCheckpoint(name, nil, nil) }

// LoadCheckpointFor is LoadCheckpoint for a problem whose rows ranks share: each keeps its own rows of U and V. They call it
// together and have the same error.
func LoadCheckpointFor(p *gcg.Problem, name string) (*Checkpoint, error) {
	u, v := gcg.FactorsFor(p.Operator)
	if u.Shared == nil {
		return LoadCheckpoint(name)
	}
	c, err := loadCheckpoint(name, u.Shared, v.Shared)
	if err := u.Shared.Comm().FirstError(err); err != nil {
		return nil, err
	}
	return c, nil
}

// loadCheckpoint keeps the rows of this rank, where ranks share as many, and else all.
func loadCheckpoint(name string, users, items *cluster.Rows) (*Checkpoint, error) {
	meta, t, err := decode(name, ownRows(users, items, 0, 0))
	if err != nil {
		return nil, err
	}
	if meta["format"] == partsFormat {
		err = withParts(name, meta, t, users, items)
	}
	if users != nil && err == nil && (t["u"].rows() != users.Len() || t["v"].rows() != items.Len()) {
		return LoadCheckpoint(name) // of another problem, which State says
	}
	var c *Checkpoint
	if err == nil {
		c, err = checkpointOf(meta, t, users, items)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// ownRows are those of this rank in tensors whose first rows are those of the given numbers; nil where ranks share none.
func ownRows(users, items *cluster.Rows, firstU, firstV int) chosen {
	if users == nil {
		return nil
	}
	return func(name string, _ int, _ *contents) func(i int) bool {
		rows, first := users, firstU
		switch name {
		case "u":
		case "v":
			rows, first = items, firstV
		default:
			return nil
		}
		lo, hi := rows.OwnRows()
		return func(i int) bool { return lo <= first+i && first+i < hi }
	}
}

// LoadProgress reads what a checkpoint says of its problem, and neither U nor V.
func LoadProgress(name string) (*Progress, error) {
	none := func(string, int, *contents) func(int) bool { return func(int) bool { return false } }
	meta, t, err := decode(name, none)
	if err != nil {
		return nil, err
	}
	if meta["format"] == partsFormat {
		meta["format"] = checkpointFormat
	}
	c, err := readCheckpoint(meta, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &c.Progress, nil
}

func checkpointOf(meta map[string]string, t map[string]tensor, users, items *cluster.Rows) (*Checkpoint, error) {
	c, err := readCheckpoint(meta, t)
	if err != nil {
		return nil, err
	}
	c.users, c.items = users, items
	if c.Terms, err = readTerms(t); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	return c, nil
}

// readCheckpoint is a checkpoint without terms, not yet checked.
func readCheckpoint(meta map[string]string, t map[string]tensor) (*Checkpoint, error) {
	u, v := t["u"], t["v"]
	if meta["format"] == "gcg" {
		return nil, param.Errorf("is a model, not a checkpoint: start from it with %v", param.Warm)
	}
	if meta["format"] != checkpointFormat || meta["format_version"] != "1" && meta["format_version"] != "2" || len(u.shape) != 2 ||
		len(v.shape) != 2 || u.shape[1] != v.shape[1] {
		return nil, fmt.Errorf("is no checkpoint of this version of gcg")
	}
	c := &Checkpoint{Rows: u.shape[0], Cols: v.shape[0], Rank: u.shape[1], U: u.f64, V: v.f64}
	if err := json.Unmarshal([]byte(meta["progress"]), &c.Progress); err != nil {
		return nil, fmt.Errorf("is damaged: %v", err)
	}
	return c, nil
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
	return []tensor{{name: "term_keys", shape: n, i64: keys}, {name: "term_weights", shape: n, f64: weights},
		{name: "term_ends", shape: n, i64: ends},
		{name: "term_rows", shape: e, i64: rows}, {name: "term_cols", shape: e, i64: cols}, {name: "term_values", shape: e,
			f64: values}}
}

func readTerms(t map[string]tensor) ([]Term, error) {
	keys, ends, weights, values := t["term_keys"].i64, t["term_ends"].i64, t["term_weights"].f64, t["term_values"].f64
	rows, cols, err := entriesOf(t["term_rows"].i64, t["term_cols"].i64)
	if err != nil {
		return nil, err
	}
	wrong := fmt.Errorf("is damaged: its sparse atoms do not fit together")
	if len(ends) != len(keys) || len(weights) != len(keys) || len(rows) != len(values) || len(cols) != len(values) {
		return nil, wrong
	}
	var terms []Term
	var lo int64
	for k, hi := range ends {
		if hi < lo || hi > int64(len(values)) {
			return nil, wrong
		}
		terms = append(terms, Term{Key: keys[k], Weight: weights[k], Rows: rows[lo:hi], Cols: cols[lo:hi], Values: values[lo:hi]})
		lo = hi
	}
	return terms, nil
}
