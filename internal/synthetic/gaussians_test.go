package synthetic

import (
	"bytes"
	"github.com/seed-b18ef778/gcg/dataset"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The rows have the means and the covariance that the doc comment states.
func TestGaussiansHaveTheirMoments(t *testing.T) {
	g := Gaussians{Features: 10, Signal: 4, Classes: 3, PerClass: 20000, Correlation: 0.6, Separation: 2, Seed: 5}
	x, class, err := g.Samples(0)
	if err != nil {
		t.Fatal(err)
	}
	means := g.means()
	sigma := g.distance(means) / 2
	cov := make([]float64, 100)
	mean := make([]float64, 30)
	for i, c := range class {
		row := x[i*10 : (i+1)*10]
		for j, v := range row {
			mean[int(c)*10+j] += v / 20000
		}
		for j := range 10 {
			for k := range 10 {
				cov[j*10+k] += (row[j] - want(g, means, c, j)) * (row[k] - want(g, means, c, k)) / 60000
			}
		}
	}
	for e, v := range mean {
		if math.Abs(v-want(g, means, int32(e/10), e%10)) > 0.05*sigma {
			t.Errorf("class %d, feature %d has mean %.3f", e/10, e%10, v)
		}
	}
	for e, v := range cov {
		if w := sigma * sigma * math.Pow(0.6, math.Abs(float64(e/10-e%10))); math.Abs(v-w) > 0.05*sigma*sigma {
			t.Errorf("covariance of %d and %d is %.3f, want %.3f", e/10, e%10, v, w)
		}
	}
}

func want(g Gaussians, means []int8, class int32, j int) float64 {
	if j >= g.Signal {
		return 0
	}
	return float64(means[int(class)*g.Signal+j])
}

// A file holds the very numbers of Samples, the same for a seed and others for another sample.
func TestGaussiansInAFile(t *testing.T) {
	g := Gaussians{Features: 6, Signal: 2, Classes: 4, PerClass: 3, Correlation: -0.3, Deviation: 1, Seed: 2}
	folder := t.TempDir()
	names := []string{filepath.Join(folder, "a"), filepath.Join(folder, "b"), filepath.Join(folder, "c")}
	for i, sample := range []uint64{0, 0, 1} {
		if err := g.Write(t.Context(), names[i], sample); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := os.ReadFile(names[0])
	b, _ := os.ReadFile(names[1])
	c, _ := os.ReadFile(names[2])
	if !bytes.Equal(a, b) || bytes.Equal(a, c) {
		t.Error("the seed and the sample do not name the file")
	}
	l, err := dataset.RowsReader{}.Read(names[0], "")
	if err != nil {
		t.Fatal(err)
	}
	x, class, _ := g.Samples(0)
	for i, v := range x {
		if l.X.Values[i] != v {
			t.Fatalf("value %d is %v in the file, %v in memory", i, l.X.Values[i], v)
		}
	}
	if l.X.Rows != g.Rows() || l.Labels[0] != "1" || l.Labels[11] != "4" || class[11] != 3 {
		t.Errorf("%d rows, labels %v, classes %v", l.X.Rows, l.Labels, class)
	}
}

func TestGaussiansCheck(t *testing.T) {
	good := Mixtures[0]
	for name, bad := range map[string]func(g *Gaussians){
		"no class": func(g *Gaussians) { g.Classes = 1 }, "no row": func(g *Gaussians) { g.PerClass = 0 },
		"no feature": func(g *Gaussians) { g.Features = 0 }, "too many": func(g *Gaussians) { g.PerClass = 1 << 30 },
		"correlation": func(g *Gaussians) { g.Correlation = 1 }, "not a number": func(g *Gaussians) { g.Correlation = math.NaN() },
	} {
		g := good
		if bad(&g); g.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

func TestDensify(t *testing.T) {
	m := &dataset.Matrix{Rows: 3, Cols: 2, Ptr: []int64{0, 1, 1, 3}, Index: []int32{1, 0, 1}, Values: []float64{5, 6, 7}}
	m.Densify("x")
	m.Densify("x")
	if got, want := m.Dense, []float64{0, 5, 0, 0, 6, 7}; len(got) != 6 || got[1] != want[1] || got[4] != want[4] ||
		got[5] != want[5] || m.Ptr != nil {
		t.Errorf("%v, want %v", got, want)
	}
}
