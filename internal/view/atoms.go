package view

// MostAtoms bounds the atoms that Ask chooses to add in a step: more where any matrix is a dual point, as a gap then closes while
// atoms are still missing, and few rounds take the least time.
func (p *Problem) MostAtoms() int {
	if p.FreeDual() {
		return 128
	}
	return 64
}

// MaxOutside bounds the pairs outside the spaces of W that are kept, a quarter as many as the rank: more cost products, and few
// of them come in.
const MaxOutside = 24
