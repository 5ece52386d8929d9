//go:build unix

package clock

import (
	"syscall"
	"time"
)

// CPU is the user and system time of all threads so far; 0 where it is not known.
func CPU() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
