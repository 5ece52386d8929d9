// Package bcd is block coordinate descent with FISTA for two views, what [Yu17 §5.3] compares with: a baseline, on the loop, the
// clock and the certificate of every other method.
package bcd
