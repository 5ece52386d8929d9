package solver

// A bracket has a root of f between lo and hi, at which f has different signs. Secants narrow it by the Illinois form of
// regula falsi: the value at an end that stays twice in a row is halved, so that the other side moves soon. Where f is
// linear the first secant is exact.
type bracket struct {
	lo, flo, hi, fhi float64
	side             int // that moved last: 1 lo, -1 hi
}

// secant is where the line through both ends is 0.
func (b *bracket) secant() float64 { return b.hi - b.fhi*(b.hi-b.lo)/(b.fhi-b.flo) }

// moveLo makes x, where the function is f, the lower end.
func (b *bracket) moveLo(x, f float64) {
	b.lo, b.flo = x, f
	if b.side == 1 {
		b.fhi /= 2
	}
	b.side = 1
}

// moveHi makes x, where the function is f, the upper end.
func (b *bracket) moveHi(x, f float64) {
	b.hi, b.fhi = x, f
	if b.side == -1 {
		b.flo /= 2
	}
	b.side = -1
}
