package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A standard output that keeps nothing is warned of, unless a file keeps the result. It is no error: a null device that was
// opened for reading and writing, as Python's subprocess.DEVNULL is, looks like one that was closed.
func TestUnkeptOutput(t *testing.T) {
	if _, err := os.Stat("/proc/self/fdinfo/1"); err != nil {
		t.Skip("no /proc here: nobody can tell")
	}
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m")
	for args, lost := range map[string]bool{
		"fit completion --train ratings.csv --lambda 2 --quiet >&-":                   true,
		"fit completion --train ratings.csv --lambda 2 --quiet 1<>/dev/null":          true,
		"path completion --train ratings.csv --points 2 --quiet 1<>/dev/null":         true,
		"cv completion --train ratings.csv --points 2 --folds 2 --quiet 1<>/dev/null": true,
		"predict --model m --data ratings.csv --quiet 1<>/dev/null":                   true,
		"recommend --model m --all 1<>/dev/null":                                      true,
		"fit completion --train ratings.csv --lambda 2 --quiet --model n >&-":         false,
		"predict --model m --data ratings.csv --quiet --output p.csv 1<>/dev/null":    false,
		"fit completion --train ratings.csv --lambda 2 --quiet >/dev/null":            false,
		"version >&-": false,
	} {
		var errs bytes.Buffer
		self := process(t, nil, &errs)
		cmd := exec.Command("sh", "-c", "exec \"$0\" "+args, self.Path)
		cmd.Env, cmd.Stderr = self.Env, &errs
		err := cmd.Run()
		if err != nil || strings.Contains(errs.String(), "warning: standard output is closed or the null device") != lost {
			t.Errorf("%s: %v, %q", args, err, errs.String())
		}
	}
}

// A trace that another run is writing is refused before the work, and stays readable and whole.
func TestTraceOfTwo(t *testing.T) {
	slow(t, 3000, 2000, 200000)
	var out, errs bytes.Buffer
	first := process(t, &out, &errs, strings.Fields("fit completion --train slow.csv --lambda 1 --tol 1e-9 --quiet --trace t")...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer first.Wait()
	defer first.Process.Kill()
	waitFor(t, "t", `"iteration"`, 2)
	began := time.Now()
	_, said, code := command(t, strings.Fields("fit completion --train slow.csv --lambda 1 --tol 1e-9 --trace t")...)
	if code != 1 || !strings.HasPrefix(said, "gcg: t: another run is writing it") || strings.Count(said, "\n") != 1 {
		t.Errorf("exit %d after %v, %q", code, time.Since(began), said)
	}
	if text, err := os.ReadFile("t"); err != nil || !bytes.HasPrefix(text, []byte(`{"iteration":0`)) {
		t.Errorf("%.60q, %v", text, err)
	}
}
