// Package addresses knows the limit of addresses that a shell sets (ulimit -v), and what of it the program takes without using
// it. It imports next to nothing, so that a program can ask before its other packages have begun.
package addresses

import (
	"runtime"
	"strconv"
)

const (
	// indexed are those that Go's runtime reserves for its indices of the heap, of which 1.1e9 to 1.2e9 were seen, and two of
	// the pieces in which the heap grows, which must not be what ends the process.
	indexed = 1_200_000_000 + 2*(64<<20)
	// thread are those of a thread: its stack, and the arena of the C library.
	thread = 72_000_000
	// idle are the threads beside the ones that compute; six were seen.
	idle = 6
	// least is what the program takes on any data.
	least = 50_000_000
)

// Reserved are the addresses that the program reserves without using them.
func Reserved() int64 { return indexed + thread*int64(runtime.NumCPU()+idle) }

// Refusal is a line where the limit leaves less than the program takes on any data, so that the next thread could end it, and
// empty where it suffices or there is none.
func Refusal() string {
	if limit := Limit(); limit > 0 && limit-Reserved() < least {
		return "ulimit -v: allows " + gigabytes(limit) + " of addresses, of which the program reserves " + gigabytes(Reserved()) +
			" on this machine, used or not; allow more, or limit the memory of a container instead"
	}
	return ""
}

// gigabytes is a size in words, to a tenth.
func gigabytes(bytes int64) string {
	tenths := (bytes + 50_000_000) / 100_000_000
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " GB"
}
