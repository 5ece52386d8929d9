// Package early ends the command where the shell allows fewer addresses than it takes on any data. It is initialized as soon as
// system calls are: what the packages of drivers and of the service take when they begin could already be too much, and Go's
// runtime would end the process with a stack trace.
package early

import (
	"syscall"

	"github.com/seed-b18ef778/gcg/internal/memory/addresses"
)

func init() {
	if text := addresses.Refusal(); text != "" {
		_, _ = syscall.Write(2, []byte("gcg: "+text+"\n"))
		syscall.Exit(1)
	}
}
