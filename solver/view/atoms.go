package view

// MostAtoms bounds the atoms that Ask chooses to add in a step.
const MostAtoms = 64

// Pairs outside the spaces of W are kept from a rank of nearFrom on, a quarter as many as the rank, up to maxNear.
const (
	OutsideFrom = 24
	MaxOutside  = 24
)
