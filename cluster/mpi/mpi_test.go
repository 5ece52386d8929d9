//go:build mpi

package mpi_test

import (
	"context"
	"fmt"
	"hash/crc64"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/cluster/mpi"
)

// TestMain is what a rank does where this program is started by mpirun, by the word in RANK_DOES.
func TestMain(m *testing.M) {
	does := os.Getenv("RANK_DOES")
	if does == "" {
		os.Exit(m.Run())
	}
	job, err := mpi.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	rank(job, does)
	if err := job.Finish(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// rank is the work of one.
func rank(job *mpi.Job, does string) {
	defer func() {
		if lost, ok := recover().(cluster.Lost); ok {
			fmt.Fprintln(os.Stderr, lost)
			job.Stop(1)
		}
	}()
	counts := make([]int64, 100)
	for i := range counts {
		counts[i] = int64(1 + i%5)
	}
	rows, err := cluster.Spread(job.Comm, counts)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		job.Stop(1)
	}
	for round := 0; does == "die" || round < 3; round++ {
		if does == "die" && round == 50 && job.Comm.Rank() == 1 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		sum := make([]float64, 20000)
		cluster.Sum(rows, sum, func(shard int, part []float64) {
			for i := range part {
				part[i] = math.Sin(float64(1000*shard + i + round))
			}
		})
		cluster.Fill(rows, sum[:5*len(counts)], 5)
		short := cluster.Numbers(rows, 2, func(shard int) []float64 { return []float64{math.Sqrt(float64(shard)), 1} })
		sum = append(sum, short...)
		crc := crc64.Checksum(unsafe.Slice((*byte)(unsafe.Pointer(&sum[0])), 8*len(sum)), crc64.MakeTable(crc64.ECMA))
		if job.Comm.Rank() == 0 && does != "die" {
			fmt.Printf("%d %x\n", round, crc)
		}
	}
}

// launch runs this program as so many ranks.
func launch(t *testing.T, ranks int, does string) (out string, err error) {
	t.Helper()
	mpirun, err := exec.LookPath(mpi.Launcher)
	if err != nil {
		t.Skipf("there is no %s on this machine: install openmpi-bin or mpich", mpi.Launcher)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := []string{"-n", strconv.Itoa(ranks), self}
	cmd := exec.CommandContext(ctx, mpirun, args...)
	cmd.Env = append(os.Environ(), "RANK_DOES="+does, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1")
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%d ranks do not end:\n%s", ranks, text)
	}
	return string(text), err
}

// Sums over processes have the same bits on 1, 2, 3 and 4 of them, short and long.
func TestRanksAreProcesses(t *testing.T) {
	want := ""
	for _, ranks := range []int{1, 2, 3, 4} {
		got, err := launch(t, ranks, "sum")
		if err != nil {
			t.Fatalf("%d ranks: %v\n%s", ranks, err, got)
		}
		if want == "" {
			want = got
		}
		if got != want || strings.Count(got, "\n") != 3 {
			t.Errorf("%d ranks: %q, one: %q", ranks, got, want)
		}
	}
}

// A rank that is killed ends all of them, in seconds, with an exit code that is not 0.
func TestKilledRankEndsAll(t *testing.T) {
	began := time.Now()
	out, err := launch(t, 3, "die")
	if err == nil {
		t.Errorf("the job ends as if nothing had been:\n%s", out)
	}
	t.Logf("after %v:\n%s", time.Since(began), out)
}
