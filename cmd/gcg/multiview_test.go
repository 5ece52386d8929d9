package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// viewFiles writes two views of the same samples, which share two factors, into the current folder: a.csv (12 features with
// gaps), b.csv (8), other samples in newa.csv and newb.csv, and labels that follow from the factors in y.csv (classes) and l.csv
// (two columns).
func viewFiles(t *testing.T) {
	t.Helper()
	const samples, rank = 50, 2
	rng := rand.New(rand.NewPCG(4, 2))
	var d [20][rank]float64
	for i := range d {
		d[i] = [rank]float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	files := map[string]*strings.Builder{}
	for _, name := range []string{"a.csv", "b.csv", "newa.csv", "newb.csv", "y.csv", "l.csv"} {
		files[name] = &strings.Builder{}
	}
	for j := range 20 {
		for _, prefix := range []string{"", "new"} {
			name, end := prefix+"ab"[j/12:j/12+1]+".csv", ","
			if j == 11 || j == 19 {
				end = "\n"
			}
			fmt.Fprintf(files[name], "f%d%s", j, end)
		}
	}
	for i := range samples + 10 {
		h := [rank]float64{rng.NormFloat64(), rng.NormFloat64()}
		prefix := ""
		if i >= samples {
			prefix = "new"
		} else {
			fmt.Fprintln(files["y.csv"], map[bool]string{true: "cat", false: "dog"}[h[0] > 0])
			fmt.Fprintf(files["l.csv"], "%d,%d\n", map[bool]int{true: 1}[h[0] > 0], map[bool]int{true: 1}[h[1] > 0])
		}
		for j := range d {
			name, end := prefix+"ab"[j/12:j/12+1]+".csv", ","
			if j == 11 || j == 19 {
				end = "\n"
			}
			field := strconv.FormatFloat(d[j][0]*h[0]+d[j][1]*h[1]+0.01*rng.NormFloat64(), 'f', 4, 64)
			if j < 12 && i < samples && rng.Float64() < 0.1 {
				field = "NA"
			}
			fmt.Fprint(files[name], field+end)
		}
	}
	for name, text := range files {
		write(t, map[string]string{name: text.String()})
	}
}

// numbersOf reads the numbers of CSV under a header.
func numbersOf(t *testing.T, text string) (names []string, rows [][]float64) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		var row []float64
		for _, f := range fields {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// What is fitted is certified, cleans the views, and predicts the second view of new samples from the first.
func TestMultiview(t *testing.T) {
	t.Chdir(t.TempDir())
	viewFiles(t)
	r := gcgJSON2(t, "fit multiview --view a.csv --view b.csv --lambda 0.5 --tol 1e-4 --model m.gcg --denoised clean.csv "+
		"--denoised b.csv=b.npy --picture p.svg --json --quiet")
	if r["status"] != "converged" || r["rows"] != 20.0 || r["cols"] != 50.0 || !(r["relative_gap"].(float64) <= 1e-4) {
		t.Errorf("%v", r)
	}
	training := r["training"].([]any)[0].(map[string]any)
	if training["missing"].(float64) < 10 || training["rmse"].(float64) > 0.1 {
		t.Errorf("%v", training)
	}
	for _, name := range []string{"clean.1.csv", "clean.2.csv", "b.npy", "p.svg"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	out, errs, code := command(t, strings.Fields("predict --model m.gcg --view newa.csv")...)
	if code != 0 {
		t.Fatal(errs)
	}
	names, got := numbersOf(t, out)
	text, err := os.ReadFile("newb.csv")
	if err != nil {
		t.Fatal(err)
	}
	want, truth := numbersOf(t, string(text))
	if fmt.Sprint(names) != fmt.Sprint(want) || len(got) != 10 {
		t.Fatalf("%d rows of %v", len(got), names)
	}
	for i := range got {
		for j := range got[i] {
			near(t, "the other view", got[i][j], truth[i][j], 0.3)
		}
	}
	const codes = "predict --model m.gcg --view newa.csv --view newb.csv --predict codes"
	if out, _, code := command(t, strings.Fields(codes)...); code != 0 ||
		strings.Count(out, "\n") != 10 {
		t.Errorf("codes: %d, %q", code, out)
	}
	if out, _, _ := command(t, "show", "--model", "m.gcg"); !strings.Contains(out,
		"view         b.csv: 8 features, radius 1, squared loss") {
		t.Error(out)
	}
}

// Labels of new samples are predicted, classes by their names and several labels by their scores.
func TestMultiviewLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	viewFiles(t)
	for labels, head := range map[string]string{"y.csv": "label,dog", "l.csv": "label1,label2"} {
		out, errs, code := command(t, strings.Fields("fit multiview --view a.csv --view b.csv --lambda 5 --tol 0.05 --labels "+labels+
			" --loss labels=logistic --weight labels=2 --model m.gcg --quiet")...)
		if code != 0 {
			t.Fatal(errs)
		}
		if !strings.Contains(out, labels+": accuracy 0.9") && !strings.Contains(out, labels+": accuracy 1.0") {
			t.Error(out)
		}
		out, errs, code = command(t, strings.Fields("predict --model m.gcg --view newa.csv --view newb.csv")...)
		if code != 0 || !strings.HasPrefix(out, head+"\n") || strings.Count(out, "\n") != 11 {
			t.Errorf("%s: %d, %s %s", labels, code, out, errs)
		}
	}
}

// Labels that are known are set beside those that are predicted, and beside the most frequent one.
func TestMultiviewMeasured(t *testing.T) {
	t.Chdir(t.TempDir())
	viewFiles(t)
	for _, labels := range []string{"y.csv", "l.csv"} {
		fit := "fit multiview --view a.csv --view b.csv --lambda 5 --tol 0.05 --labels " + labels + " --model m.gcg --quiet"
		if _, errs, code := command(t, strings.Fields(fit)...); code != 0 {
			t.Fatal(errs)
		}
		const predict = "predict --model m.gcg --view a.csv --view b.csv --output p.csv --labels "
		_, errs, code := command(t, strings.Fields(predict+labels)...)
		said, truths := strings.Split(read(t, "p.csv"), "\n")[1:], strings.Fields(read(t, labels))
		var right, first, all float64
		for i, truth := range truths {
			for j, y := range strings.Split(truth, ",") {
				got := strings.Split(said[i], ",")[j]
				if labels == "l.csv" {
					p, _ := strconv.ParseFloat(got, 64)
					got = map[bool]string{true: "1", false: "0"}[p >= 0.5]
				}
				all++
				right += map[bool]float64{true: 1}[got == y]
				first += map[bool]float64{true: 1}[j == 0 && (y == "cat" || y == "1")]
			}
		}
		want := fmt.Sprintf("measured     accuracy %.4f, AUC 0.9", right/all)
		if code != 0 || !strings.HasPrefix(errs, want) && !strings.HasPrefix(errs, want[:len(want)-3]+"1.") {
			t.Errorf("%s: %d, %s, not %s", labels, code, errs, want)
		}
		if labels == "y.csv" && !strings.Contains(errs, fmt.Sprintf("accuracy %.4f\n", max(first, all-first)/all)) {
			t.Errorf("%v of %v are cats: %s", first, all, errs)
		}
		out, _, _ := command(t, strings.Fields(predict+labels+" --json")...)
		if !strings.Contains(out, fmt.Sprintf(`"measured":{"accuracy":%v,"most_frequent":`, right/all)) {
			t.Error(out)
		}
	}
	os.WriteFile("p.csv", []byte("old"), 0o644)
	predict := "predict --model m.gcg --view newa.csv --output p.csv --denoised a.csv=d.csv --labels l.csv"
	_, errs, code := command(t, strings.Fields(predict)...)
	if _, err := os.Stat("d.csv"); err == nil || read(t, "p.csv") != "old" {
		t.Errorf("was written before the labels were read: p.csv %.20q, d.csv %v", read(t, "p.csv"), err)
	}
	if code != 1 || !strings.Contains(errs, "l.csv: has 50 samples of 2 labels; the views have 10, and the model 2") {
		t.Errorf("%d %s", code, errs)
	}
}

// A view of images is written as a sheet of them.
func TestMultiviewImages(t *testing.T) {
	t.Chdir(t.TempDir())
	viewFiles(t)
	if _, errs, code := command(t, strings.Fields("fit multiview --view a.csv --view b.csv --lambda 1 --image-size 3,4 "+
		"--denoised a.csv=a.png "+
		"--denoised a.csv=a.pgm --quiet")...); code != 0 {
		t.Fatal(errs)
	}
	b, err := os.ReadFile("a.pgm")
	if err != nil || !strings.HasPrefix(string(b), "P5\n41 29\n255\n") { // 8 × 7 images with borders
		t.Errorf("%.12q, %v", b, err)
	}
}

// Each mistake is one line that names the file, the place and the mend.
func TestMultiviewRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	viewFiles(t)
	write(t, map[string]string{"short.csv": "1,2\n3,4\n", "gone.csv": "p,q\n" + strings.Repeat("1,NA\n", 50),
		"text.csv": "1,2\n3,x\n",
		"few.csv":  "cat\ndog\n", "m.txt": "no model"})
	for args, want := range map[string]string{
		"--view a.csv":                           "2 --view: one view has nothing to share",
		"":                                       "2 gcg fit multiview needs --view FILE",
		"--view a.csv --view b.csv --radius 1":   `2 --radius "1": gives 1, for 2 views`,
		"--view a.csv --view b.csv --radius 1,0": `2 --radius "1,0": positive numbers`,
		"--view a.csv --view b.csv --loss c.csv=squared":            `2 --loss "c.csv=squared": there is no view "c.csv"`,
		"--view a.csv --view b.csv --loss huber:0":                  `2 --loss "huber:0": there are squared, huber:μ`,
		"--view a.csv --view b.csv --weight 1=-1":                   `2 --weight "1=-1": VIEW=W, with a positive number W`,
		"--view a.csv --view b.csv --image-size 4 --denoised x.png": `2 --image-size "4": a height and a width`,
		"--view a.csv --view b.csv --denoised a.png":                `2 a.1.png: is to be an image`,
		"--view a.csv --view b.csv --denoised a.csv=b.csv":          "2 b.csv: is read, and would be lost",
		"--view a.csv --view short.csv":                             "1 short.csv: has 2 samples, and a.csv has 50",
		"--view a.csv --view gone.csv":                              `1 gone.csv: column "q" is missing in every sample`,
		"--view a.csv --view text.csv":                              `1 text.csv:2: column 2 is "x", not a number`,
		"--view a.csv --view b.csv --labels few.csv":                "1 few.csv: has 2 labels for 50 rows",
		"--view a.csv --view b.csv --loss 1=logistic":               "1 a.csv:2: column \"f0\": is ",
		"--view a.csv --view b.csv --image-size 2,5 --denoised 1=a.png": "1 a.csv: has 12 columns, which are no images of 2×5 = 10 " +
			"pixels",
		"--view a.csv --view b.csv --warm m.txt --lambda 1": "1 m.txt: is no model or checkpoint",
	} {
		_, errs, code := command(t, append(strings.Fields("fit multiview --quiet"), strings.Fields(args)...)...)
		if got := fmt.Sprintf("%d %s", code, strings.TrimPrefix(errs, "gcg: ")); !strings.HasPrefix(got, want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s\n\t%s\nwant\t%s", args, got, want)
		}
	}
	const fit = "fit multiview --view a.csv --view b.csv --lambda 1 --model m.gcg --quiet"
	if _, errs, code := command(t, strings.Fields(fit)...); code != 0 {
		t.Fatal(errs)
	}
	for args, want := range map[string]string{
		"":                                  "2 gcg predict needs a view of the samples",
		"--data a.csv":                      "2 --data: m.gcg is a model of multiview",
		"--view newa.csv --predict labels":  "2 --predict labels: the model has none",
		"--view newa.csv --view 1=newa.csv": `2 --view "1=newa.csv": view 1 is given twice`,
		"--view newb.csv":                   "1 newb.csv: has 8 features; a.csv, view 1 of the model, has 12",
		"--view newa.csv --view b.csv":      "1 b.csv: has 50 samples, and newa.csv has 10",
		"--view newa.csv --denoised x.png":  "2 x.png: is to be an image",
	} {
		_, errs, code := command(t, append(strings.Fields("predict --model m.gcg"), strings.Fields(args)...)...)
		if got := fmt.Sprintf("%d %s", code, strings.TrimPrefix(errs, "gcg: ")); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n\t%s\nwant\t%s", args, got, want)
		}
	}
}

// A checkpoint is continued, and a path and folds hold entries out.
func TestMultiviewVerbs(t *testing.T) {
	t.Chdir(t.TempDir())
	viewFiles(t)
	const views = " multiview --view a.csv --view b.csv --quiet "
	for _, args := range []string{"path" + views + "--points 3 --json", "cv" + views + "--points 3 --folds 2 --json",
		"fit" + views + "--lambda 1 --normalize mean --lambda 0.001 --scale standardize --json",
		"fit" + views + "--lambda 1 --max-iter 1 --checkpoint c.gcg --json", "fit" + views + "--lambda 1 --resume c.gcg --json"} {
		if out, errs, code := command(t, strings.Fields(args)...); code != 0 || len(out) < 10 {
			t.Errorf("%s: %d, %s", args, code, errs)
		}
	}
}

// The maximum over ‖v‖ = 1 of |3v₁| + |4v₂| is 5, with β = 2 it is √52; a third row that is a label weighs |cᵀv|.
func TestPolarOfViews(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"G": "3,0\n0,4\n", "N": "3,0\n0,4\n0,4\n"})
	for args, want := range map[string]float64{"--matrix G --split 1": 5, "--matrix G --split 1 --radius 2,1": 7.211102550927978} {
		r := gcgJSON2(t, "polar multiview "+args+" --json")
		near(t, args, r["value"], want, 1e-9)
		near(t, args+"'s bound", r["bound"], want, 1e-9)
		if r["exact"] != true || r["alpha"] != 1.0 || r["atom"] == nil {
			t.Errorf("%s: %v", args, r)
		}
	}
	for args, want := range map[string]string{"polar multiview --matrix G": `--split ""`,
		"polar trace --matrix G --split 1":         "are of the gauges multiview",
		"polar multiview --matrix G --split 1,1,1": `--split "1,1,1"`} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %q", args, code, errs)
		}
	}
	complains(t, "G", ": has 2 rows", "polar", "multiview", "--matrix", "G", "--split", "2")
}

// Generated views are two files with noise, and two without.
func TestGeneratedViews(t *testing.T) {
	t.Chdir(t.TempDir())
	out, errs, code := command(t, strings.Fields("data generate views --output n.csv --clean-output c.csv --view-sizes 8,5 "+
		"--cols 12 --rank 2 "+
		"--noise-fraction 0.1")...)
	if code != 0 || !strings.Contains(out, "n.2.csv: 12 samples of 5 features, rank 2, seed 1") ||
		!strings.Contains(out, "c.1.csv") {
		t.Errorf("%d, %s %s", code, out, errs)
	}
	if out, errs, code := command(t,
		strings.Fields("fit multiview --view n.1.csv --view n.2.csv --lambda-ratio 0.3 --quiet")...); code != 0 {
		t.Errorf("%s %s", out, errs)
	}
}
