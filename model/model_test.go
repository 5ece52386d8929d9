package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sample(rng *rand.Rand) *Model {
	m := &Model{Problem: "completion", Rows: 7, Cols: 9, Rank: 2, S: []float64{3, 1.5}, Global: 3.5, Clip: true, Lo: 1, Hi: 5,
		RowOffset: make([]float64, 7), ColOffset: make([]float64, 9), RowScale: make([]float64, 7), ColScale: make([]float64, 9),
		Info: Info{Version: "t", Lambda: 0.4}}
	for range 14 {
		m.U = append(m.U, rng.NormFloat64())
	}
	for range 18 {
		m.V = append(m.V, rng.NormFloat64())
	}
	for j := range m.ColOffset {
		m.ColOffset[j], m.ColScale[j] = rng.NormFloat64()/4, 0.5+rng.Float64()
	}
	for i := range m.RowOffset {
		m.RowOffset[i], m.RowScale[i] = rng.NormFloat64()/4, 0.5+rng.Float64()
	}
	for i := range 7 {
		m.RowIDs = append(m.RowIDs, strings.Repeat("ü", i)+"\n,")
	}
	for j := range 9 {
		m.ColIDs = append(m.ColIDs, string(rune('a'+j)))
	}
	return m
}

func bytesOf(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	m := sample(rand.New(rand.NewPCG(1, 1)))
	file := filepath.Join(t.TempDir(), "m")
	os.WriteFile(file, bytesOf(t, m), 0o600)
	got, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, got), bytesOf(t, m)) {
		t.Error("a loaded model writes other bytes")
	}
	for i := -1; i < m.Rows; i++ {
		for j := -1; j < m.Cols; j++ {
			a, b := m.Predict(i, j), got.Predict(i, j)
			if a != b || math.IsNaN(a) || a < 1 || a > 5 {
				t.Errorf("prediction %d, %d is %g, was %g", i, j, b, a)
			}
		}
	}
}

// decodeAll reads the bytes of a file.
func decodeAll(b []byte) (map[string]string, map[string]tensor, error) {
	return decodeFrom(bytes.NewReader(b), int64(len(b)), nil)
}

// Any damage is an error, never a panic or another model.
func TestDamaged(t *testing.T) {
	good := bytesOf(t, sample(rand.New(rand.NewPCG(2, 1))))
	for n := range len(good) {
		if _, _, err := decodeAll(good[:n]); err == nil {
			t.Fatalf("cut to %d of %d bytes: no error", n, len(good))
		}
	}
	for at := range good {
		b := bytes.Clone(good)
		b[at] ^= 0x10
		if _, _, err := decodeAll(b); err == nil { // all tensors have bytes, so every name and number matters
			t.Fatalf("byte %d of the header or the tensors changed: no error", at)
		}
	}
	_, _, err := decodeAll(bytes.Replace(good, []byte(`"format_version":"1"`), []byte(`"format_version":"9"`), 1))
	if err == nil || !strings.Contains(err.Error(), "use a newer gcg") {
		t.Errorf("a newer file: %v", err)
	}
	m := sample(rand.New(rand.NewPCG(2, 1)))
	m.U[3] = math.NaN()
	if err := m.Write(&bytes.Buffer{}); err == nil {
		t.Error("a NaN was saved")
	}
	m = sample(rand.New(rand.NewPCG(2, 1)))
	m.Hi = math.Inf(1)
	if err := m.Write(&bytes.Buffer{}); err == nil {
		t.Error("a range was saved that is not read again")
	}
}

// Top-N equals sorting everything.
func TestTop(t *testing.T) {
	m := sample(rand.New(rand.NewPCG(4, 1)))
	m.Clip = false
	for i := range m.Rows {
		for n := 1; n <= 9; n++ {
			seen := []int32{2, 5}
			top := m.Top(i, n, seen)
			if len(top) != min(n, 7) {
				t.Fatalf("%d items of %d", len(top), n)
			}
			floor := math.Inf(1)
			in := map[int]bool{2: true, 5: true}
			for _, r := range top {
				if in[r.Item] || r.Score > floor || math.Abs(r.Score-m.Predict(i, r.Item)) > 1e-12 {
					t.Errorf("row %d: item %d with %g after %g", i, r.Item, r.Score, floor)
				}
				floor = r.Score
				in[r.Item] = true
			}
			for j := range m.Cols {
				if !in[j] && m.Predict(i, j) > floor+1e-12 {
					t.Errorf("row %d: item %d was left out", i, j)
				}
			}
		}
		for n := -1; n <= 0; n++ {
			if top := m.Top(i, n, nil); len(top) > 0 {
				t.Errorf("the top %d are %v", n, top)
			}
		}
	}
}

// At an optimum a known row folds in to itself: alternating ridge on a small full problem gives one.
func TestFoldInIsTheFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const rows, cols, lambda = 8, 6, 0.8
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = rng.NormFloat64() * 2
	}
	m := thresholdedModel(x, rows, cols, lambda)
	all := make([]int32, cols)
	for j := range all {
		all[j] = int32(j)
	}
	for i := range rows {
		u, base, err := m.fold(nil, nil, NewUser{Cols: all, Values: x[i*cols : (i+1)*cols]})
		if err != nil {
			t.Fatal(err)
		}
		for j := range cols {
			if got, want := base+m.itemScore(u, nil, j), m.Predict(i, j); math.Abs(got-want) > 1e-9 {
				t.Errorf("row %d, column %d: folded in %g, fitted %g", i, j, got, want)
			}
		}
	}
}
