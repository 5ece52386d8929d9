package addresses

import "syscall"

// Limit is that of the shell in bytes, 0 where there is none.
func Limit() int64 {
	const none = 1 << 62
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur >= none {
		return 0
	}
	return int64(limit.Cur)
}
