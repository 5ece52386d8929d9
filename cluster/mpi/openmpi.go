//go:build mpi && !mpich

package mpi

// #cgo pkg-config: mpi
import "C"

// Launcher starts ranks of the MPI library that this package is built for.
const Launcher = "mpirun"
