package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// A checkpoint comes back as it was, of rank 0 too.
func TestCheckpointRoundTrip(t *testing.T) {
	lower := 12.25
	for name, c := range map[string]*Checkpoint{
		"factors": {Rows: 3, Cols: 2, Rank: 2, U: []float64{1, 2, 3, 4, 5, -6}, V: []float64{1e-300, 0.1, 7, 8},
			Progress: Progress{Problem: "data=x λ=3", Iteration: 9, LowerBound: &lower, Kind: Kind(gcg.Probable), Failure: 1e-9, Rho: 4,
				Lambda: 3, Seed: 1 << 63}},
		"rank 0": {Rows: 943, Cols: 1682, U: []float64{}, V: []float64{}, Progress: Progress{Problem: "p"}},
	} {
		file := filepath.Join(t.TempDir(), "c")
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file, b.Bytes(), 0o600)
		got, err := LoadCheckpoint(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, c) {
			t.Errorf("%s: became %+v", name, got)
		}
		good := b.Bytes()
		for at := range good { // a changed bound would certify wrongly
			bad := bytes.Clone(good)
			bad[at] ^= 1
			os.WriteFile(file, bad, 0o600)
			got, err := LoadCheckpoint(file)
			if err == nil && !reflect.DeepEqual(got, c) || err != nil && !strings.HasPrefix(err.Error(), file+": ") {
				t.Fatalf("%s: byte %d changed: %v", name, at, err)
			}
		}
	}
}

func TestCheckpointIsNoModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	os.WriteFile(file, bytesOf(t, sample(rand.New(rand.NewPCG(1, 1)))), 0o600)
	if _, err := LoadCheckpoint(file); err == nil || !strings.Contains(err.Error(), "is a model, not a checkpoint") {
		t.Errorf("a model as checkpoint: %v", err)
	}
	var b bytes.Buffer
	(&Checkpoint{Rows: 1, Cols: 1}).Write(&b)
	os.WriteFile(file, b.Bytes(), 0o600)
	if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "is a checkpoint, not a model") {
		t.Errorf("a checkpoint as model: %v", err)
	}
}

// A model of rank 0, without ids, is small and comes back.
func TestRankZero(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m")
	os.WriteFile(file, bytesOf(t, &Model{Rows: 300, Cols: 200, Global: 2.5}), 0o600)
	m, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows != 300 || m.Cols != 200 || m.Predict(299, 199) != 2.5 || len(m.Top(0, 4, nil)) != 4 {
		t.Errorf("became %d×%d", m.Rows, m.Cols)
	}
}

// The numbers of the kinds in files are those of every version: a bound that was probable is not read as proven.
func TestKindsKeepTheirNumbers(t *testing.T) {
	for number, kind := range []gcg.Kind{gcg.Proven, gcg.Probable, gcg.Approximate, gcg.Unbounded} {
		text, err := json.Marshal(Progress{Kind: Kind(kind)})
		if want := fmt.Sprintf(`"kind":%d,`, number); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v; want %s", kind, text, err, want)
		}
		var back Progress
		if err := json.Unmarshal(text, &back); err != nil || gcg.Kind(back.Kind) != kind {
			t.Errorf("%s is read as %s, %v", kind, gcg.Kind(back.Kind), err)
		}
	}
	var p Progress
	if err := json.Unmarshal([]byte(`{"kind":4}`), &p); err == nil || !strings.Contains(err.Error(), "unknown kind 4") {
		t.Errorf("kind 4: %v", err)
	}
}
