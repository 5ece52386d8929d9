package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// Of few rows all of the usual grid is tried. Where the error still falls at its end, smaller λ are, too, and where it does not,
// none is. A fit with a validation file starts where they ended.
func TestChoiceBeyondTheGrid(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 4))
	var clean, noisy strings.Builder
	fmt.Fprintln(&clean, "a,b,c,y")
	fmt.Fprintln(&noisy, "a,b,c,y")
	for range 60 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&clean, "%v,%v,%v,%v\n", a, b, c, a-2*b)
		fmt.Fprintf(&noisy, "%v,%v,%v,%v\n", a, b, c, a-2*b+8*rng.NormFloat64())
	}
	for name, data := range map[string]string{"clean": clean.String(), "noisy": noisy.String()} {
		write(t, map[string]string{name + ".csv": data})
		for _, valid := range []string{"", " --valid " + name + ".csv"} {
			r := gcgJSON(t, "fit regression --train "+name+".csv --target y --points 20 --ratio 0.01 --trace t.jsonl"+valid)
			tried := len(r["tried"].([]any))
			if tried < 20 || valid == "" && (tried > 20) != (name == "clean") {
				t.Errorf("%s%s: %d λ were tried", name, valid, tried)
			}
			trace, err := os.ReadFile("t.jsonl")
			first, _, _ := strings.Cut(string(trace), "\n")
			var begun struct{ Nonzeros int }
			if err == nil {
				err = json.Unmarshal([]byte(first), &begun)
			}
			if err != nil || valid != "" && begun.Nonzeros == 0 {
				t.Errorf("%s: the fit does not start where the choice came to: %s %v", name, first, err)
			}
		}
	}
}

// A choice of λ that --max-time cuts short says so, to people and to scripts, and takes no λ that it has not solved.
func TestChoiceCutShort(t *testing.T) {
	ratings(t)
	cut := 0
	for limit := 200 * time.Microsecond; limit < 10*time.Second; limit += limit / 2 {
		out, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--center", "none", "--weights", "none", "--json",
			"--tol", "1e-8",
			"-v", "--max-time",
			limit.String())
		if code == 1 && strings.Contains(errs, "was over while the data were read and prepared") {
			continue
		}
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", limit, code, errs)
		}
		var res struct {
			CutShort string `json:"cut_short"`
			Warnings []string
		}
		if err := json.Unmarshal([]byte(out), &res); err != nil {
			t.Fatal(err)
		}
		tried := strings.Count(errs, "validation RMSE")
		said := strings.Contains(strings.Join(res.Warnings, "\n"), fmt.Sprintf("choosing λ ended at --max-time, at %d of ", tried))
		if res.CutShort == "" {
			if said {
				t.Errorf("%s: %v without cut_short", limit, res.Warnings)
			}
			break
		}
		cut++
		if res.CutShort != "max_time" || !said || tried > 0 && !strings.Contains(errs, "the smallest error so far is at λ") {
			t.Errorf("%s: %q, %v\n%s", limit, res.CutShort, res.Warnings, errs)
		}
	}
	if cut < 2 {
		t.Errorf("%d choices were cut short", cut)
	}
}

// So does one that an interrupt ends.
func TestChoiceInterrupted(t *testing.T) {
	ratings(t)
	for _, format := range []string{"--json", "--json=false"} {
		ctx, cancel := context.WithCancel(context.Background())
		var out bytes.Buffer
		errs := &watched{text: "validation RMSE", found: cancel}
		code := execute(ctx, []string{"fit", "completion", "--train", "ratings.csv", "--center", "none", "--weights", "none", "-v",
			format},
			&out, errs)
		if code != 0 || !strings.Contains(out.String(), "choosing λ ended by an interrupt, at 1 of 20 λ while the error still fell") ||
			strings.Contains(out.String(), `"cut_short":"interrupted"`) != (format == "--json") {
			t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
		}
	}
}
