package view

// MostAtoms bounds the atoms that Ask chooses to add in a step.
const MostAtoms = 64

// MaxOutside bounds the pairs outside the spaces of W that are kept, a quarter as many as the rank: more cost products, and few
// of them come in.
const MaxOutside = 24
