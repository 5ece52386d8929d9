//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// peakMemory is the largest resident size of the process.
func peakMemory() int64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) * 1024
}
