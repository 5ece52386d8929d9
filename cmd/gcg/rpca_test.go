package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// L + S = D with --equal, whatever the format; missing entries are in neither S nor the problem.
func TestRPCAOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"matrix.csv": corruptedMatrix()})
	const fit = "fit rpca --features matrix.csv --equal --quiet --tol 1e-6 "
	for _, args := range []string{fit + "--low-rank L.npy --sparse S.npy", fit + "--low-rank L.csv --sparse S.csv",
		fit + "--image-size 2,4 --sheet sheet.pgm --low-rank L.pgm --sparse S.pgm"} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 0 {
			t.Fatal(errs)
		}
	}
	all := map[string]*dataset.Matrix{}
	for _, name := range []string{"matrix.csv", "L.npy", "S.npy", "L.csv"} {
		m, err := dataset.ReadMatrix(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = m
	}
	d, l, s := all["matrix.csv"], all["L.npy"], all["S.npy"]
	for e, x := range d.Dense {
		// Entries of S within a thousandth of the largest of D are taken for 0.
		if r := math.Abs(x - l.Dense[e] - s.Dense[e]); r > 1e-2 || l.Dense[e] != all["L.csv"].Dense[e] {
			t.Fatalf("entry %d: %v is %v + %v, and %v", e, x, l.Dense[e], s.Dense[e], all["L.csv"].Dense[e])
		}
	}
	for name, want := range map[string]string{"sheet.pgm": "P5\n61 10\n", "L.pgm": "P5\n21 10\n", "S.pgm": "P5\n21 10\n"} {
		if b, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(b), want) {
			t.Errorf("%s: %.12q, %v", name, b, err)
		}
	}
	lines := strings.Split(corruptedMatrix(), "\n")
	lines[0] = "NA" + lines[0][strings.IndexByte(lines[0], ','):]
	write(t, map[string]string{"gaps.csv": strings.Join(lines, "\n")})
	const some = "fit rpca --features gaps.csv --equal --quiet --rows 1-8 --sparse S.npy"
	out, errs, code := command(t, strings.Fields(some)...)
	gaps, err := dataset.ReadIncomplete("S.npy", nil)
	if code != 0 || err != nil || !strings.Contains(out, fmt.Sprintf("data         %d entries of 8 × %d", 8*d.Cols-1, d.Cols)) ||
		!math.IsNaN(gaps.Dense[0]) {
		t.Errorf("%d, %s%s, %v", code, out, errs, err)
	}
}

// Each mistake is one line that names the file or flag, and the mend.
func TestRPCARefused(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"matrix.csv": corruptedMatrix(), "out.csv": "1,2,3\n9,1,4\n", "twice.csv": "1,2,3\n1,2,4\n"})
	for args, want := range map[string]string{
		"": "2 gcg fit rpca needs data: --features FILE",
		"--features matrix.csv --lambda-ratio 0.5":                                "2 --lambda-ratio 0.5: give --l1",
		"--features matrix.csv --solver gcg":                                      "2 --solver gcg: give --lambda, or --l1",
		"--features matrix.csv --l1 -1":                                           "2 --l1 -1: a positive number",
		"--features matrix.csv --equal --rows 3":                                  `2 --rows "3": FROM-TO`,
		"--features matrix.csv --equal --rows 1-999":                              "1 matrix.csv: has ",
		"--features matrix.csv --equal --low-rank matrix.csv":                     "2 matrix.csv: is read, and would be lost",
		"--features matrix.csv --equal --low-rank L.csv --sparse L.csv":           "2 L.csv: cannot hold two outputs",
		"--features matrix.csv --equal --sheet a.png":                             "2 a.png: is to be an image",
		"--features matrix.csv --equal --image-size 2,4":                          "2 --image-size: goes with --sheet",
		"--features matrix.csv --equal --image-size 2,4 --sheet a.csv":            "2 --sheet a.csv: is a picture",
		"--features matrix.csv --equal --image-size 4,7 --sheet a.png":            "1 matrix.csv: has 8 columns, which are no",
		"--features matrix.csv --equal --image-size 2,4 --low-rank no/such/a.png": "1 no/such/a.png",
		"--train out.csv --shape 5,5 --equal":                                     "1 out.csv:2: ",
		"--train twice.csv --shape 5,5 --equal":                                   "1 twice.csv:2: ",
		"--train out.csv --shape 5 --equal":                                       `2 --shape "5"`,
	} {
		_, errs, code := command(t, append(strings.Fields("fit rpca --quiet"), strings.Fields(args)...)...)
		if got := fmt.Sprintf("%d %s", code, strings.TrimPrefix(errs, "gcg: ")); !strings.HasPrefix(got, want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s\n\t%s\nwant\t%s", args, got, want)
		}
	}
}

// Without λ and λ₁ the noise is looked for, and the result says what was found; a checkpoint goes on with the same.
func TestRPCANoise(t *testing.T) {
	t.Chdir(t.TempDir())
	rng, text := rand.New(rand.NewPCG(7, 9)), ""
	for i := range 40 {
		for j := range 30 {
			x := float64(i%7-3)*float64(j%5-2) + 0.1*rng.NormFloat64()
			if rng.Float64() < 0.05 {
				x += 9
			}
			text += fmt.Sprintf("%.4f,", x)
		}
		text = text[:len(text)-1] + "\n"
	}
	write(t, map[string]string{"noisy.csv": text, "matrix.csv": corruptedMatrix()})
	fit := func(args string) string {
		out, errs, code := command(t, strings.Fields("fit rpca --quiet "+args)...)
		if code != 0 {
			t.Fatal(args, errs)
		}
		return out
	}
	const noisy = "--features noisy.csv --checkpoint c --checkpoint-every 1ns "
	if out := fit(noisy + "--max-iter 3"); !strings.Contains(out, "\nnoise        σ = 0.1") ||
		!strings.Contains(out, "\nrank         1\n") {
		t.Error(out)
	}
	if out := fit(noisy + "--resume c --json"); !strings.Contains(out, `"equal":false,"noise":0.1`) {
		t.Error(out)
	}
	if out := fit("--features matrix.csv"); !strings.Contains(out, "noise        none") || !strings.Contains(out, "L + S = D") {
		t.Error(out)
	}
}
