package hessian

import "github.com/seed-b18ef778/gcg"

// IsZero reports whether all elements are 0.
func IsZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// AddColumn is z += by·A(e) for the column of an entry e.
func AddColumn(z []float64, by float64, c *gcg.Column) {
	if by == 0 {
		return
	}
	if c.Index == nil {
		for i, v := range c.Values {
			z[c.Offset+c.Stride*i] += by * v
		}
		return
	}
	for e, i := range c.Index {
		z[c.Offset+c.Stride*int(i)] += by * c.Values[e]
	}
}

// DotColumn is ⟨A(e), r⟩.
func DotColumn(r []float64, c *gcg.Column) float64 {
	var s float64
	if c.Index == nil {
		for i, v := range c.Values {
			s += v * r[c.Offset+c.Stride*i]
		}
		return s
	}
	for e, i := range c.Index {
		s += c.Values[e] * r[c.Offset+c.Stride*int(i)]
	}
	return s
}

// Each calls f with every observation of a column.
func Each(c *gcg.Column, f func(at int)) {
	for t := range c.Values {
		f(c.At(t))
	}
}
