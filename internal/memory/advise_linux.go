package memory

import "syscall"

// advise asks for huge pages for b. It is a hint: where the system refuses it, pages stay small.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
