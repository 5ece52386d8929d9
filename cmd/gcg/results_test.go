package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// twoViews writes two views of eight samples.
func twoViews(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, map[string]string{"a.csv": "1,2\n2,1\n0,3\n1,1\n4,0\n2,2\n1,0\n3,1\n", "b.csv": "1\n2\n0\n1\n3\n2\n1\n3\n"})
}

// Two results are never written to one file, whichever flags name it, and nothing is computed before that is said.
func TestOneFileForTwoResults(t *testing.T) {
	twoViews(t)
	const views = "multiview --lambda 1 --view a.csv --view b.csv "
	for _, args := range []string{
		"fit " + views + "--denoised a.csv=out.csv --model out.csv",
		"fit " + views + "--denoised 1=out.csv --trace ./out.csv",
		"fit " + views + "--denoised out.csv --checkpoint out.2.csv",
		"fit " + views + "--denoised 1=out.csv --denoised 2=out.csv",
		"fit " + views + "--picture out.svg --trace out.svg",
		"fit rpca --features a.csv --low-rank out.csv --model out.csv",
		"fit rpca --features a.csv --low-rank out.csv --sparse out.csv",
		"fit cur --features a.csv --output out --model out.C.csv",
		"fit cur --features a.csv --picture out.svg --trace out.svg",
		"fit spca --features a.csv --picture out.svg --trace out.svg",
	} {
		out, errs, code := command(t, strings.Fields(args)...)
		if code != 2 || !strings.Contains(errs, "cannot hold two outputs") || out != "" {
			t.Errorf("%s: exit %d, %s%s", args, code, out, errs)
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 2 {
		t.Errorf("left %v", left)
	}
}

// What is written of one answer is refused where there is none, or many.
func TestResultsOfOneAnswer(t *testing.T) {
	twoViews(t)
	for args, want := range map[string]string{
		"path multiview --view a.csv --view b.csv --denoised out.csv":               "belongs to gcg fit",
		"compare multiview --view a.csv --view b.csv --lambda 1 --denoised out.csv": "keeps a table",
		"check rpca --features a.csv --sheet out.png --image-size 1,2":              "solves nothing",
		"cv rpca --features a.csv --low-rank out.csv":                               "goes with --model",
		"path cur --features a.csv --output out":                                    "belongs to gcg fit",
		"compare cur --features a.csv --picture out.svg":                            "keeps a table",
		"cv cur --features a.csv --picture out.svg":                                 "goes with --model",
		"cv multiview --view a.csv --view b.csv --denoised out.csv":                 "goes with --model",
		"path classification --features a.csv --labels b.csv --confusion":           "belongs to gcg fit",
	} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %q", args, code, errs, want)
		}
	}
}

// Of W = 0 the picture shows that there is nothing, and the fit succeeds.
func TestPictureOfNothing(t *testing.T) {
	twoViews(t)
	const fit = "fit multiview --view a.csv --view b.csv --lambda 1e4 --picture out.svg --model m"
	_, errs, code := command(t, strings.Fields(fit)...)
	drawn, err := os.ReadFile("out.svg")
	if code != 0 || err != nil || !bytes.Contains(drawn, []byte("no shared components")) {
		t.Errorf("exit %d, %s, drawn %.200s", code, errs, drawn)
	}
}
