package support

// Formed is the number of entries whose second derivatives were formed as a matrix.
func (c *Corrective) Formed() int { return c.blocks.known }
