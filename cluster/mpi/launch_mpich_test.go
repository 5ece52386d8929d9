//go:build mpi && mpich

package mpi_test

// launcher starts ranks of the library.
var launcher = []string{"mpirun.mpich"}
