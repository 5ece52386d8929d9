// Package cli is what the problems of the command share: the flags of a run, the verbs fit, path, cv, check and predict, the
// result, progress, and files.
//
// A problem is a [Kind]. Its flags are a [Loader], which reads the data; the data is a [Job], which the verbs work on.
//
//	verbs.go      Kind, Loader, Job, and a verb for each of them
//	runflags.go   the flags that every problem shares; pathflags.go those of path and cv; method.go --solver
//	fit.go path.go check.go predict.go   the verbs
//	auto.go       the choice of λ, in words
//	result.go     what fit prints; points.go what path and cv print
package cli
