// Package synthetic makes the generated matrices of the papers' experiments, from a seed.
package synthetic
