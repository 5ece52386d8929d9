package task

// TryListsFrom lets lists of what was rated be tried from so many ratings on, until what it returns is called.
func TryListsFrom(ratings int) (restore func()) {
	old := leastListed
	leastListed = ratings
	return func() { leastListed = old }
}
