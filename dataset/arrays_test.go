package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zip"
)

// folderOf writes arrays into a folder.
func folderOf(t *testing.T, members map[string][]byte) string {
	t.Helper()
	folder := t.TempDir()
	for name, b := range members {
		if err := os.WriteFile(filepath.Join(folder, name+".npy"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// zipOf writes arrays into an .npz.
func zipOf(t *testing.T, method uint16, members map[string][]byte) string {
	t.Helper()
	var list []any
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list = append(list, name+".npy", members[name])
	}
	file := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(file, npz(method, list...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func textArray(descr string, list ...string) []byte {
	width := int(descr[2] - '0')
	var b []byte
	for _, s := range list {
		for k := range width {
			c := byte(0)
			if k < len(s) {
				c = s[k]
			}
			if b = append(b, c); descr[1] == 'U' {
				b = append(b, 0, 0, 0)
			}
		}
	}
	return npy(1, header(descr, false, fmt.Sprintf("(%d,)", len(list))), b, binary.LittleEndian)
}

// listed are the ratings as text.
func listed(r *Ratings) (s string) {
	for e := range r.Len() {
		i, j, x := r.rating(e)
		s += fmt.Sprintf("%s %s %v;", r.RowIDs.Text(int(i)), r.ColIDs.Text(int(j)), x)
	}
	return s
}

// The arrays of a sparse matrix are ratings, in any of its formats, of any types, from a folder and from an .npz.
func TestRatingsOfArrays(t *testing.T) {
	coo := map[string][]byte{"row": vector("<i4", []int32{2, 0, 0}), "col": vector("<u2", []uint16{1, 0, 3}),
		"data": vector("<f4", []float32{5, 1, 2.5})}
	csr := map[string][]byte{"indptr": vector("<i8", []int64{0, 2, 2, 3}), "indices": vector("<i8", []int64{0, 3, 1}),
		"data": vector("<i2", []int16{1, 2, 5}), "shape": vector("<i8", []int64{3, 6})}
	csc := map[string][]byte{"indptr": vector("<i4", []int32{0, 1, 2, 2, 3}), "indices": vector("<i4", []int32{0, 2, 0}),
		"data": vector("<f8", []float64{1, 5, 2}), "shape": vector("<i8", []int64{3, 4}),
		"format": npy(1, header("|S3", false, "()"), []byte("csc"), binary.LittleEndian)}
	for name, c := range map[string]struct {
		members map[string][]byte
		want    string
		shape   [2]int
	}{
		"coo": {coo, "2 1 5;0 0 1;0 3 2.5;", [2]int{3, 4}},
		"csr": {csr, "0 0 1;0 3 2;2 1 5;", [2]int{3, 6}},
		"csc": {csc, "0 0 1;2 1 5;0 3 2;", [2]int{3, 4}},
	} {
		for _, file := range []string{folderOf(t, c.members), zipOf(t, zip.Store, c.members), zipOf(t, zip.Deflate, c.members)} {
			for _, narrow := range []bool{false, true} {
				r, err := RatingsReader{Narrow: narrow}.ReadRatings(file)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, file, err)
				}
				if listed(r) != c.want || r.Shape != c.shape || r.RowIDs.Len() != c.shape[0] || r.Checksum == "" {
					t.Errorf("%s, %s: %s of shape %v, not %s of %v", name, file, listed(r), r.Shape, c.want, c.shape)
				}
			}
		}
	}
}

// What stands beside the entries is read: ids, weights, offsets, times; and ids of another file are found again.
func TestRatingsBesideArrays(t *testing.T) {
	members := map[string][]byte{"row": vector("<i4", []int32{1, 0}), "col": vector("<i4", []int32{0, 1}),
		"data": vector("<f8", []float64{4, 3}), "weight": vector("<f4", []float32{0.5, 2}), "offset": vector("<f8", []float64{1, -1}),
		"time": vector("<M8[ms]", []int64{1500, 2500}), "row_ids": textArray("<U3", "ann", "bob"),
		"col_ids": vector("<i8", []int64{70, 8})}
	r, err := RatingsReader{Times: true}.ReadRatings(folderOf(t, members))
	if err != nil {
		t.Fatal(err)
	}
	if listed(r) != "bob 70 4;ann 8 3;" || fmt.Sprint(r.Omega, r.Offset, r.Times) != "[0.5 2] [1 -1] [1 2]" {
		t.Errorf("%s %v %v %v", listed(r), r.Omega, r.Offset, r.Times)
	}
	other := map[string][]byte{"row": vector("<i4", []int32{0, 1}), "col": vector("<i4", []int32{0, 0}),
		"row_ids": textArray("|S3", "bob", "eve"), "col_ids": textArray("|S1", "8")}
	q, err := RatingsReader{ValuesOptional: true, RowIDs: r.RowIDs, ColIDs: r.ColIDs}.ReadRatings(folderOf(t, other))
	if err != nil || !q.NoValues || fmt.Sprint(q.Rows, q.Cols, q.Shape) != "[1 -1] [1 1] [2 2]" {
		t.Errorf("%+v, %v", q, err)
	}
	labels := maps.Clone(members)
	labels["data"] = textArray("|S3", "yes", "no")
	if r, err := (RatingsReader{Labels: true}).ReadRatings(folderOf(t, labels)); err != nil ||
		!slices.Equal(r.Labels, []string{"yes", "no"}) {
		t.Errorf("labels: %+v, %v", r, err)
	}
}

// Each mistake in arrays is one line that names the array.
func TestRefusedArrays(t *testing.T) {
	row, col, data := vector("<i4", []int32{1, 0}), vector("<i4", []int32{0, 1}), vector("<f8", []float64{4, 3})
	with := func(name string, b []byte) map[string][]byte {
		members := map[string][]byte{"row": row, "col": col, "data": data}
		members[name] = b
		return members
	}
	for want, members := range map[string]map[string][]byte{
		"is a folder without arrays of a sparse matrix":           {"data": data},
		"has no data.npy; each entry needs a rating":              {"row": row, "col": col},
		"row 2, column 1 is 0.5; whole numbers from 0":            with("row", vector("<f8", []float64{0, 0.5})),
		"col.npy: holds -1, where whole numbers from 0":           with("col", vector("<i8", []int64{-1, 0})),
		"has 2 rows of entries and 1 columns":                     with("col", vector("<i4", []int32{0})),
		"has 1 values for 2 entries":                              with("data", vector("<f8", []float64{1})),
		"data.npy: row 2, column 1 is NaN":                        with("data", npyNaN),
		"row_ids.npy: has 1 ids for 2":                            with("row_ids", textArray("|S1", "a")),
		"ids 1 and 2 are both \"a\"":                              with("row_ids", textArray("|S1", "a", "a")),
		"weight is -1; a weight is 0 or more":                     with("weight", vector("<i4", []int32{1, -1})),
		"claims 1000000000 rows but has only 2 entries":           with("shape", vector("<i8", []int64{1e9, 2})),
		"the rating is 1e+70; beyond 1e+60":                       with("data", vector("<f8", []float64{1, 1e70})),
		"row.npy: is cut short: it holds 1 of its 2 values":       with("row", row[:len(row)-4]),
		"row.npy: goes on behind the 2 values":                    with("row", append(slices.Clone(row), 0)),
		"time.npy: holds times of type \"<M8[Y]\"; save them wit": with("time", vector("<M8[Y]", []int64{1, 2})),
	} {
		_, err := RatingsReader{Times: true}.ReadRatings(folderOf(t, members))
		wantError(t, want, err, want)
	}
	_, err := RatingsReader{Columns: "a,b,c"}.ReadRatings(folderOf(t, map[string][]byte{"row": row, "col": col, "data": data}))
	wantError(t, "columns", err, "leave Columns out")
}

// npyNaN is an array of 1 and NaN.
var npyNaN = npy(1, header("<f8", false, "(2,)"), []uint64{0x3ff0000000000000, 0x7ff8000000000001}, binary.LittleEndian)

// Features are read from a folder as from an .npz, in each format of SciPy's, and dense ones in both orders of their axes.
func TestFeaturesOfArrays(t *testing.T) {
	coo := map[string][]byte{"row": vector("<i4", []int32{2, 0, 0}), "col": vector("<i4", []int32{1, 3, 0}),
		"data": vector("<f4", []float32{5, 30, 1}), "shape": vector("<i8", []int64{3, 4})}
	csc := map[string][]byte{"indptr": vector("<i4", []int32{0, 1, 2, 2, 3}), "indices": vector("<i4", []int32{0, 2, 0}),
		"data": vector("<f8", []float64{1, 5, 30}), "shape": vector("<i8", []int64{3, 4}),
		"format": npy(1, header("|S3", false, "()"), []byte("csc"), binary.LittleEndian)}
	for _, file := range []string{folderOf(t, coo), folderOf(t, csc), zipOf(t, zip.Deflate, coo)} {
		m, err := ReadMatrix(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkMatrix(t, m)
		if m.Rows != 3 || m.Cols != 4 || at(m, 0, 3) != 30 || at(m, 0, 0) != 1 || at(m, 2, 1) != 5 {
			t.Errorf("%s: %+v", file, m)
		}
	}
	file := filepath.Join(t.TempDir(), "x.npy")
	const rows, cols = 37, 11
	values := make([]float32, rows*cols)
	for e := range values {
		values[e] = float32(e)
	}
	for _, fortran := range []bool{false, true} {
		b := npy(1, header("<f4", fortran, fmt.Sprintf("(%d, %d)", rows, cols)), values, binary.LittleEndian)
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		direct, err := ReadMatrix(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := ReadMatrix("-", bytes.NewReader(b))
		if err != nil || !slices.Equal(direct.Dense, streamed.Dense) {
			t.Fatalf("a file and a stream differ: %v", err)
		}
		want := float64(3*cols + 5)
		if fortran {
			want = 5*rows + 3
		}
		if got := at(direct, 3, 5); got != want {
			t.Errorf("fortran %v: %v, not %v", fortran, got, want)
		}
	}
	labels, err := ReadLabels("-", bytes.NewReader(textArray("<U3", "cat", "dog")), 2)
	if err != nil || !slices.Equal(labels, []string{"cat", "dog"}) {
		t.Errorf("labels %q, %v", labels, err)
	}
}
