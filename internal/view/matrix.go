package view

// MaxMatrix bounds the entries of a W that is kept as a matrix, of 128 MB.
const MaxMatrix = 1 << 24
