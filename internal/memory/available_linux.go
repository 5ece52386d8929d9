package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"syscall"
)

// Available is what the process may have, in bytes: the machine's memory, or less where a container or the shell (ulimit -v)
// sets a limit; 0 where nothing says so.
func Available() float64 {
	bytes := installedMemory()
	if limit := cgroupLimit(os.DirFS("/")); limit < bytes || bytes == 0 && !math.IsInf(limit, 1) {
		bytes = limit
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && (bytes == 0 || float64(limit.Cur) < bytes) && limit.Cur < 1<<62 {
		return float64(limit.Cur)
	}
	return bytes
}

// installedMemory is the size of the machine's memory in bytes, 0 where nothing says so.
func installedMemory() float64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	var kilobytes float64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "MemTotal: %f kB", &kilobytes); err == nil {
			return 1024 * kilobytes
		}
	}
	return 0
}
