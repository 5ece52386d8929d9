// Package operator holds the linear maps A from the variable W (m×n) to predictions z = A(W).
//
//	Sampling   the entries of W at given places          matrix completion
//	Design     X W for examples by rows of X             regression, classes
//	Tasks      X W where every example has one task      multi-task learning
//	Identity   all of W                                  approximation of a matrix
//	Squares    Sampling with the squared loss built in   large completion, in float32 or float64
//	Proximal   W itself, beside a map to be near to      inner problems
//	OnColumns  an operator on some columns of W          several classes in each task
//	Stack      several operators, one below another      two losses, several views
//
// Each type is a file. The files that begin with its name hold its adjoint, its fused passes over the data and its second
// derivatives. Features are the rows of X, dense or sparse.
package operator
