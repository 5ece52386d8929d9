package output_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
)

// What is written is read back to the last bit, missing entries too.
func TestRoundTrip(t *testing.T) {
	m := &dataset.Matrix{Rows: 3, Cols: 2, Dense: []float64{1.0 / 3, math.NaN(), -2e-300, 4, math.NaN(), 6}}
	for _, name := range []string{"a.csv", "a.tsv", "a.npy"} {
		file := filepath.Join(t.TempDir(), name)
		if err := output.Matrix(file, m); err != nil {
			t.Fatal(err)
		}
		got, err := dataset.ReadIncomplete(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Dense) != fmt.Sprint(m.Dense) || got.Rows != 3 || got.Cols != 2 {
			t.Errorf("%s: %v, want %v", name, got, m.Dense)
		}
		if _, err := dataset.ReadMatrix(file, nil); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: missing entries read as a whole matrix: %v", name, err)
		}
	}
}

// A header stands above the numbers.
func TestNames(t *testing.T) {
	var b bytes.Buffer
	m := &dataset.Matrix{Rows: 1, Cols: 2, Dense: []float64{1, 2}, Names: []string{"a", "b,c"}}
	if err := output.Records(m).WriteCSV(&b); err != nil || b.String() != "a,\"b,c\"\n1,2\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// Names of rows stand before their numbers; an index of numbers has no header, as pandas has it.
func TestRowNames(t *testing.T) {
	m := &dataset.Matrix{Rows: 2, Cols: 1, Dense: []float64{0.1, math.NaN()}, Names: []string{"a"}}
	for _, c := range []struct {
		names []string
		want  string
	}{{[]string{"x", "7"}, "name,a\nx,0.1\n7,\n"}, {[]string{"3", "7"}, ",a\n3,0.1\n7,\n"}} {
		var b bytes.Buffer
		m.RowNames = c.names
		if err := output.Records(m).WriteCSV(&b); err != nil || b.String() != c.want {
			t.Errorf("%q, %v; want %q", b.String(), err, c.want)
		}
	}
}

// Pixels stand where they belong, by rows and by columns, with a border around each image.
func TestImages(t *testing.T) {
	dir := t.TempDir()
	m := &dataset.Matrix{Rows: 2, Cols: 6, Dense: []float64{0, 51, 102, 153, 204, 255, 255, 0, 0, 0, 0, math.NaN()}}
	o := output.Images{Height: 2, Width: 3}.Greys(m)
	if o.Lo != 0 || o.Hi != 255 {
		t.Fatalf("greys from %g to %g", o.Lo, o.Hi)
	}
	file := filepath.Join(dir, "a.pgm")
	if err := o.Write(file, m, m); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(b, []byte("P5\n9 7\n255\n")) {
		t.Fatalf("%q, %v", b, err)
	}
	pix := b[len("P5\n9 7\n255\n"):]
	if got := fmt.Sprint(pix[9:18], pix[18:27]); got != "[127 0 51 102 127 255 0 0 127] [127 153 204 255 127 0 0 127 127]" {
		t.Error(got)
	}
	o.ByColumns = true
	file = filepath.Join(dir, "a.png")
	if err := o.Write(file, m); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 9 || size.Y != 4 { // two images beside each other
		t.Errorf("%v", size)
	}
	if r, _, _, _ := img.At(1, 2).RGBA(); r>>8 != 51 { // the second value is below the first
		t.Errorf("%d", r>>8)
	}
}

// Sizes that do not fit, and names that say nothing, are refused.
func TestRefused(t *testing.T) {
	m := &dataset.Matrix{Rows: 1, Cols: 6, Dense: make([]float64, 6)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{output.Images{Height: 2, Width: 2}.Write("a.png", m), "a.png: has 6 columns, which are no images of 2×2 = 4 pixels"},
		{output.Images{Height: 2, Width: 3}.Write("a.gif", m), "a.gif: is no name of an image"},
		{output.Matrix("a.png", m), "a.png: is to be an image"},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}
