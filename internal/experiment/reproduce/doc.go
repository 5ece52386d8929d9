// Package reproduce reruns the tables and figures of the five papers, each from a small file of its own in the folder specs:
// data, sizes, λ, solvers, what is drawn, what the paper printed, and what it claims. The verdict comes from the runs.
//
//	spec.go       the files of experiments
//	run.go        every case raced by every solver
//	quantity.go   what is measured of a run
//	claim.go      claims, and the verdict
//	chart.go      plots
//	write.go      the report as Markdown, HTML, JSON and a folder
//	data.go       real files, their checksums; ratings, classes and tasks
//	views.go      views and faces; entries.go sparse and low-rank matrices; components.go sparse principal components;
//	              selection.go rows and columns
package reproduce
