package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sync"
	"syscall"
)

// Available is what the process may have, in bytes: the machine's memory, or less where a container or the shell (ulimit -v)
// sets a limit; 0 where nothing says so.
func Available() float64 {
	bytes, limit := residentLimit(), addressLimit()
	if limit > 0 && (bytes == 0 || limit < bytes) {
		return limit
	}
	return bytes
}

// InUse is what the process has of what it may have, as a part: of memory, or of addresses where these are limited and nearer
// to their limit. It is 0 where nothing says so.
func InUse() float64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var addresses, resident float64 // in pages
	if _, err := fmt.Sscan(string(b), &addresses, &resident); err != nil {
		return 0
	}
	page, part := float64(os.Getpagesize()), 0.0
	if limit := residentLimit(); limit > 0 {
		part = page * resident / limit
	}
	if limit := addressLimit(); limit > 0 {
		part = math.Max(part, page*addresses/limit)
	}
	return part
}

// residentLimit is the machine's memory, or less where a container sets a limit; 0 where nothing says so.
var residentLimit = sync.OnceValue(func() float64 {
	bytes := installedMemory()
	if limit := cgroupLimit(os.DirFS("/")); limit < bytes || bytes == 0 && !math.IsInf(limit, 1) {
		bytes = limit
	}
	return bytes
})

// addressLimit is that of the shell (ulimit -v), 0 where there is none.
func addressLimit() float64 {
	const none = 1 << 62
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur >= none {
		return 0
	}
	return float64(limit.Cur)
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
