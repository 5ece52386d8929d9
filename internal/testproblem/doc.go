// Package testproblem has the problems that tests of several packages solve: each is built from a fixed seed.
package testproblem
