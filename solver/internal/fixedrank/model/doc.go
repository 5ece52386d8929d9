// Package model has the loss as a function of the factors, f(U, V) = L(A(U Vᵀ)), with what Newton steps need of it: value,
// gradient A*(R) and the product with second derivatives,
//
//	(dU, dV) ↦ (E V - R dV, Eᵀ U - Rᵀ dU),   E = A*(∇²L A(dU Vᵀ + U dVᵀ)),   R = -∇L as a matrix
//
// New chooses the model: by the passes of data that keeps its observations to itself (squares.go), by the fused passes of an
// operator with the squared loss (fused.go), or for any operator and loss by way of predictions (generic.go), with an intercept
// profiled out. Predictions give second derivatives at the point or along secants, or by Gram matrices of the columns.
// On all entries of a small W they are formed once products with the data have cost as much (matrix.go).
//
// Basis (basis.go) approximates them by a Kronecker product L ⊗ R for preconditioners.
//
// Read model.go first.
package model
