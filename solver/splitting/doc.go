// Package splitting minimises L(W) + λκ(W) for a W that is observed entry by entry and a gauge that is the largest trace norm of
// D_τW, as for several views of the same samples: alternating directions on W̃ = D_τW, with the shares τ of the views moved
// along. method.go is the step of a run, iteration.go one round, fitted.go the rows that meet the loss, threshold.go the
// proximity operator of the trace norm.
package splitting
