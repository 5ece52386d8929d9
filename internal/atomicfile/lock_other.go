//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import "os"

// locks says that lock keeps others out; unblocked is how a file is opened that may be a pipe by then.
const (
	locks     = false
	unblocked = 0
)

// lock is for systems that have no such locks: everybody gets them.
func lock(*os.File) bool { return true }

// surelyLocked is lock where there are locks.
func surelyLocked(*os.File) bool { return false }
