package memory

import "syscall"

// advise is a hint: where the system refuses it, pages stay small.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
