// Package experiment runs several solvers on one problem, on the same clock and with the same certificate, and says what came
// out.
//
//	contender.go   solvers by their names
//	race.go        one run of each, or several, and what they recorded
//	summary.go     gaps to the best bound of all, times to them, medians
//	table.go       tables as text, Markdown and CSV
package experiment
