package model_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-b18ef778/gcg/model"
)

// The file is safetensors as others read it: eight bytes of the length of a JSON header, which says type, shape and place of each
// array behind it, without gaps. The formula of the manual on those arrays predicts as the model does.
func TestLayout(t *testing.T) {
	m := &model.Model{Problem: "completion", Rows: 3, Cols: 2, Rank: 1, U: []float64{0.6, 0, 0.8}, V: []float64{1, 0},
		S:        []float64{2},
		RowScale: []float64{1, 2, 3}, ColScale: []float64{4, 5}, Global: 0.5, RowOffset: []float64{1, 0,
			-1}, ColOffset: []float64{0.25, 2},
		RowIDs: []string{"ann", "bo", "é"}, ColIDs: []string{"x", "yy"}}
	name := filepath.Join(t.TempDir(), "m")
	if err := m.Save(name); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(b)
	var head map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &head); err != nil {
		t.Fatal(err)
	}
	data, used := b[8+n:], 0
	floats := map[string][]float64{}
	for name, raw := range head {
		var x struct {
			DType   string
			Shape   []int
			Offsets [2]int `json:"data_offsets"`
		}
		if name == "__metadata__" {
			continue
		}
		if err := json.Unmarshal(raw, &x); err != nil {
			t.Fatal(err)
		}
		used += x.Offsets[1] - x.Offsets[0]
		if x.DType == "F64" {
			for at := x.Offsets[0]; at < x.Offsets[1]; at += 8 {
				floats[name] = append(floats[name], math.Float64frombits(binary.LittleEndian.Uint64(data[at:])))
			}
		}
	}
	if used != len(data) {
		t.Errorf("arrays of %d bytes in %d", used, len(data))
	}
	for i := range 3 {
		for j := range 2 {
			f := floats
			got := f["global"][0] + f["row_offset"][i] + f["col_offset"][j] +
				f["row_scale"][i]*f["u"][i]*f["s"][0]*f["v"][j]*f["col_scale"][j]
			if want := m.Predict(i, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d, %d: %v, want %v", i, j, got, want)
			}
		}
	}
}
