package operator

// SetCopied sets the number of values up to which float64 is copied, and returns what sets it back.
func SetCopied(n int) (restore func()) {
	before := copyLimit
	copyLimit = n
	return func() { copyLimit = before }
}
