//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// locks says that lock keeps others out; unblocked is how a file is opened that may be a pipe by then.
const (
	locks     = true
	unblocked = syscall.O_NONBLOCK | syscall.O_NOFOLLOW
)

// lock takes the file for this process until it is closed, whatever ends the process; false says that another has it. File
// systems that know no locks give them to everybody.
func lock(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// surelyLocked is lock without the benefit of the doubt.
func surelyLocked(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
