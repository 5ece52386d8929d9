// Package selection chooses λ. It solves a problem for a descending grid of λ, each from the solution of the last, measures
// every solution on data that was held out, and takes the λ of the smallest error or, with cross-validation, the largest
// λ within one standard error of it.
//
//	Path           one problem over a grid of λ
//	CrossValidate  the mean error of several folds on one grid
//	Choose         the λ of the smallest error on a validation part: cheap, to loose gaps, and no further than it must
//	Race           the same for several problems of the same data, of which it takes one
//
// What the data is, and how it is divided, a [Source] knows; what the solutions are worth, its [Fitting]. Every λ comes
// with its certificate: the points of a path are brackets of optima, not last iterates.
package selection
