// Package model holds fitted models: it saves and loads them, and makes predictions and recommendations. It needs no loss, gauge
// or solver.
//
//	model.go        [Model], its file, and a prediction; [Of] makes one of an iterate
//	linear.go       scores from features, and models that are sparse
//	recommend.go    the best items of a known user, and index.go without scoring all; recommender.go asks by ids
//	similar.go      the items most like one; explain.go what carries a recommendation
//	fold.go         the best items of a user whom the model has not seen
//	export.go       arrays for numpy, and CSV
//	checkpoint.go   where a run was, to go on from there
package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/param"
)

// FormatVersion of the files that this version writes. Newer files are refused.
const FormatVersion = 2

// completionVersion is the version of models of completion, which older readers know.
const completionVersion = 1

// A Model is a matrix of predictions
//
//	prediction(i, j) = Global + RowOffset_i + ColOffset_j + RowScale_i (Σ_c U_ic S_c V_jc) ColScale_j
//
// with orthonormal U and V, or with an entry of Entries in place of the sum. Offsets and scales that are nil are 0 and 1.
// Predictions are clipped to [Lo, Hi] if Clip; those of labels by the logistic loss are 1/(1 + exp(-that)).
type Model struct {
	Problem    string
	Rows, Cols int
	Rank       int
	U          []float64 // Rows×Rank, row-major; less where ranks share them, see Whole
	V          []float64 // Cols×Rank
	S          []float64
	RowScale   []float64
	ColScale   []float64

	Global    float64
	RowOffset []float64
	ColOffset []float64
	Clip      bool
	Lo, Hi    float64

	RowIDs, ColIDs []string
	Info           Info

	// Fill is what stands in for each feature of a row where that is missing; nil where none may be.
	Fill []float64

	// Entries is W where it is sparse: U, V and S are empty then.
	Entries *Entries

	// RowFeatures and ColFeatures are the part that features have in U and V, which is in there; nil of a model without any.
	RowFeatures, ColFeatures *Features
	// RowRated and ColRated are the part that lists of what was rated have in U and V, likewise; RowFeatures and ColFeatures
	// are there then.
	RowRated, ColRated *Rated

	addedRows, addedCols int // the last ones came in after the fit, see AddRows

	shared   *cluster.Rows // where ranks share the rows, of which U has those of this rank alone; see Whole
	gathered *gathered     // the rows of U of all ranks, while the first one saves them
}

// Info records how a model was fitted, and what is known of its optimum.
type Info struct {
	Version string  `json:"version"`
	Solver  string  `json:"solver,omitempty"`
	Status  string  `json:"status,omitempty"`
	Lambda  float64 `json:"lambda,omitempty"`
	Zeta    float64 `json:"zeta,omitempty"`
	Penalty string  `json:"penalty,omitempty"`
	Ridge   float64 `json:"ridge,omitempty"`    // μ of μ/2‖W‖² beside it
	L1Ratio float64 `json:"l1_ratio,omitempty"` // the part of λ that weighs κ, where the rest is that ridge
	// h'(ρ), for a constraint its multiplier: the λ to fold new rows in with where it is not Lambda
	FoldLambda   *float64 `json:"slope,omitempty"`
	Normalize    string   `json:"normalize,omitempty"`
	Center       string   `json:"center,omitempty"`
	Weights      string   `json:"weights,omitempty"`
	Objective    float64  `json:"objective"`
	LowerBound   *float64 `json:"lower_bound,omitempty"` // nil where a run was interrupted before any bound
	RelativeGap  *float64 `json:"relative_gap,omitempty"`
	Observations int      `json:"observations,omitempty"`
	// Mean is that of the training ratings: what unknown rows and columns are predicted by where nothing was subtracted.
	Mean       *float64 `json:"mean,omitempty"`
	Data       string   `json:"data,omitempty"`
	Checksum   string   `json:"data_checksum,omitempty"`
	Seed       uint64   `json:"seed"`
	Iterations int      `json:"iterations"`
	// Of models on features: how they were fitted, and how their data is written.
	Loss         string `json:"loss,omitempty"`
	Gauge        string `json:"gauge,omitempty"`
	Intercept    bool   `json:"intercept,omitempty"`
	Standardized bool   `json:"standardized,omitempty"` // the gauge was of weights times the standard deviations of the features
	ZeroBased    bool   `json:"zero_based,omitempty"`   // LIBSVM files count features from 0
	ZeroOne      bool   `json:"zero_one,omitempty"`     // labels -1 and 1 are written 0 and 1
	// Of a loss of two labels, what -1 and 1 stand for; empty where they are -1 and 1, or 0 and 1 by ZeroOne.
	Labels    []string `json:"labels,omitempty"`
	LIBSVM    bool     `json:"libsvm,omitempty"`    // the training data was in that format
	Occurring bool     `json:"occurring,omitempty"` // row ids are the numbers of the features that occur in that format
	Task      string   `json:"task_column,omitempty"`
	Target    string   `json:"target_column,omitempty"`
	// Of a weighted trace norm: p = (n·RowWeight)^RowPower + RowFloor of a row with n ratings, which folding in a new one needs.
	RowWeight float64 `json:"row_weight,omitempty"`
	RowFloor  float64 `json:"row_floor,omitempty"`
	RowPower  float64 `json:"row_power,omitempty"`
	// Of shrunk means: how many ratings of 0 more shrink the offset of a row, which folding in a new one needs.
	RowShrink float64 `json:"row_shrink,omitempty"`
	// Of features of users and items: η, their length beside that of indicators.
	FeatureWeight float64 `json:"feature_weight,omitempty"`
	Rated         string  `json:"rated,omitempty"`     // lists of what was rated: users, items or both
	AlsoSeen      int     `json:"also_seen,omitempty"` // pairs without ratings in these lists
	// Of implicit feedback: a click of count r has the weight Background + Alpha·r, every other cell has Background.
	Alpha       float64 `json:"implicit,omitempty"`
	Background  float64 `json:"background,omitempty"`
	Positive    float64 `json:"positive,omitempty"`    // ratings from here on are clicks; 0 where they are counts
	For         string  `json:"for,omitempty"`         // ranking, of a model that was chosen for its lists
	Certificate string  `json:"certificate,omitempty"` // proven or probable
	Views       []View  `json:"views,omitempty"`       // of a model of views
	// What was tried before Lambda was chosen, and how good it was on what was held out.
	Tried []Tried `json:"tried,omitempty"`
}

// Tried is a λ that was tried before one was chosen.
type Tried struct {
	Lambda float64 `json:"lambda"`
	Score  string  `json:"score"` // its name: RMSE, log loss, error rate
	Value  float64 `json:"value"`
	StdErr float64 `json:"standard_error,omitempty"` // of cross-validation
}

// Certify records the bracket of the optimum.
func (i *Info) Certify(c gcg.Certificate) {
	i.Objective = c.Objective
	i.LowerBound, i.RelativeGap = c.Bracket()
}

// Gap is the absolute gap of the fit, +Inf where no bound is known.
func (i *Info) Gap() float64 {
	if i.LowerBound == nil {
		return math.Inf(1)
	}
	return i.Objective - *i.LowerBound
}

// Write writes the model in the safetensors layout. A model that Load would refuse is an error, and nothing is written.
func (m *Model) Write(w io.Writer) error {
	err := m.check()
	if m.shared.Comm().Size() > 1 && m.gathered == nil {
		err = errShared
	}
	if err != nil {
		return fmt.Errorf("model: is not saved: %w", err)
	}
	return m.encode(w)
}

func (m *Model) encode(w io.Writer) error {
	tensors := m.tensors()
	formatVersion := FormatVersion
	if m.Problem == "completion" && m.Info.Loss == "" { // of squares, which older readers take all for
		formatVersion = completionVersion
	}
	info, err := json.Marshal(m.Info)
	if err != nil {
		return fmt.Errorf("model: its info is not saved: %w", err)
	}
	meta := map[string]string{"format": "gcg", "format_version": strconv.Itoa(formatVersion), "problem": m.Problem,
		"info": string(info)}
	if tensors, err = m.saveFeatures(meta, tensors); err != nil {
		return err
	}
	if tensors, err = m.saveRated(meta, tensors); err != nil {
		return err
	}
	tensors = append(tensors, texts("row_ids", m.RowIDs)...)
	tensors = append(tensors, texts("col_ids", m.ColIDs)...)
	slices.SortFunc(tensors, func(a, b tensor) int { return strings.Compare(a.name, b.name) })
	return encode(w, meta, tensors)
}

// tensors are the numbers of the model.
func (m *Model) tensors() []tensor {
	clip := []float64{0, 0, 0}
	if m.Clip {
		clip = []float64{1, m.Lo, m.Hi}
	}
	u := tensor{name: "u", shape: []int{m.Rows, m.Rank}, f64: m.U}
	if m.gathered != nil {
		u.f64, u.from = nil, m.gathered.pass
	}
	tensors := []tensor{
		u,
		{name: "v", shape: []int{m.Cols, m.Rank}, f64: m.V},
		{name: "s", shape: []int{m.Rank}, f64: m.S},
		{name: "global", shape: []int{1}, f64: []float64{m.Global}},
		{name: "clip", shape: []int{3}, f64: clip},
	}
	for name, x := range map[string][]float64{"row_scale": m.RowScale, "col_scale": m.ColScale, "row_offset": m.RowOffset,
		"col_offset": m.ColOffset, "row_fill": m.Fill} {
		if x != nil {
			tensors = append(tensors, tensor{name: name, shape: []int{len(x)}, f64: x})
		}
	}
	return append(tensors, m.Entries.tensors()...)
}

// texts are two tensors: the bytes of all texts, and where each ends.
func texts(name string, all []string) []tensor {
	ends := make([]int64, len(all))
	b := []byte{}
	for i, s := range all {
		b = append(b, s...)
		ends[i] = int64(len(b))
	}
	return []tensor{{name: name, shape: []int{len(b)}, u8: b}, {name: name + "_ends", shape: []int{len(ends)}, i64: ends}}
}

// Load reads a model.
func Load(name string) (*Model, error) {
	meta, tensors, err := decode(name, nil)
	if err != nil {
		return nil, err
	}
	m, err := fromTensors(meta, tensors)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// LoadRows is Load of a completion of which only the rows are kept whose ids are wanted, as if it had no others.
func LoadRows(name string, wanted func(id []byte) bool) (*Model, error) {
	some := &someRows{wanted: wanted}
	meta, tensors, err := decode(name, some.choose)
	if err != nil {
		return nil, err
	}
	some.restrict(tensors)
	m, err := fromTensors(meta, tensors)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Read reads a model that Write wrote.
func Read(r io.Reader) (*Model, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("model: cannot be read: %w", err)
	}
	meta, tensors, err := decodeFrom(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := fromTensors(meta, tensors)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

// Save writes the model to a file, which appears only when it is complete.
func (m *Model) Save(name string) error { return atomicfile.Write(name, m.Write) }

func fromTensors(meta map[string]string, t map[string]tensor) (*Model, error) {
	switch meta["format"] {
	case "gcg":
	case checkpointFormat:
		return nil, param.Errorf("is a checkpoint, not a model: go on from it with %v", param.Resume)
	default:
		return nil, fmt.Errorf("is a safetensors file, but no gcg model")
	}
	var err error
	m := &Model{Problem: meta["problem"]}
	if err := json.Unmarshal([]byte(meta["info"]), &m.Info); err != nil {
		return nil, fmt.Errorf("is damaged: its info is not JSON (%v)", err)
	}
	u, v, s := t["u"], t["v"], t["s"]
	if len(u.shape) != 2 || len(v.shape) != 2 || len(s.shape) != 1 || u.shape[1] != s.shape[0] || v.shape[1] != s.shape[0] ||
		len(t["clip"].f64) != 3 || len(t["global"].f64) != 1 {
		return nil, fmt.Errorf("is damaged: its factors do not fit together")
	}
	m.Rows, m.Cols, m.Rank = u.shape[0], v.shape[0], s.shape[0]
	m.U, m.V, m.S, m.Global = u.f64, v.f64, s.f64, t["global"].f64[0]
	m.RowScale, m.ColScale = t["row_scale"].f64, t["col_scale"].f64
	m.RowOffset, m.ColOffset = t["row_offset"].f64, t["col_offset"].f64
	m.Fill = t["row_fill"].f64
	clip := t["clip"].f64
	m.Clip, m.Lo, m.Hi = clip[0] == 1, clip[1], clip[2]
	if m.RowIDs, err = readTexts(t, "row_ids"); err != nil {
		return nil, err
	}
	if m.ColIDs, err = readTexts(t, "col_ids"); err != nil {
		return nil, err
	}
	if m.Entries, err = readEntries(t); err != nil {
		return nil, err
	}
	if err = m.readFeatures(meta, t); err != nil {
		return nil, err
	}
	if err = m.readRated(meta, t); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	return m, nil
}

// check refuses parts that do not fit together, before they are written and after they are read.
func (m *Model) check() error {
	if err := checkFactors(m.Rows, m.Cols, m.Rank, m.rowsHere(), m.Cols, m.U, m.V); err != nil {
		return err
	}
	if len(m.S) != m.Rank {
		return fmt.Errorf("it has %d singular values at rank %d", len(m.S), m.Rank)
	}
	for _, part := range []struct {
		name      string
		none      bool
		len, want int
	}{
		{"row scales", m.RowScale == nil, len(m.RowScale), m.Rows}, {"column scales", m.ColScale == nil, len(m.ColScale), m.Cols},
		{"row offsets", m.RowOffset == nil, len(m.RowOffset), m.Rows}, {"column offsets", m.ColOffset == nil, len(m.ColOffset),
			m.Cols},
		{"features to fill", m.Fill == nil, len(m.Fill), m.Rows},
		{"row ids", len(m.RowIDs) == 0, len(m.RowIDs), m.Rows}, {"column ids", len(m.ColIDs) == 0, len(m.ColIDs), m.Cols},
	} {
		if !part.none && part.len != part.want {
			return fmt.Errorf("it has %d %s where %d are due", part.len, part.name, part.want)
		}
	}
	if err := m.checkFeatures(); err != nil {
		return err
	}
	if err := m.checkRated(); err != nil {
		return err
	}
	if err := m.Info.checkViews(m.Rows); err != nil {
		return err
	}
	return m.Entries.check(m.Rows, m.Cols, m.Rank)
}

// checkFactors refuses numbers that are not those of so many rows of U, and of V.
func checkFactors(rows, cols, rank, inU, inV int, u, v []float64) error {
	for _, size := range []int{rows, cols, rank} {
		if size < 0 || size > math.MaxInt32 {
			return fmt.Errorf("it cannot be %d×%d of rank %d", rows, cols, rank)
		}
	}
	if len(u) != inU*rank || len(v) != inV*rank {
		return fmt.Errorf("its U and V have %d and %d numbers, which are not %d×%d and %d×%d", len(u), len(v), inU, rank, inV,
			rank)
	}
	return nil
}

func readTexts(t map[string]tensor, name string) ([]string, error) {
	b, ends := t[name].u8, t[name+"_ends"].i64
	all := make([]string, len(ends))
	var lo int64
	for i, hi := range ends {
		if hi < lo || hi > int64(len(b)) {
			return nil, fmt.Errorf("is damaged: its %s do not fit", name)
		}
		all[i], lo = string(b[lo:hi]), hi
	}
	return all, nil
}

// Predict is the prediction for row i and column j. An index of -1, or any other that the model does not have, is an unknown row
// or column: the prediction is the centre, or the mean of the training ratings where nothing was subtracted; in a model with
// features it is what all rows or columns have in common. A completion of labels by the logistic loss predicts the probability of
// the second label.
func (m *Model) Predict(i, j int) float64 { return m.clip(m.Score(i, j)) }

// Score is the prediction before it is clipped, or made a probability: of labels one above 0 stands for the second.
func (m *Model) Score(i, j int) float64 {
	i, j = known(i, m.Rows), known(j, m.Cols)
	x := m.centre(i, j)
	switch {
	case i >= 0 && j >= 0:
		x += m.score(i, j)
	case m.RowFeatures != nil:
		u, v := m.rowFactor(i), m.colFactor(j)
		for c, s := range m.S {
			x += u[c] * s * v[c]
		}
	case m.Info.Mean != nil && !m.centred():
		x = *m.Info.Mean
	}
	return x
}

// known is an index among n, or -1 of one that is not.
func known(i, n int) int {
	if i < 0 || i >= n {
		return -1
	}
	return i
}

// Probabilities says that scores are log odds, and predictions probabilities.
func (m *Model) Probabilities() bool { return m.Info.Loss == "logistic" && m.Problem == "completion" }

func (m *Model) centre(i, j int) float64 {
	x := m.Global
	if i >= 0 && m.RowOffset != nil {
		x += m.RowOffset[i]
	}
	if j >= 0 && m.ColOffset != nil {
		x += m.ColOffset[j]
	}
	return x
}

func (m *Model) score(i, j int) float64 {
	u, v := m.leftRow(i), m.V[j*m.Rank:(j+1)*m.Rank]
	var x float64
	for c, s := range m.S {
		x += u[c] * s * v[c]
	}
	x += m.Entries.at(i, j)
	if m.RowScale != nil {
		x *= m.RowScale[i]
	}
	if m.ColScale != nil {
		x *= m.ColScale[j]
	}
	return x
}

func (m *Model) clip(x float64) float64 {
	if m.Probabilities() {
		return 1 / (1 + math.Exp(-x))
	}
	if m.Clip {
		return math.Min(math.Max(x, m.Lo), m.Hi)
	}
	return x
}
