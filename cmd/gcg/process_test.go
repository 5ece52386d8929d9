package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
)

// asGCG makes the test binary behave as gcg itself, so that processes can be killed and interrupted.
const asGCG = "GCG_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asGCG) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is gcg in a process of its own, not yet started.
func process(t *testing.T, out, errs *bytes.Buffer, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asGCG+"=1")
	cmd.Stdout, cmd.Stderr = out, errs
	return cmd
}

// slow writes ratings whose fit takes long enough to be cut short.
func slow(t *testing.T, rows, cols, n int) {
	t.Helper()
	t.Chdir(t.TempDir())
	g := dataset.Generator{Name: "slow", Rows: rows, Cols: cols, N: n, Rank: 4, RowExponent: 0.5, ColExponent: 0.5, Scale: 1,
		Noise: 0.7, Seed: 6}
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteRatings("slow.csv", r); err != nil {
		t.Fatal(err)
	}
}

// Killed at any moment, a fit leaves files that are absent or whole, and goes on from its checkpoint to the same answer.
func TestKilled(t *testing.T) {
	slow(t, 150, 120, 5000)
	fit := []string{"fit", "completion", "--train", "slow.csv", "--lambda", "6", "--tol", "1e-7", "--json", "--quiet"}
	start := time.Now()
	want := objective(t, fit)
	whole := time.Since(start)
	kept := append(fit, "--checkpoint", "c", "--model", "m", "--checkpoint-every", "1ms")
	rng := rand.New(rand.NewPCG(1, 1))
	killed := 0
	for range 10 {
		var out, errs bytes.Buffer
		cmd := process(t, &out, &errs, kept...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(whole)))
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		if _, err := model.Load("m"); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the model is not whole: %v", err)
		}
		_, err := model.LoadCheckpoint("c")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatalf("the checkpoint is not whole: %v", err)
		}
		if got := objective(t, append(fit, "--resume", "c")); math.Abs(got-want) > 2e-7*want {
			t.Errorf("resumed to %.12g, uninterrupted %.12g", got, want)
		}
	}
	if killed == 0 {
		t.Error("no process was killed: nothing was tested")
	}
}

func objective(t *testing.T, args []string) float64 {
	t.Helper()
	var out, errs bytes.Buffer
	if err := process(t, &out, &errs, args...).Run(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, errs.String())
	}
	var r struct {
		Status    string
		Objective float64
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Status != "converged" {
		t.Fatalf("%v printed %s (%v)", args, out.String(), err)
	}
	return r.Objective
}

// A signal ends a fit with what it has: status interrupted, exit code 0, a model and a checkpoint.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no interrupts to send")
	}
	slow(t, 500, 400, 30000)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		for _, old := range []string{"m", "c", "t"} {
			os.Remove(old)
		}
		var out, errs bytes.Buffer
		cmd := process(t, &out, &errs, "fit", "completion", "--train", "slow.csv", "--lambda", "1", "--tol", "1e-12", "--json",
			"--quiet", "--model", "m", "--checkpoint", "c", "--trace", "t")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "t", `"iteration"`, 3)
		cmd.Process.Signal(sig)
		if code := exitCode(cmd.Wait()); code != 0 ||
			!strings.Contains(out.String(), `"status":"interrupted"`) {
			t.Errorf("%v: exit %d, %s, %s", sig, code, out.String(), errs.String())
		}
		if m, err := model.Load("m"); err != nil || m.Rank == 0 || m.Info.Status != "interrupted" {
			t.Errorf("%v: the model is %+v, %v", sig, m, err)
		}
		if _, err := model.LoadCheckpoint("c"); err != nil {
			t.Error(err)
		}
	}
}

// exitCode is that of a process which has ended.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// waitFor returns when a file holds a text so many times.
func waitFor(t *testing.T, name, text string, times int) {
	t.Helper()
	for range 3000 {
		if b, _ := os.ReadFile(name); bytes.Count(b, []byte(text)) >= times {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s never held %s", name, text)
}

// A path that is interrupted prints the points it has.
func TestInterruptedPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no interrupts to send")
	}
	slow(t, 500, 400, 30000)
	var out, errs bytes.Buffer
	cmd := process(t, &out, &errs, "path", "completion", "--train", "slow.csv", "--points", "500", "--tol", "1e-9", "--json", "-v")
	log, err := os.Create("log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "log", "rank ", 4)
	cmd.Process.Signal(os.Interrupt)
	code := exitCode(cmd.Wait())
	var points []cli.PathPoint
	if uerr := json.Unmarshal(out.Bytes(), &points); code != 0 || uerr != nil || len(points) < 2 || len(points) == 500 {
		t.Errorf("exit %d, %v, %d points: %.300s", code, uerr, len(points), out.String())
	}
}

// A full disk is one clear line and exit 1; what stood there before is untouched, and nothing half-written stays.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m", "--trace", "trace")
	for _, args := range []string{
		"fit completion --train ratings.csv --lambda 2 --quiet", "fit completion --train ratings.csv --lambda 2 --quiet --json",
		"path completion --train ratings.csv --points 2 --quiet", "predict --model m --data ratings.csv", "recommend --model m --all",
		"recommend --model m --all --format csv", "recommend --model m --all --format jsonl", "show --model m", "show --model m --json",
		"check completion --train ratings.csv", "data list", "version", "help", "help fit",
	} {
		var errs bytes.Buffer
		cmd := process(t, nil, &errs, strings.Fields(args)...)
		cmd.Stdout = full
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(errs.String(), "no space left") ||
			strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: %v, %q", args, err, errs.String())
		}
	}
	_, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "2", "--quiet", "--trace", "/dev/full",
		"--model", "n")
	if code != 1 || !strings.Contains(errs, "/dev/full: the trace is incomplete: no space left") || strings.Count(errs, "\n") != 1 {
		t.Errorf("trace: %d, %q", code, errs)
	}
	if _, err := model.Load("n"); err != nil {
		t.Errorf("the model was lost with the trace: %v", err)
	}
	for _, flag := range []string{"--model", "--checkpoint"} { // what is printed is kept
		out, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "2", "--quiet", "--json", flag,
			"/dev/full")
		if code != 1 || !strings.Contains(errs, "/dev/full: not written") || strings.Count(errs, "\n") != 1 ||
			!strings.Contains(out, `"objective"`) {
			t.Errorf("%s: %d, %q, %q", flag, code, errs, out)
		}
	}
	if left, _ := filepath.Glob(".*.tmp*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What takes long without a solver ends at an interrupt too, and leaves nothing behind.
func TestInterruptedWriting(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "9", "--model", "m")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	const writing, reading = "gcg: out: not written: interrupted\n", "gcg: interrupted while reading; nothing was written\n"
	for args, want := range map[string]string{"data generate movielens-100k --output out": writing,
		"data generate classes-100 --output out": writing,
		"recommend --model m --all --output out": reading, "predict --model m --data ratings.csv --output out": reading,
		"data convert --train ratings.csv --output out": reading, "data split --train ratings.csv --split 0.5 --parts out,out2": reading,
		"fit completion --train ratings.csv --lambda 9 --model out": reading, "cv completion --train ratings.csv": reading} {
		if _, errs, code := commandIn(ctx, strings.Fields(args)...); code != 1 || errs != want {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
		if left, _ := filepath.Glob("*out*"); len(left) > 0 {
			t.Errorf("%s left %v", args, left)
		}
	}
	if err := (&recommender{ctx: ctx, f: &recommendFlags{}}).list(nil, "7", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a list: %v", err)
	}
}

// An interrupt ends a command that waits for its input, and what it would have written is not there.
func TestInterruptedReading(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no interrupts to send")
	}
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "9", "--model", "m")
	for _, args := range []string{"fit completion --train - --model out --trace out2",
		"fit regression --features - --targets y --lambda 1 --model out", "check completion --train -",
		"predict --model m --data - --output out", "recommend --model m --ratings - --output out", "polar trace --matrix -", "data convert --train - --output out"} {
		var out, errs bytes.Buffer
		cmd := process(t, &out, &errs, strings.Fields(args)...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // more than a pipe holds: it is read when all is written
			io.WriteString(in, strings.Repeat("1,2,3\n", 100))
		}
		cmd.Process.Signal(os.Interrupt)
		late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		err = cmd.Wait()
		late.Stop()
		if exitCode(err) != 130 || out.Len() > 0 ||
			!strings.HasSuffix(errs.String(), "interrupted while reading; nothing was written\n") {
			t.Errorf("%s: %v, %q, %q", args, err, out.String(), errs.String())
		}
		if left, _ := filepath.Glob("*out*"); len(left) > 0 {
			t.Errorf("%s left %v", args, left)
		}
	}
}

// A fit that is interrupted while it still chooses λ keeps the best model so far.
func TestInterruptedWhileChoosing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no interrupts to send")
	}
	slow(t, 500, 400, 30000)
	var out bytes.Buffer
	cmd := process(t, &out, nil, "fit", "completion", "--train", "slow.csv", "--model", "m", "--json", "--tol", "1e-9", "-v")
	log, err := os.Create("log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "log", "rank ", 4)
	cmd.Process.Signal(os.Interrupt)
	if code := exitCode(cmd.Wait()); code != 0 || !strings.Contains(out.String(), `"status":"interrupted"`) {
		b, _ := os.ReadFile("log")
		t.Errorf("exit %d: %s %s", code, out.String(), b)
	}
	if m, err := model.Load("m"); err != nil || m.Rank == 0 {
		t.Errorf("the model is %+v, %v", m, err)
	}
}

// An interrupt before the first iterate, of which nothing is kept, is said in words: in a fit it comes as an error of the polar.
func TestInterruption(t *testing.T) {
	for err, want := range map[error]string{
		context.Canceled: "interrupted before anything was found", fmt.Errorf("out: not written: %w",
			context.Canceled): "out: not written: interrupted", io.EOF: "EOF",
	} {
		if got := cli.Interruption(err).Error(); got != want {
			t.Errorf("%v in words is %q", err, got)
		}
	}
}
