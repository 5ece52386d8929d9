// Package bcd is block coordinate descent with FISTA for two views, the baseline of [Yu17 §5.3]. It runs on the loop, the clock
// and the certificate of every other method.
package bcd
