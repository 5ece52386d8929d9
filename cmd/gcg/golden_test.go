package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// golden are commands that run in order in one folder, with what they print: to people and to scripts it is a contract.
// go test ./cmd/gcg -run Golden -update rewrites it; read the difference before it is committed.
var golden = []struct{ name, args string }{
	{"fit", "fit completion --train ratings.csv --split 0.8 --lambda 2 --tol 1e-8 --quiet --ranking 5 --model m --trace " +
		"trace.jsonl"},
	{"fit-json", "fit completion --train ratings.csv --split 0.8 --lambda 2 --tol 1e-8 --quiet --json --ranking 5"},
	{"fit-train-only", "fit completion --train ratings.csv --lambda 900 --quiet"},
	{"fit-constrain", "fit completion --train ratings.csv --constrain 20 --tol 1e-8 --center global --quiet"},
	{"fit-auto", "fit completion --train ratings.csv --center both --seed 3 --tol 1e-8"},
	{"show", "show --model m"},
	{"show-json", "show --model m --json"},
	{"path", "path completion --train ratings.csv --points 4 --ratio 0.1 --tol 1e-8 --split 0.9"},
	{"path-json", "path completion --train ratings.csv --points 2 --ratio 0.1 --tol 1e-8 --quiet --json"},
	{"cv", "cv completion --train ratings.csv --points 2 --ratio 0.6 --folds 3 --center global --quiet"},
	{"predict", "predict --model m --data pairs.csv"},
	{"recommend-text", "recommend --model m --user 7 --top 3 --seen ratings.csv --titles titles"},
	{"recommend-csv", "recommend --model m --users users --top 2 --titles titles --format csv"},
	{"recommend-jsonl", "recommend --model m --ratings mine.csv --top 2 --titles titles --format jsonl"},
	{"data-list", "data list"},
	{"data-split", "data split --train ratings.csv --split-per-user 0.5 --parts a.csv,b.tsv"},
	{"version", "version"},
	{"help", "help"}, {"help-fit", "help fit"}, {"help-path", "help path"}, {"help-cv", "help cv"}, {"help-predict", "help predict"},
	{"help-recommend", "help recommend"}, {"help-show", "help show"}, {"help-check", "help check"}, {"help-data", "help data"},
	{"help-data-split", "help data split"}, {"help-report", "help report"}, {"help-version", "help version"},
	{"error-verb", "fly"}, {"error-problem", "fit dance"}, {"error-flag", "fit completion --fly"}, {"error-lambda",
		"fit completion --lambda -1"},
	{"error-number", "fit completion --tol small"}, {"error-file", "fit completion --train missing.csv"},
	{"error-line", "fit completion --train bad.csv"}, {"error-duplicate", "fit completion --train twice.csv --lambda 1"},
	{"classification", "fit classification --features X.csv --labels class.txt --split 0.75 --lambda 0.02 --tol 1e-9 --quiet " +
		"--model classes"},
	{"classification-json", "fit classification --train letters.libsvm --split 0.75 --lambda 0.02 --tol 1e-10 --quiet --json " +
		"--gauge l1"},
	{"classification-predict", "predict --model classes --data few.csv --labels few.txt"},
	{"classification-show", "show --model classes"},
	{"multitask", "fit multitask --train tasks.csv --split 0.75 --lambda 0.02 --tol 1e-7 --quiet"},
	{"multitask-logistic", "fit multitask --train won.csv --task who --target won --loss logistic --lambda 0.02 --tol 1e-9 " +
		"--quiet --model won"},
	{"multitask-predict", "predict --model won --data won-few.csv"},
	{"regression", "fit regression --features X.csv --targets y.csv --split 0.75 --lambda 3 --tol 1e-8 --intercept --quiet " +
		"--model numbers"},
	{"regression-auto", "fit regression --train X.csv --target noise --gauge group"},
	{"regression-path", "path regression --features X.csv --targets y.csv --points 3 --quiet"},
	{"regression-cv", "cv regression --features X.csv --targets y.csv --points 3 --folds 3 --tol 1e-10"},
	{"classification-cv", "cv classification --train letters.libsvm --points 3 --folds 3 --gauge l1 --tol 1e-8 --seed 2 --quiet"},
	{"regression-show", "show --model numbers"},
	{"polar", "polar trace --matrix few.csv"}, {"polar-json", "polar group --matrix few.csv --json"},
	{"help-fit-completion", "help fit completion"}, {"help-fit-classification", "help fit classification"}, {"help-fit-multitask",
		"help fit multitask"},
	{"help-fit-regression", "help fit regression"}, {"help-cv-multitask", "help cv multitask"}, {"help-polar", "help polar"},
	{"error-class", "fit classification"}, {"error-loss", "fit classification --train letters.libsvm --loss cubic"},
	{"error-model", "show --model ratings.csv"}, {"error-user", "recommend --model m --user nobody"},
}

func TestGolden(t *testing.T) {
	defer func(every time.Duration) { cli.LogEvery = every }(cli.LogEvery)
	cli.LogEvery = time.Hour
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	ratings(t)
	writeRows(t)
	for name, text := range map[string]string{
		"pairs.csv": "user,item,rating\n1,2,4\nnobody,2,3\n5,nothing,1\n9,9,2\n", "users": "3\n12\n", "mine.csv": "2,5\n3,1\n8,4.5\n",
		"titles": "2|Second, with a comma|1999\n5|Fünf|x\n8|Eight|x\n", "bad.csv": "user,item,rating\na,b,1\na,c,x\n", "twice.csv": "a,b,1\na,b,2\n",
		"few.csv": "a,b,c,noise\n1,0,-1,0.5\n-1,2,0,1\n0,0.5,1,-3\n", "few.txt": "red\ngreen\n\"blue, dark\"\n", "won-few.csv": "who,a,b,c,noise\nt2,1,-1,0,0\nt0,-1,1,0,0\n",
	} {
		os.WriteFile(name, []byte(text), 0o600)
	}
	for _, g := range golden {
		out, errs, code := command(t, strings.Fields(g.args)...)
		got := fmt.Sprintf("$ gcg %s\nexit %d\n-- standard output\n%s-- standard error\n%s", g.args, code, masked(out), masked(errs))
		file := filepath.Join(folder, g.name+".golden")
		if *update {
			if err := atomicfile.Write(file, text(got)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s.golden differs; now it is\n%s", g.name, got)
		}
	}
}

var (
	times  = regexp.MustCompile(`[0-9.]+ s\b|"(read_|total_|((choice|fit)_)?(cpu_)?)seconds":[0-9.e-]+|"peak_memory_bytes":\d+`)
	counts = regexp.MustCompile(`after \d+ iterations|"(iterations|gradients|polars)":\d+`)
	gaps   = regexp.MustCompile(`gap [0-9.]+(e[+-]\d+)?|"(relative_gap|gap|excess|balance)":-?[0-9.]+(e[+-]\d+)?| ` +
		`\d\.\de[+-]\d+[ \n]`)
	loose   = regexp.MustCompile(`rank \d+  validation RMSE [0-9.]+`) // of paths that stop at a gap of 1e-2
	numbers = regexp.MustCompile(`\d+\.\d+(e[+-]\d+)?`)
)

// masked replaces what depends on the clock, on the number of steps or on rounding, and keeps four digits of the rest.
func masked(s string) string {
	s = times.ReplaceAllStringFunc(s, func(m string) string {
		if key, _, ok := strings.Cut(m, ":"); ok {
			return key + ":TIME"
		}
		return "TIME s"
	})
	s = counts.ReplaceAllStringFunc(s, func(m string) string { return regexp.MustCompile(`\d+`).ReplaceAllString(m, "N") })
	s = gaps.ReplaceAllStringFunc(s, func(m string) string {
		return regexp.MustCompile(`-?\d[0-9.e+-]*`).ReplaceAllString(m,
			"GAP")
	})
	s = loose.ReplaceAllString(s, "rank N  validation RMSE X")
	return numbers.ReplaceAllStringFunc(s, func(m string) string {
		x, err := strconv.ParseFloat(m, 64)
		if err != nil || len(m) <= 5 {
			return m
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	})
}
