// Package metric measures predictions against known values, and compares them with trivial predictions that need no model.
//
//	Errors     RMSE, MAE and NMAE of numbers
//	Classes    accuracy, log loss and the table of classes or signs
//	Concordance  the pairs of times whose risks are in the right order
//	Ranking    recall and NDCG of top-N lists; RelevantFrom says which held-out items should be in them
//	Trivial    the errors of the global mean and of row and column biases
//	Decimals   a score in text, Number a prediction
//
// A measure is an accumulator whose zero value is ready: Add counts one prediction, or the list of one user.
package metric
