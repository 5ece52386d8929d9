package mpi

import (
	"os"
	"strconv"

	"github.com/seed-b18ef778/gcg/cluster"
)

// A Job is the ranks that were started together. A nil Job is a process that was started alone.
type Job struct {
	Comm      *cluster.Comm
	transport *transport
}

// Start joins the ranks of a job, or is nil where this process was started alone.
func Start() (*Job, error) {
	if !launched() {
		return nil, nil
	}
	return start()
}

// launched says that a launcher of MPI has started this process, with others.
func launched() bool {
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n > 1 || Built
		}
	}
	return os.Getenv("PMIX_RANK") != ""
}

// RankBefore is the rank that the launcher gave this process, known before Start; 0 of a process that was started alone.
func RankBefore() int {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
	}
	return 0
}

// Stop ends all ranks with an exit code.
func (j *Job) Stop(code int) {
	if j == nil {
		os.Exit(code)
	}
	stop(code)
	os.Exit(code)
}

// Finish takes leave of the other ranks, which do so too.
func (j *Job) Finish() error {
	if j == nil {
		return nil
	}
	return finish()
}
