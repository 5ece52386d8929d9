package main

import (
	"archive/zip"
	"encoding/csv"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
)

// The arrays of an exported model are those of the model, and its CSV predicts as it does.
func TestExport(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--center", "both", "--weights", "smoothed:0.7", "--clip", "none",
		"--model", "m")
	m, err := model.Load("m")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"--output m.npz", "--format csv --output m.csv"} {
		if _, errs, code := command(t, strings.Fields("export --model m "+args)...); code != 0 {
			t.Fatalf("exit %d, %s", code, errs)
		}
	}
	z, err := zip.OpenReader("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil || len(b) < 64 || (10+int(b[8])+256*int(b[9]))%64 != 0 {
			t.Fatalf("%s: %v, %q", f.Name, err, b[:min(len(b), 80)])
		}
		if f.Name != "u.npy" && f.Name != "v.npy" {
			continue
		}
		if err := os.WriteFile(f.Name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := dataset.ReadMatrix(f.Name, nil)
		want := map[string][]float64{"u.npy": m.U, "v.npy": m.V}[f.Name]
		if err != nil || x.Cols != m.Rank || !slices.Equal(x.Dense, want) {
			t.Errorf("%s: %v, %v", f.Name, x, err)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "clip.npy col_ids.npy col_offset.npy col_scale.npy global.npy row_ids.npy "+
		"row_offset.npy row_scale.npy s.npy u.npy v.npy" {
		t.Error(got)
	}
	predictsAs(t, "m.csv", m)
	for args, want := range map[string]string{"--format xls --output x": "--format", "--output m": "--output \"m\"",
		"":                        "gcg export needs",
		"--format csv --output m": "m: is read"} {
		if _, errs, code := command(t, strings.Fields("export --model m "+args)...); code != 2 ||
			!strings.HasPrefix(errs, "gcg: "+want) {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}

// predictsAs says that factors in CSV give the predictions of a model.
func predictsAs(t *testing.T, name string, m *model.Model) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 2+m.Rows+m.Cols {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for i := range m.Rows {
		for j := range m.Cols {
			row, col := lines[2+i], lines[2+m.Rows+j]
			sum := number(lines[1][2]) + number(row[2]) + number(col[2])
			for c := range m.Rank {
				sum += number(row[3+c]) * number(col[3+c])
			}
			if want := m.Predict(i, j); row[1] != m.RowIDs[i] || col[1] != m.ColIDs[j] || math.Abs(sum-want) > 1e-9 {
				t.Fatalf("%s, %s: %v, want %v", row[1], col[1], sum, want)
			}
		}
	}
}
