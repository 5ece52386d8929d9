package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/completion"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/spf13/cobra"
)

// What the flags of limits say is what the solver is told.
func TestFlagsReachTheSolver(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	f := completion.NewFlags(&cobra.Command{})
	cli.Bind(f.Cmd, "fit", "completion", f.Fields())
	if err := f.Cmd.ParseFlags(strings.Fields("--seed 7 --threads 3 --tol 1e-5 --max-iter 9 --max-time 10s --exact-certificate " +
		"--checkpoint c --checkpoint-every 90s")); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	f.Began = clock.From(time.Now())
	opt := f.Options(nil)
	if opt.Seed != 7 || opt.Tol != 1e-5 || opt.MaxIter != 9 || !opt.Exact || opt.MaxTime > 10*time.Second ||
		opt.MaxTime < 9*time.Second {
		t.Errorf("the solver is told %+v", opt)
	}
	ratings(t)
	fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --threads 3")...)
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("--threads 3 uses %d processors", n)
	}
}

// The choice of λ leaves half of --max-time to the fit.
func TestChoiceLeavesTimeToTheFit(t *testing.T) {
	ratings(t)
	r := fitJSON(t, strings.Fields("--train ratings.csv --improve none --step open-loop --tol 1e-12 --max-time 0.6")...)
	if left := r["seconds"].(float64); r["status"] != "max_time" || left < 0.02 {
		t.Errorf("%v: the fit had %v s of 0.6", r["status"], left)
	}
}

// Reading counts into --max-time: a fit whose input never ends ends all the same, and says so.
func TestReadingIsCounted(t *testing.T) {
	ratings(t)
	for _, args := range []string{"fit completion --train - --lambda 3 --max-time 20ms --model m",
		"cv regression --features - --targets y --max-time 20ms",
		"fit spca --features - --max-time 20ms --model m"} {
		var out, errs bytes.Buffer
		cmd := process(t, &out, &errs, strings.Fields(args)...)
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if code := exitCode(cmd.Run()); code != 1 || out.Len() > 0 ||
			errs.String() != "gcg: --max-time was over while the data were read and prepared; nothing was written: give more\n" {
			t.Errorf("%s: exit %d, %q, %q", args, code, out.String(), errs.String())
		}
		if _, err := os.Stat("m"); err == nil {
			t.Errorf("%s: a model of nothing", args)
		}
	}
}

// Checkpoints are as far apart as --checkpoint-every says: after a few iterations there is one, or none yet.
func TestCheckpointEvery(t *testing.T) {
	ratings(t)
	for every, want := range map[string]bool{"1ns": true, "1h": false} {
		os.Remove("c")
		seen, there := false, false
		errs := &watched{text: "iteration 6 ", found: func() {
			_, err := os.Stat("c")
			seen, there = true, err == nil
		}}
		var out bytes.Buffer
		args := "fit completion --train ratings.csv --lambda 1 --improve none --tol 1e-9 --max-iter 8 -v --checkpoint c " +
			"--checkpoint-every " + every
		if code := execute(context.Background(), strings.Fields(args), &out, errs); code != 0 || !seen || there != want {
			t.Errorf("%s: exit %d, iteration 6 seen %v, a checkpoint by then %v\n%s", every, code, seen, there, errs.String())
		}
		if _, err := os.Stat("c"); err != nil {
			t.Errorf("%s: none at the end: %v", every, err)
		}
	}
}

// Another seed is another split, other folds and another validation part; the same seed is the same.
func TestSeedsSplit(t *testing.T) {
	ratings(t)
	for _, args := range []string{"fit completion --split 0.8 --lambda 3", "fit completion --split-per-user 0.8 --lambda 3",
		"cv completion --center global --weights none --points 2 --folds 2",
		"cv completion --center global --weights none --points 2 --folds 2 --by row"} {
		seen := map[string]int{}
		for _, seed := range []string{"1", "2", "1"} {
			out, errs, code := command(t, strings.Fields(args+" --train ratings.csv --quiet --json --seed "+seed)...)
			_, rmse, ok := strings.Cut(out, `"rmse":`)
			if code != 0 || !ok {
				t.Fatalf("%s: exit %d, %s, %s", args, code, errs, out)
			}
			seen[rmse[:7]]++
		}
		if len(seen) != 2 {
			t.Errorf("%s: errors with the seeds 1, 2 and 1 are %v", args, seen)
		}
	}
	var errors [2]string
	for k, seed := range []string{"1", "2"} {
		_, errs, _ := command(t, strings.Fields("fit completion --train ratings.csv --center global --weights none --tol 1e-2 -v "+
			"--seed "+seed)...)
		_, errors[k], _ = strings.Cut(errs, "validation RMSE ")
		errors[k], _, _ = strings.Cut(errors[k], "\n")
	}
	if errors[0] == "" || errors[0] == errors[1] {
		t.Errorf("the validation errors at the largest λ are %v with the seeds 1 and 2", errors)
	}
}
