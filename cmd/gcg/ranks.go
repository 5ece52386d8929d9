package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-b18ef778/gcg/cluster/mpi"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/spf13/cobra"
)

// together are the commands that several ranks work on.
var together = []string{"gcg fit completion", "gcg fit classification", "gcg fit multitask", "gcg fit regression",
	"gcg path completion", "gcg path classification", "gcg path multitask", "gcg path regression", "gcg cv completion",
	"gcg cv classification", "gcg cv multitask", "gcg cv regression", "gcg predict", "gcg recommend"}

// checkRanks refuses commands that several ranks would each do once.
func checkRanks(cmd *cobra.Command) error {
	r := cli.RanksOf(cmd.Context())
	if r == nil || r.Size() == 1 || slices.Contains(together, cmd.CommandPath()) || cmd.Name() == "version" || cmd.Name() == "help" {
		return nil
	}
	return cli.Usagef("%s: is for one process, and %d ranks were started; they work together on gcg fit, path and cv of "+
		"completion, classification, multitask and regression, on gcg predict, and on gcg recommend --all", cmd.CommandPath(), r.Size())
}

// begin joins the ranks of a job, and is nil where this process is alone. Where it cannot it ends the process.
func begin() *mpi.Job {
	job, err := mpi.Start()
	if errors.Is(err, mpi.ErrWithoutMPI) {
		fmt.Fprintf(os.Stderr, "gcg: %v: say srun --mpi=pmix, or mpirun\n", err)
		os.Exit(1)
	}
	if err != nil {
		if mpi.RankBefore() == 0 {
			fmt.Fprintln(os.Stderr, "gcg: "+err.Error())
		}
		os.Exit(1)
	}
	if job == nil {
		return nil
	}
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/job.Sharing))
	job.OnLost(func(err error) {
		fmt.Fprintf(os.Stderr, "gcg: %s: %v\n", job.Name(job.Comm.Rank()), err)
		job.Stop(1)
	})
	return job
}

// as is the command as one of several ranks: the first alone prints, and all end together. It returns the exit code.
func as(job *mpi.Job, ctx context.Context, args []string) int {
	if job == nil {
		return execute(ctx, args, os.Stdout, os.Stderr)
	}
	rank, out, errs := job.Comm.Rank(), io.Writer(os.Stdout), io.Writer(os.Stderr)
	var said bytes.Buffer
	if rank > 0 {
		out, errs = io.Discard, &said
	}
	go sayWaiting(job, ctx)
	code := 1
	if err := job.Comm.SameEverywhere("kernels", kernel.Name()); err != nil {
		fmt.Fprintf(errs, "gcg: %v\n", err)
	} else {
		code = execute(cli.WithRanks(ctx, &cli.Ranks{Comm: job.Comm, OnHost: job.OnHost()}), args, out, errs)
	}
	if code == 0 {
		if err := job.Finish(); err != nil {
			fmt.Fprintf(os.Stderr, "gcg: %v\n", err)
			return 1
		}
		return 0
	}
	if rank > 0 {
		time.Sleep(afterFirst) // what all of them met the first has said
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		fmt.Fprintf(os.Stderr, "gcg: %s: %s\n", job.Name(rank), strings.TrimPrefix(lines[len(lines)-1], "gcg: "))
	}
	job.Stop(code)
	return code
}

const (
	// afterFirst is how long a rank with an error waits for the first one to end the job with the same.
	afterFirst = 2 * time.Second
	// answers is how long a rank that works takes to answer, at least, before it is said that it is waited for; launchers kill a
	// second after they have asked a job to end.
	answers = 600 * time.Millisecond
)

// sayWaiting says whom the first rank that is left waits for when the job is asked to end, as a launcher does where a rank has
// died.
func sayWaiting(job *mpi.Job, ctx context.Context) {
	aborted := make(chan os.Signal, 1) // by a library of MPI, which then ends the process itself
	signal.Notify(aborted, syscall.SIGABRT)
	select {
	case <-aborted:
	case <-ctx.Done():
	}
	if waits := job.Waiting(answers); waits != "" && (job.Comm.Rank() == 0 || waits == job.Name(0)) {
		fmt.Fprintf(os.Stderr, "gcg: %s ends while it waits for %s\n", job.Name(job.Comm.Rank()), waits)
	}
}
