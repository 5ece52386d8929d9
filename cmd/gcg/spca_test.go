package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// spcaData writes features of which the first three columns share a factor.
func spcaData(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("a,b,c,d,e\n")
	for i := range 40 {
		x := math.Sin(float64(i * i))
		for j := range 5 {
			v := 0.3 * math.Cos(float64(7*i+i*j*j))
			if j < 3 {
				v += 2*x + float64(j)
			}
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(format(v))
		}
		b.WriteByte('\n')
	}
	for name, text := range map[string]string{"X.csv": b.String(), "asym.csv": "1,0.5\n0.4,1\n", "indefinite.csv": "1,2\n2,1\n",
		"C.csv": "2,1,0\n1,2,0\n0,0,1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func format(x float64) string {
	b, _ := json.Marshal(x)
	return string(b)
}

// A model of three variables is fitted, shown, and projects rows by the names of their columns.
func TestSparseComponents(t *testing.T) {
	spcaData(t)
	out, _, code := command(t, "fit", "spca", "--features", "X.csv", "--nonzeros", "3", "--model", "m.gcg", "--json", "--quiet")
	var r struct {
		Status     string
		Objective  float64
		Lower      float64 `json:"lower_bound"`
		Components []struct {
			Variables []string
			Loadings  []float64
			Explained float64
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Status != "converged" || len(r.Components) != 1 {
		t.Fatal(code, err, out)
	}
	if c := r.Components[0]; strings.Join(c.Variables, "") != "abc" || c.Explained < 0.8 || r.Lower > r.Objective {
		t.Errorf("%+v", r)
	}
	if out, _, code := command(t, "show", "--model", "m.gcg"); code != 0 || !strings.Contains(out, "PC1          ") {
		t.Error(code, out)
	}
	all, _, code := command(t, "predict", "--model", "m.gcg", "--data", "X.csv", "--quiet")
	if lines := strings.Split(strings.TrimSpace(all), "\n"); code != 0 || len(lines) != 41 || lines[0] != "PC1" {
		t.Fatal(code, all)
	}
	if err := os.WriteFile("other.csv", []byte("c,z,b,a\n2,9,1,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	byName, _, _ := command(t, "predict", "--model", "m.gcg", "--data", "other.csv", "--quiet")
	if err := os.WriteFile("same.csv", []byte("0,1,2,5,6\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if byPlace, _, _ := command(t, "predict", "--model", "m.gcg", "--data", "same.csv", "--quiet"); byName != byPlace {
		t.Errorf("by name %q, by place %q", byName, byPlace)
	}
}

// Both solvers, all verbs, and what they refuse.
func TestSparseComponentsVerbs(t *testing.T) {
	spcaData(t)
	for _, x := range []struct {
		args string
		code int
		want string
	}{
		{"fit spca --covariance C.csv --lambda 0.5 --quiet", 0, "-2"},
		{"fit spca --covariance C.csv --lambda 0.5 --solver dspca --tol 0.01 --quiet", 0, "converged"},
		{"fit spca --covariance C.csv --lambda 9 --quiet", 0, "alone"},
		{"fit spca --features X.csv --quiet", 0, "component 1"},
		{"path spca --features X.csv --points 3 --quiet", 0, "explained"},
		{"cv spca --features X.csv --points 3 --folds 4 --select 1se --quiet", 0, "select 1se"},
		{"check spca --features X.csv", 0, "ok"},
		{"fit spca --covariance asym.csv --lambda 1", 1, "asym.csv:2: is not symmetric: entry (2, 1) is 0.4 and (1, 2) is 0.5"},
		{"fit spca --covariance indefinite.csv --lambda 1", 1, "the eigenvalue -1"},
		{"fit spca --covariance X.csv --lambda 1", 1, "a covariance is square"},
		{"fit spca --covariance C.csv --lambda -1", 2, "--lambda \"-1\""},
		{"fit spca --covariance C.csv --nonzeros 9", 1, "has 3 variables"},
		{"fit spca --covariance C.csv --nonzeros 2 --lambda 1", 2, "exclude"},
		{"fit spca --covariance C.csv --standardize", 2, "--standardize: a covariance is taken as it is"},
		{"fit spca", 2, "--covariance C or --features X"},
		{"cv spca --covariance C.csv", 2, "no rows to hold out"},
		{"fit spca --features X.csv --max-iter 1 --lambda 0.01 --tol 1e-15 --require-converged --quiet", 3, "--require-converged"},
	} {
		out, errs, code := command(t, strings.Fields(x.args)...)
		if code != x.code || !strings.Contains(out+errs, x.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", x.args, code, x.code, x.want, out, errs)
		}
	}
}

// --max-time ends the components with what was found, whichever it was at, and that is no error.
func TestSparseComponentsLate(t *testing.T) {
	spcaData(t)
	for limit := 200 * time.Microsecond; limit < time.Second; limit *= 2 {
		out, errs, code := command(t, "fit", "spca", "--features", "X.csv", "--components", "3", "--tol", "1e-15", "--json",
			"--max-time", limit.String())
		if code == 1 && strings.Contains(errs, "--max-time was over") {
			continue
		}
		var res struct {
			Status     string
			Components []any
			Warnings   []string
		}
		if err := json.Unmarshal([]byte(out), &res); err != nil || code != 0 {
			t.Fatalf("%s: exit %d, %v, %s", limit, code, err, errs)
		}
		if said := strings.Contains(strings.Join(res.Warnings, "\n"), "--max-time ended"); said != (len(res.Components) < 3) {
			t.Errorf("%s: %d components, %v", limit, len(res.Components), res.Warnings)
		}
	}
}

// A λ at an end of the grid is doubted, as a better one may be beyond; one within is not.
func TestSparsePCAEdges(t *testing.T) {
	spcaData(t)
	for args, want := range map[string]string{
		"--points 8 --select min": "smallest λ that was tried",
		"--points 3 --select 1se": "largest λ that was tried",
		"--points 9 --ratio 1e-6": "",
	} {
		_, errs, code := command(t, strings.Fields("cv spca --features X.csv --folds 4 "+args)...)
		if code != 0 || strings.Contains(errs, "warning: ") != (want != "") || !strings.Contains(errs, want) {
			t.Errorf("%s: %d\n%s", args, code, errs)
		}
	}
}
