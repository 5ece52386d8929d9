// Package cluster lets several processes, the ranks, work on one problem, of which each holds some of the rows.
//
// The rows are cut into shards, contiguous and of about equal numbers of observations. How many there are depends on the
// observations alone, and each rank holds some of them, also contiguous. A sum over observations is one over the shards, added
// by a fixed tree: the same bits for any number of ranks, on one type of processor. What is known of all rows, such as the
// factors of a W, is whole on every rank and the same there, to the last bit. So all ranks take the same decisions, and no solver
// knows of them.
//
//	comm.go       ranks that exchange messages: what they agree on, and how a job ends with the first of them
//	rows.go       the rows that a rank holds; sums over all of them, and lists of all of them
//	tree.go       the order in which the parts of a sum are added
//	context.go    a context that ends at the same place on all ranks
//	clock.go      the first rank's clock, which it has
//	inprocess.go  ranks that are goroutines, for tests
//	mpi           ranks that are processes, by MPI, behind the build tag mpi
//
// Ranks run the same program and meet in its collective calls, those of Rows and of Comm, in the same order. A nil *Rows and a
// nil *Comm are a process that is alone.
package cluster
