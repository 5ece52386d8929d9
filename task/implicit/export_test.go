package implicit

// Summed is each pair once.
var Summed = summed
