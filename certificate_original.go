package gcg

// Original is the loss that l smooths, or l itself.
//
// A loss may be solved in place of another, which it smooths: a penalty that is not smooth, by its envelope. Certificates are
// those of the other. It says so with a method Original() Loss, which gives the loss L₀ of the same observations, or nil if it
// smooths none. The Eval of L₀ is the exact value at z. At the r that the smooth loss wrote, -r is a dual point of L₀: with a
// Conjugate, L₀ gives its part of the bound, L₀*(-s r). L₀ may share data with the smooth loss, and has no derivative to rely on.
func Original(l Loss) Loss {
	if o, ok := smoothedBy(l); ok {
		return o
	}
	return l
}

// Smooths reports whether l stands for a loss that it smooths.
func Smooths(l Loss) bool {
	_, smooths := smoothedBy(l)
	return smooths
}

// smoothedBy is the loss that l smooths; it reports whether there is one.
func smoothedBy(l Loss) (Loss, bool) {
	if s, ok := l.(interface{ Original() Loss }); ok {
		if o := s.Original(); o != nil {
			return o, true
		}
	}
	return nil, false
}
