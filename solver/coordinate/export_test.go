package coordinate

// Formed is the number of columns of which X̃ᵀX̃ is formed.
func (m *Descent) Formed() int { return m.set.gram.count }
