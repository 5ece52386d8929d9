//go:build !unix

// Package clock reads the processor time of the process.
package clock

import "time"

// CPU is not known here.
func CPU() time.Duration { return 0 }
