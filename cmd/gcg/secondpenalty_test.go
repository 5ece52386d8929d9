package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// secondData writes 60 rows of 12 features, of which the third to the sixth have the weight 1.
func secondData(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	var x, y strings.Builder
	for i := range 60 {
		var sum float64
		for j := range 12 {
			v := math.Sin(float64(i*i*(j+1)) + float64(j*j*j))
			if j >= 2 && j < 6 {
				sum += v
			}
			if j > 0 {
				x.WriteByte(',')
			}
			x.WriteString(format(v))
		}
		x.WriteByte('\n')
		y.WriteString(format(sum+0.1*math.Cos(float64(i*i))) + "\n")
	}
	for name, text := range map[string]string{"X.csv": x.String(), "y.csv": y.String(), "groups.csv": "1,2,3,4,5,6\n5,6,7,8,9\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Second penalties converge with a bound or with λ, and take their value out of the loss.
func TestSecondPenalty(t *testing.T) {
	secondData(t)
	for _, penalty := range []string{"fused:0.5", "trend:0.5", "trend2:0.1", "groups:groups.csv,0.5"} {
		for _, h := range []string{"--constrain 3", "--lambda 0.3", "--lambda-ratio 0.1", ""} {
			args := strings.Fields("fit regression --features X.csv --targets y.csv --json --quiet --penalty " + penalty + " " + h)
			out, errs, code := command(t, args...)
			var r struct {
				Status, Solver          string
				Objective, Loss, Lambda float64
				Gauge, Lower            float64
				LowerBound              float64 `json:"lower_bound"`
				Second                  float64 `json:"second_penalty"`
				N                       int     `json:"observations"`
			}
			if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
				t.Fatalf("%v: exit %d, %v, %s", args, code, err, errs)
			}
			sum := r.Loss + r.Second + r.Lambda*r.Gauge
			if r.Status != "converged" || r.Solver != "structured" || r.LowerBound > r.Objective || r.N != 60 ||
				math.Abs(sum-r.Objective) > 1e-9*r.Objective || r.Second <= 0 {
				t.Errorf("%v: %s", args, out)
			}
		}
	}
	for _, verb := range []string{"path", "cv", "check"} {
		args := strings.Fields(verb + " regression --features X.csv --targets y.csv --penalty fused:0.5")
		if _, errs, code := command(t, args...); code != 0 {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}

// The hybrid method holds the optimum in its bracket, with its penalties smoothed.
func TestSecondPenaltyHybrid(t *testing.T) {
	secondData(t)
	for _, penalty := range []string{"fused:0.5", "trend:0.5", "groups:groups.csv,0.5"} {
		var brackets [2]struct {
			Objective  float64
			LowerBound float64 `json:"lower_bound"`
			Second     float64 `json:"second_penalty"`
		}
		for i, how := range []string{"structured", "hcgs --max-iter 200"} {
			args := strings.Fields("fit regression --features X.csv --targets y.csv --json --quiet --constrain 3 --penalty " + penalty +
				" --solver " + how)
			out, errs, code := command(t, args...)
			if err := json.Unmarshal([]byte(out), &brackets[i]); err != nil || code != 0 {
				t.Fatalf("%v: exit %d, %v, %s", args, code, err, errs)
			}
		}
		a, b := brackets[0], brackets[1]
		if a.LowerBound > b.Objective || b.LowerBound > a.Objective || b.Objective > 1.2*a.Objective || b.Second <= 0 {
			t.Errorf("%s: %+v and %+v", penalty, a, b)
		}
	}
}

func TestSecondPenaltyRefused(t *testing.T) {
	secondData(t)
	for args, want := range map[string]string{
		"--penalty fused": "weight is a positive number", "--penalty fused:1 --gauge trace": "beside the ℓ1 norm",
		"--penalty fused:1 --solver gcg": "--solver structured", "--solver structured": "fused:W",
		"--penalty triangle": "linear, square", "--penalty trend9:1": "degree",
	} {
		_, errs, code := command(t, strings.Fields("fit regression --features X.csv --targets y.csv "+args)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}
