//go:build unix && !linux

package memory

import (
	"runtime"
	"syscall"
)

// Peak is the largest resident size of the process.
func Peak() int64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) * 1024
}
