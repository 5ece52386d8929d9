//go:build !linux

package par

// yieldThread does nothing: threads are made to yield on Linux only.
func yieldThread() {}
