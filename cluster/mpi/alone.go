//go:build !mpi

// Package mpi is the ranks of a job that mpirun, srun or an MPIJob has started. It needs cgo and an MPI library with its headers,
// Open MPI or MPICH, and the build tag mpi; without the tag Start has one rank.
package mpi

import (
	"errors"
	"os"
)

// Built says that ranks can be had: the program was built with the tag mpi.
const Built = false

type transport struct{ lost func(error) }

func (*transport) waitsFor() []int { return nil }

func (*transport) exchanged() int64 { return 0 }

// start is an error: this program would be several that know nothing of each other.
func start() (*Job, error) {
	return nil, errors.New("this is one of several ranks, and the program was built without MPI: build it with " +
		"go build -tags mpi ./cmd/gcg, or start it without mpirun")
}

func stop(code int) { os.Exit(code) }

func finish() error { return nil }
