package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// Available is what the process may have, in bytes: the machine's memory, or less where a container or the shell (ulimit -v)
// sets a limit; 0 where nothing says so. Of a limit of addresses that is what the program does not reserve for itself.
func Available() float64 {
	bytes, limit := residentLimit(), addressLimit()
	if limit == 0 {
		return bytes
	}
	if room := math.Max(1, limit-reserved()); bytes == 0 || room < bytes {
		return room
	}
	return bytes
}

// ByAddresses says that Available is what a limit of addresses leaves, of which memory that is given back still takes some.
func ByAddresses() bool { return addressLimit() > 0 && Available() < residentLimit() }

// Suffices is nil, or an error where the shell's limit leaves less than the program takes on any data: the next thread could end
// it.
func Suffices() error {
	const least = 5e7
	if limit := addressLimit(); limit > 0 && limit-reserved() < least {
		return fmt.Errorf("ulimit -v: allows %.1f GB of addresses, of which the program reserves %.1f GB on this machine, used or "+
			"not; "+
			"allow more, or limit the memory of a container instead", limit/1e9, reserved()/1e9)
	}
	return nil
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
		part = math.Max(part, (page*addresses-reserved())/math.Max(1, limit-reserved()))
	}
	return part
}

const (
	// indexAddresses are those that Go's runtime reserves for its indices of the heap, of which 1.1e9 to 1.2e9 were seen, and two of
	// the pieces in which the heap grows, which must not be what ends the process.
	indexAddresses = 1.2e9 + 2*(64<<20)
	// threadAddresses are those of a thread: its stack, and the arena of the C library.
	threadAddresses = 7.2e7
	// idleThreads are those beside the ones that compute; six were seen.
	idleThreads = 6
)

// reserved are the addresses that the program reserves without using them.
func reserved() float64 {
	return indexAddresses + threadAddresses*float64(runtime.NumCPU()+idleThreads)
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
