// Package dataset reads files into flat slices and writes them back. It knows nothing of optimisation.
//
//	ratings    triplets of row, column and value     [RatingsReader], [Ratings], [Sparse], [Compact], [FromSlice]
//	matrices   text, Matrix Market, NumPy and SciPy  [ReadMatrix], [Matrix]
//	examples   rows with labels, classes or tasks    [ReadLabels], [readLIBSVM], [RowsReader]
//	groups     of rows or columns, with weights      [ReadGroups], [ReadWeights]
//	synthetic  ratings and mixtures of Gaussians     [Generator], [Gaussians]
//
// [Split] and Folds divide observations, and [Offsets] centre them. An error of a file names the file and the line.
//
// Every reader begins with [Open], which unpacks what is compressed, or with a ColumnFormat that [RegisterColumns] made known.
// open.go says what a file is, columns.go reads tables that have typed columns, header.go says what columns are; the readers of
// the formats are in the files named after them.
package dataset
