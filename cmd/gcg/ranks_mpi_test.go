//go:build mpi

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/cluster/mpi"
)

// launched is gcg as so many ranks of MPI, not yet started.
func launched(t *testing.T, errs *bytes.Buffer, ranks int, args ...string) *exec.Cmd {
	t.Helper()
	launcher, err := exec.LookPath(mpi.Launcher)
	if err != nil {
		t.Skipf("there is no %s on this machine: install openmpi-bin, or mpich for the tag mpich", mpi.Launcher)
	}
	cmd := process(t, new(bytes.Buffer), errs, append([]string{"-n", strconv.Itoa(ranks), os.Args[0]}, args...)...)
	cmd.Path, cmd.Args = launcher, append([]string{launcher}, cmd.Args[1:]...)
	cmd.Env = append(cmd.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1")
	return cmd
}

// Ranks that are processes fit the model of one rank, to the last bit, on 2 and on 4: with λ as a part of the largest, and chosen
// with the centre and the weights.
func TestFitOverProcesses(t *testing.T) {
	file, folder := rankedRatings(t), t.TempDir()
	for _, lambda := range [][]string{{"--lambda-ratio", "0.2"}, {"--lambda", "auto"}} {
		var want []byte
		for _, ranks := range []int{1, 2, 4} {
			var errs bytes.Buffer
			saved := filepath.Join(folder, strconv.Itoa(ranks))
			cmd := launched(t, &errs, ranks, append([]string{"fit", "completion", "--train", file, "--split", "0.8", "--model", saved},
				lambda...)...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v, %d ranks: %v\n%s", lambda, ranks, err, errs.String())
			}
			model, err := os.ReadFile(saved)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = model
			}
			if !bytes.Equal(model, want) {
				t.Errorf("%v: %d ranks fit another model", lambda, ranks)
			}
		}
	}
}

// ranksOf waits until so many processes of a launcher run with a file among their arguments, and has their ids.
func ranksOf(t *testing.T, count int, file string) (ids []int) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		ids = ids[:0]
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, line := range lines {
			text, _ := os.ReadFile(line)
			own := strings.HasPrefix(string(text), os.Args[0]+"\x00") && strings.Contains(string(text), file)
			if id, err := strconv.Atoi(strings.Split(line, "/")[2]); err == nil && own {
				ids = append(ids, id)
			}
		}
		if len(ids) == count {
			return ids
		}
	}
	t.Fatalf("%d of %d ranks run", len(ids), count)
	return nil
}

// A rank that is killed ends the job, in seconds, with an exit code that is not 0. One that is asked to end ends all with a
// model and a checkpoint, from which another number of ranks goes on.
func TestRanksThatEnd(t *testing.T) {
	slow(t, 400, 300, 40000)
	args := []string{"fit", "completion", "--train", "slow.csv", "--lambda", "0.01", "--tol", "1e-12", "--center", "none",
		"--weights", "none", "--checkpoint", "saved.ckpt", "--checkpoint-every", "1ms", "--model", "saved.gcg", "--verbose"}
	for _, by := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		var errs bytes.Buffer
		os.Remove("saved.ckpt")
		cmd := launched(t, &errs, 3, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
			if _, err := os.Stat("saved.ckpt"); err == nil {
				break
			}
		}
		ids := ranksOf(t, 3, "saved.ckpt")
		if err := syscall.Kill(ids[1], by); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if (err == nil) != (by == syscall.SIGTERM) {
				t.Errorf("%v: %v\n%s", by, err, errs.String())
			}
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
			t.Fatalf("%v: the job does not end\n%s", by, errs.String())
		}
	}
	if _, err := os.Stat("saved.gcg"); err != nil {
		t.Error(err)
	}
	var errs bytes.Buffer
	again := append([]string{"--max-iter", "1", "--resume", "saved.ckpt"}, args[2:]...)
	if err := launched(t, &errs, 2, append(args[:2:2], again...)...).Run(); err != nil {
		t.Errorf("%v\n%s", err, errs.String())
	}
}
