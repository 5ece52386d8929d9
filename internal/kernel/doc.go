// Package kernel holds the inner loops: sampled products, the all-in-one passes of matrix completion, and small dense
// products. Factors are row-major with a row stride k that is a multiple of 8, the padding zero; cols lists the observed
// columns of one row, so that a call is one row's work and a result depends on its arguments alone.
package kernel
