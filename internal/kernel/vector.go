package kernel

import "math"

// Kernels over contiguous elements; figures are those of float64. Their bytes set their limit; docs/kernels.md measures what
// memory delivers by such loops, Scale among them.

// block bounds the elements one assembly call handles, so that a goroutine can be preempted between calls.
const block = 1 << 15

// Dot returns Σ x[i]·y[i] over the elements of x. 2 flops and 16 bytes an element.
func Dot[T Real](x, y []T) (sum float64) {
	need("y", len(y), len(x))
	s := in[T]()
	for len(x) > block {
		sum += s.dot(x[:block], y[:block])
		x, y = x[block:], y[block:]
	}
	return sum + s.dot(x, y[:len(x)])
}

// SumSq returns Σ x[i]². 2 flops and 8 bytes an element.
func SumSq[T Real](x []T) float64 { return Dot(x, x) }

// Axpy computes y += a·x over the elements of x. 2 flops an element; 16 bytes read, 8 written.
func Axpy[T Real](a T, x, y []T) {
	need("y", len(y), len(x))
	s := in[T]()
	for len(x) > block {
		s.axpy(a, x[:block], y[:block])
		x, y = x[block:], y[block:]
	}
	s.axpy(a, x, y[:len(x)])
}

// AxpyRows computes y += Σ a[i]·(row i of x) over rows of len(y) elements, one after the other in x; rows whose a[i] is 0 are not
// read. It adds four rows at a time, so that y is read and written once for the four. 2 flops an element of x; 12 bytes.
func AxpyRows[T Real](a, x, y []T) {
	n := len(y)
	need("x", len(x), len(a)*n)
	s := in[T]()
	var by [4]T
	var at [4]int
	found := 0
	for i, v := range a {
		if v == 0 {
			continue
		}
		by[found], at[found] = v, i*n
		if found++; found < 4 {
			continue
		}
		found = 0
		for lo := 0; lo < n; lo += block / 4 {
			hi := min(lo+block/4, n)
			s.axpyFour(by[0], by[1], by[2], by[3],
				x[at[0]+lo:at[0]+hi], x[at[1]+lo:at[1]+hi], x[at[2]+lo:at[2]+hi], x[at[3]+lo:at[3]+hi], y[lo:hi])
		}
	}
	for r := range found {
		Axpy(by[r], x[at[r]:at[r]+n], y)
	}
}

// Scale computes x *= a. 1 flop an element; 8 bytes read, 8 written.
func Scale[T Real](a T, x []T) {
	s := in[T]()
	for len(x) > block {
		s.scale(a, x[:block])
		x = x[block:]
	}
	s.scale(a, x)
}

// Hadamard computes z = x∘y, the products of elements, over the elements of x; z may be x or y. 1 flop an element; 16 bytes read,
// 8 written.
func Hadamard[T Real](z, x, y []T) {
	need("z", len(z), len(x))
	need("y", len(y), len(x))
	s := in[T]()
	for len(x) > block {
		s.hadamard(z[:block], x[:block], y[:block])
		z, x, y = z[block:], x[block:], y[block:]
	}
	s.hadamard(z[:len(x)], x, y[:len(x)])
}

// Clamp computes x = max(-a, min(a, x)), for an a that is not negative; NaN stays. 8 bytes read, 8 written.
func Clamp(a float64, x []float64) {
	for len(x) > block {
		active.clamp(a, x[:block])
		x = x[block:]
	}
	active.clamp(a, x)
}

// Apart is Σ|xᵢ-yᵢ| over the elements of x. 16 bytes read.
func Apart(x, y []float64) (sum float64) {
	need("y", len(y), len(x))
	for len(x) > block {
		sum += active.apart(x[:block], y[:block])
		x, y = x[block:], y[block:]
	}
	return sum + active.apart(x, y[:len(x)])
}

// Max is the largest element of x, -Inf of none; of elements of which some are NaN it is any, or NaN.
func Max[T Real](x []T) T {
	s, top := in[T](), T(math.Inf(-1))
	for lo := 0; lo < len(x); lo += block {
		top = max(top, s.max(x[lo:min(lo+block, len(x))]))
	}
	return top
}

// Convert writes y = x, over the elements of x, rounded where P is the shorter type. 12 bytes an element: 0.11 ns in cache, 0.35
// to 0.45 from memory, 0.35 to 0.65 of what these deliver. A loop in Go takes 0.9 to widen and 1.7 to round.
func Convert[P, T Real](y []P, x []T) {
	need("y", len(y), len(x))
	for len(x) > 0 {
		n := min(len(x), block)
		convert(y[:n], x[:n])
		y, x = y[n:], x[n:]
	}
}

func convert[P, T Real](y []P, x []T) {
	if same, ok := any(x).([]P); ok {
		copy(y, same)
	} else if short, ok := any(x).([]float32); ok {
		active.widen(any(y).([]float64), short)
	} else {
		active.narrow(any(y).([]float32), any(x).([]float64))
	}
}
