//go:build mpi && !mpich

package mpi_test

// launcher starts ranks of the library, with these arguments where there are fewer processors than ranks.
var launcher = []string{"mpirun", "--oversubscribe"}
