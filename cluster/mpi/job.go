package mpi

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/cluster"
)

// A Job is the ranks that were started together. A nil Job is a process that was started alone.
type Job struct {
	Comm *cluster.Comm
	// Hosts has the name of the machine of every rank.
	Hosts []string
	// Sharing is how many ranks, this one among them, may run on the same processors.
	Sharing   int
	transport *transport
}

// Start joins the ranks of a job, or is nil where this process was started alone.
func Start() (*Job, error) {
	switch {
	case launched():
	case severed():
		return nil, ErrWithoutMPI
	default:
		return nil, nil
	}
	j, err := start()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	j.Hosts = cluster.Texts(j.Comm, host)
	place := host + " " + processors()
	for _, other := range cluster.Texts(j.Comm, place) {
		if other == place {
			j.Sharing++
		}
	}
	return j, nil
}

// processors are those that this process may run on, as the system lists them; "" where it does not.
func processors() string {
	status, _ := os.ReadFile("/proc/self/status")
	_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ = strings.Cut(list, "\n")
	return strings.TrimSpace(list)
}

// ErrWithoutMPI is of a task of Slurm that would do what all others do.
var ErrWithoutMPI = errors.New("srun has started this as one of several tasks without MPI")

// severed says that Slurm has started several of this process without MPI, of which this is not the first.
func severed() bool {
	n, err := strconv.Atoi(os.Getenv("SLURM_STEP_NUM_TASKS"))
	task, failed := strconv.Atoi(os.Getenv("SLURM_PROCID"))
	return err == nil && failed == nil && n > 1 && task > 0
}

// launched says that a launcher of MPI has started this process, with others.
func launched() bool {
	sizes, rank := []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, os.Getenv("PMIX_RANK")
	if rank != "" { // of srun, where Slurm may start everything so
		sizes = append(sizes, "SLURM_STEP_NUM_TASKS")
	}
	for _, name := range sizes {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n > 1 || Built
		}
	}
	return rank != "" && (Built || rank != "0")
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

// OnHost is how many ranks run on the machine of this one.
func (j *Job) OnHost() (count int) {
	for _, host := range j.Hosts {
		if host == j.Hosts[j.Comm.Rank()] {
			count++
		}
	}
	return count
}

// Name is a rank with its machine, for people.
func (j *Job) Name(rank int) string { return fmt.Sprintf("rank %d on %s", rank, j.Hosts[rank]) }

// Waiting names the ranks that this one has waited for at least so long, in a message that they do not send; "" where it waits
// for none.
func (j *Job) Waiting(least time.Duration) string {
	before := j.transport.exchanged()
	time.Sleep(least)
	ranks := slices.Clone(j.transport.waitsFor())
	if j.transport.exchanged() != before {
		return ""
	}
	slices.Sort(ranks)
	var names []string
	for _, rank := range slices.Compact(ranks) {
		names = append(names, j.Name(rank))
	}
	return strings.Join(names, ", ")
}

// OnLost has f called where other ranks cannot be reached any more; f ends the process.
func (j *Job) OnLost(f func(error)) { j.transport.lost = f }

// Stop ends all ranks with an exit code.
func (j *Job) Stop(code int) {
	stop(code)
	os.Exit(code)
}

// Finish takes leave of the other ranks, which do so too.
func (j *Job) Finish() error { return finish() }
