//go:build !linux

package memory

// advise does nothing: huge pages are asked for on Linux only.
func advise([]byte) {}
