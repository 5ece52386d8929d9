// Package views holds gauges of matrices W = [W₁; W₂; …] whose rows are the features of several views of the same samples,
// the columns [Yu17 §4.4], [Zhang12 §4].
//
// Views is the gauge of two views and, optionally, of label views. Its atoms are [a; b; u] vᵀ with ‖a‖ ≤ β, ‖b‖ ≤ γ, u ∈ {-1,
// 1}^L, ‖v‖ ≤ 1. views.go is the type. Without labels the polar is a convex problem in one number τ, solved exactly: twoviews.go
// is the outer loop, pencil.go the same problem in few dimensions, products.go the one for maps that are known by products.
// power.go is the iteration of the papers, which is accepted only with its certificate. The gauge has a closed form, kappa.go.
//
// With labels the polar is not convex. labels.go is its branch and bound.
//
// Simplex is the convex model of any number of views, simplex.go and relaxation.go.
package views
