package rootfind

// A Bracket encloses a root of f: f has different signs at Lo and Hi. Secants narrow it by the Illinois form of regula falsi: the
// value at an end that stays twice in a row is halved, so that the other side moves soon. Where f is linear the first secant is
// exact.
type Bracket struct {
	Lo, Flo, Hi, Fhi float64
	side             int // that moved last: 1 lo, -1 hi
}

// Secant is where the line through both ends is 0.
func (b *Bracket) Secant() float64 { return b.Hi - b.Fhi*(b.Hi-b.Lo)/(b.Fhi-b.Flo) }

// MoveLo makes x, where the function is f, the lower end.
func (b *Bracket) MoveLo(x, f float64) {
	b.Lo, b.Flo = x, f
	if b.side == 1 {
		b.Fhi /= 2
	}
	b.side = 1
}

// MoveHi makes x, where the function is f, the upper end.
func (b *Bracket) MoveHi(x, f float64) {
	b.Hi, b.Fhi = x, f
	if b.side == -1 {
		b.Flo /= 2
	}
	b.side = -1
}
