package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/model"
)

// What no memory could hold is refused before it is generated.
func TestPredictedMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory there is known on Linux alone")
	}
	_, errs, code := command(t, strings.Fields("fit completion --generate yahoo252m:2000000000 --lambda-ratio 0.3")...)
	if code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs,
		"2000000000 ratings take 64.1 GB at least, and there are ") {
		t.Errorf("two thousand million ratings: exit %d, %q", code, errs)
	}
}

// A file of 80 bytes, or a flag, that claims more than any memory holds is refused in one line by every verb and problem.
func TestClaimedSizes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory there is known on Linux alone")
	}
	t.Chdir(t.TempDir())
	write(t, map[string]string{"wide.mtx": "%%MatrixMarket matrix coordinate real general\n2 2147483647 1\n1 1 1\n",
		"tall.mtx": "%%MatrixMarket matrix coordinate real general\n2147483647 2 1\n1 1 1\n",
		"e.csv":    "1,1,1\n2,2,2\n", "y.csv": "1\n2\n"})
	for _, args := range []string{"fit rpca --features wide.mtx", "check rpca --features wide.mtx",
		"compare rpca --features wide.mtx --l1 1 --lambda 1",
		"fit multiview --view wide.mtx --view wide.mtx", "fit spca --features wide.mtx", "path spca --features wide.mtx",
		"fit cur --features wide.mtx", "fit regression --features wide.mtx --targets y.csv", "polar trace --matrix wide.mtx",
		"fit rpca --features tall.mtx", "fit spca --features tall.mtx",
		"fit rpca --train e.csv --shape 2000000000,2000000000", "fit recovery --train e.csv --shape 2000000000,2000000000",
		"check recovery --train e.csv --shape 2000000000,2000000000", "compare recovery --train e.csv --shape 2000000000,2000000000",
		"cv recovery --train e.csv --shape 2000000000,2"} {
		out, errs, code := command(t, strings.Fields(args)...)
		if code != 1 || strings.Count(errs, "\n") != 1 || out != "" ||
			!strings.Contains(errs, " GB") && !strings.Contains(errs, "claims 2147483647 rows") {
			t.Errorf("%s: exit %d, %.300q", args, code, errs)
		}
	}
}

// A limit of the shell counts as the machine's.
func TestLimitedMemory(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no shell to set a limit")
	}
	rows(t)
	limited := func(kilobytes, args string) string {
		var out, errs bytes.Buffer
		cmd := process(t, &out, &errs, strings.Fields(args)...)
		cmd.Path, cmd.Args = shell, append([]string{"sh", "-c", "ulimit -v " + kilobytes + `; exec "$0" "$@"`}, cmd.Args...)
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v, %.300q", err, errs.String())
		}
		return errs.String()
	}
	// what the program reserves for itself, which depends on the processors, is none of it
	errs := limited("3000000", "fit completion --generate yahoo252m --lambda-ratio 0.3 --quiet")
	if !strings.Contains(errs, "252800275 ratings take 8.2 GB at least, and there are ") && !strings.Contains(errs, "ulimit -v: ") ||
		strings.Contains(errs, "there are 3.1 GB") {
		t.Errorf("%q", errs)
	}
	// Above what the runtime itself may take before any package begins, and below what any data take. The packages that a short
	// command never needs must not be what passes the limit.
	for _, kilobytes := range []string{"1840000", "1700000"} {
		for _, args := range []string{"fit regression --features X.csv --targets y.csv --lambda 1 --quiet",
			"check multitask --train tasks.csv", "compare cur --features X.csv", "version"} {
			if errs := limited(kilobytes, args); !strings.Contains(errs, " GB of addresses, of which the program reserves ") {
				t.Errorf("%s: %q", args, errs)
			}
		}
	}
}

// A proof that would need too large a matrix is refused before the work.
func TestProofTooLarge(t *testing.T) {
	f := &cli.RunFlags{Exact: true}
	const side = gauge.ExactLimit + 1
	if err := f.CheckExact(gauge.Trace{}, side, math.MaxInt32); err == nil ||
		!strings.HasPrefix(err.Error(), "--exact-certificate: ") {
		t.Errorf("the trace norm: %v", err)
	}
	for _, err := range []error{f.CheckExact(gauge.Trace{}, side, side-1), f.CheckExact(gauge.L1{}, side, side),
		(&cli.RunFlags{}).CheckExact(gauge.Trace{}, side, side)} {
		if err != nil {
			t.Error(err)
		}
	}
	_, errs, code := command(t,
		strings.Fields("fit completion --generate movielens-10m:3000000 --lambda-ratio 0.5 --exact-certificate")...)
	if code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs,
		"--exact-certificate: factorizes a matrix of the smaller side, here 21008 × 21008") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// A run whose rank outgrows its memory ends with what it has, one line and exit 1, before the system ends it.
func TestExhaustedMemory(t *testing.T) {
	if memory.Available() == 0 {
		t.Skip("the memory there is unknown here")
	}
	slow(t, 500, 400, 30000)
	var full atomic.Bool
	defer func(real func() float64) { memoryInUse = real }(memoryInUse)
	memoryInUse = func() float64 {
		if full.Load() {
			return 0.95
		}
		return 0.5
	}
	var out bytes.Buffer
	errs := &watched{text: "iteration 2 ", found: func() { full.Store(true) }}
	code := execute(context.Background(), strings.Fields("fit completion --train slow.csv --lambda 0.01 --tol 1e-12 --improve none "+
		"--step open-loop --json --verbose --model m"), &out, errs)
	if code != 1 || !strings.Contains(errs.String(), "\ngcg: ended at 95 % of the ") {
		t.Errorf("exit %d, %.500q", code, errs.String())
	}
	if m, err := model.Load("m"); err != nil || m.Info.Status != "interrupted" ||
		!strings.Contains(out.String(), `"status":"interrupted"`) {
		t.Errorf("%v, %s", err, out.String())
	}
}

// Features that no memory could hold are refused before they are read, and others before the fit, with one line.
func TestFeaturesTooLarge(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory there is known on Linux alone")
	}
	rows(t)
	const line = "1,2,3,4,5,6,7,8\n"
	write(t, map[string]string{"wide.csv": strings.Repeat(line, 10000)})
	if err := os.Truncate("wide.csv", 1<<40); err != nil { // of which nothing is on the disk
		t.Skip(err)
	}
	_, errs, code := command(t, strings.Fields("fit regression --features wide.csv --targets y.csv --lambda 1 --quiet")...)
	if code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs,
		"wide.csv: has numbers for about 4398.0 GB, and there is room for ") {
		t.Errorf("exit %d, %.300q", code, errs)
	}
}
