package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/seed-b18ef778/gcg/internal/memory/addresses"
)

// Available is what the process may have, in bytes: the machine's memory, or less where a container or the shell (ulimit -v)
// sets a limit; 0 where nothing says so. Of a limit of addresses that is what the program does not reserve for itself.
func Available() float64 {
	bytes, limit := residentLimit(), float64(addresses.Limit())
	if limit == 0 {
		return bytes
	}
	if room := math.Max(1, limit-float64(addresses.Reserved())); bytes == 0 || room < bytes {
		return room
	}
	return bytes
}

// ByAddresses says that Available is what a limit of addresses leaves, of which memory that is given back still takes some.
func ByAddresses() bool { return addresses.Limit() > 0 && Available() < residentLimit() }

// InUse is what the process has of what it may have, as a part: of memory, or of addresses where these are limited and nearer
// to their limit. It is 0 where nothing says so.
func InUse() float64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident float64 // in pages
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		return 0
	}
	page, part := float64(os.Getpagesize()), 0.0
	if limit := residentLimit(); limit > 0 {
		part = page * resident / limit
	}
	if limit := float64(addresses.Limit()); limit > 0 {
		part = math.Max(part, (page*size-float64(addresses.Reserved()))/math.Max(1, limit-float64(addresses.Reserved())))
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
