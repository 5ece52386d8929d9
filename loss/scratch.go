package loss

// run is how many predictions are handled at a time where a loss needs room for intermediate values: they stay in the
// first-level cache, and one call of a kernel serves them all.
const run = 512
