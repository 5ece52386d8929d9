package memory

import (
	"os"
	"strconv"
	"strings"
)

// Peak is the largest resident size of the process, 0 where it is not known. Of getrusage it is not taken: there a child begins
// with the peak of its parent, which may be a notebook with much data.
func Peak() int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(b), "\nVmHWM:")
	line, _, _ := strings.Cut(after, " kB\n")
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes * 1024
}
