package dataset

import (
	"archive/zip"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

func TestTaskArrays(t *testing.T) {
	task, y := vector("<i4", []int32{3, 0, 3}), vector("<f8", []float64{1, 2, -3})
	x := npy(1, header("<f8", false, "(3, 2)"), []float64{3, 4, 5, 6, 7, 8}, binary.LittleEndian)
	d, err := readTasks(zipOf(t, zip.Store, map[string][]byte{"task": task, "y": y, "anything": x}), nil, "", "")
	if err != nil || !slices.Equal(d.X.Dense, []float64{3, 4, 5, 6, 7, 8}) || !slices.Equal(d.Y, []float64{1, 2, -3}) ||
		!slices.Equal(d.Task, []int32{0, 1, 0}) || !slices.Equal(d.TaskNames, []string{"3", "0"}) {
		t.Errorf("%+v, %v", d, err)
	}
	for want, arrays := range map[string]map[string][]byte{
		`no column "task"`:          {"school": task, "y": y, "x": x},
		"3 rows of features, 3 tas": {"task": task, "y": vector("<f8", []float64{1, 2}), "x": x},
		"features are one array":    {"task": task, "y": y},
	} {
		_, err := readTasks(zipOf(t, zip.Deflate, arrays), nil, "", "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}
