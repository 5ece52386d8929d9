//go:build !linux

package memory

// Available is not known here.
func Available() float64 { return 0 }

// InUse is not known here.
func InUse() float64 { return 0 }

// ByAddresses is false where Available is not known.
func ByAddresses() bool { return false }
