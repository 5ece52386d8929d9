// Package gauge holds the gauges κ with their polars κ°, and the penalties h of κ.
//
//	entries    L1, PositiveL1, Simplex, Lp
//	groups     Group
//	spectra    Trace, SchattenP, PSDTrace, Spectrahedron
//	factors    Factor, norms of the columns of U and V in W = U Vᵀ
//	penalties  Linear, Square, Ball, Equal
//
// A gauge is one file: its type, its polar, and what else it can do (κ of a dense matrix, a proximity operator, blocks). Bounds
// of the largest singular value and eigenvalue, which the polars of the spectral gauges need, are in internal/spectral.
package gauge
