package solver

// A bracket has a root of f between lo and hi, where f has different signs. Secants narrow it, in the Illinois form of regula falsi: an end that
// stays twice in a row counts half, so that the other side is met soon. They are exact at once where f is linear.
type bracket struct {
	lo, flo, hi, fhi float64
	side             int // that moved last: 1 lo, -1 hi
}

// secant is where the line through both ends is 0.
func (b *bracket) secant() float64 { return b.hi - b.fhi*(b.hi-b.lo)/(b.fhi-b.flo) }

func (b *bracket) moveLo(x, f float64) {
	b.lo, b.flo = x, f
	if b.side == 1 {
		b.fhi /= 2
	}
	b.side = 1
}

func (b *bracket) moveHi(x, f float64) {
	b.hi, b.fhi = x, f
	if b.side == -1 {
		b.flo /= 2
	}
	b.side = -1
}
