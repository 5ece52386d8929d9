package dataset

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/class"
)

// shared is a file of the public datasets that lie beside the repository; without them the test is skipped.
func shared(t testing.TB, name string) string {
	t.Helper()
	file := filepath.Join("..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		t.Skipf("the dataset %s is not beside the repository: %v", name, err)
	}
	return file
}

// The features and labels of the public datasets have their known shapes, and the values of encoding/csv and strconv.
func TestPublicMatrices(t *testing.T) {
	for _, c := range []struct {
		x, y                string
		rows, cols, classes int
	}{
		{"gene/Brain_Tumor2.X.csv.gz", "gene/Brain_Tumor2.y.csv", 50, 10367, 4},
		{"gene/Leukemia_11225.X.csv.gz", "gene/Leukemia_11225.y.csv", 72, 11225, 3},
		{"gene/SRBCT.X.csv.gz", "gene/SRBCT.y.csv", 83, 2308, 4},
		{"letter/letter.X.csv.gz", "letter/letter.y.csv", 20000, 16, 26},
		{"mfeat/mfeat.fac.X.csv.gz", "mfeat/mfeat.y.csv", 2000, 216, 10},
		{"mfeat/mfeat.fou.X.csv.gz", "mfeat/mfeat.y.csv", 2000, 76, 10},
		{"mfeat/mfeat.mor.X.csv.gz", "mfeat/mfeat.y.csv", 2000, 6, 10},
		{"mfeat/mfeat.zer.X.csv.gz", "mfeat/mfeat.y.csv", 2000, 47, 10},
		{"yaleb/yaleb_32x32.npy", "yaleb/yaleb_subject.csv", 2414, 1024, 38},
	} {
		t.Run(c.x, func(t *testing.T) {
			file := shared(t, c.x)
			m, err := ReadMatrix(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkMatrix(t, m)
			if m.Rows != c.rows || m.Cols != c.cols || m.Names != nil {
				t.Fatalf("%d×%d, names %v", m.Rows, m.Cols, m.Names)
			}
			for k, x := range naiveValues(t, file, len(m.Dense)) {
				if m.Dense[k] != x {
					t.Fatalf("value %d is %v, not %v", k, m.Dense[k], x)
				}
			}
			labels, err := ReadLabels(shared(t, c.y), nil, m.Rows)
			if err != nil {
				t.Fatal(err)
			}
			if _, names := class.IDs(labels); len(names) != c.classes {
				t.Errorf("classes %q", names)
			}
		})
	}
}

// naiveValues are those of encoding/csv, or the bytes at the end of an .npy file.
func naiveValues(t *testing.T, file string, n int) (all []float64) {
	if filepath.Ext(file) == ".npy" {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range b[len(b)-n:] {
			all = append(all, float64(v))
		}
		return all
	}
	src, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	rows, err := csv.NewReader(src).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, f := range row {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, x)
		}
	}
	return all
}

func TestPublicTasks(t *testing.T) {
	d, err := readTasks(shared(t, "school/school.csv"), nil, "task", "y")
	if err != nil {
		t.Fatal(err)
	}
	checkMatrix(t, d.X)
	if d.X.Rows != 15362 || d.X.Cols != 28 || len(d.TaskNames) != 139 || d.X.Names[27] != "x27" || d.Y[0] != 17 ||
		at(d.X, 0, 3) != 24 {
		t.Errorf("%d×%d, %d tasks", d.X.Rows, d.X.Cols, len(d.TaskNames))
	}
	for i, y := range d.Y {
		if y < 1 || y > 70 || at(d.X, i, 27) != 1 {
			t.Fatalf("sample %d has the target %v and the constant %v", i, y, at(d.X, i, 27))
		}
	}
}
