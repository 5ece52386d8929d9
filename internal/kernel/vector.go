package kernel

// block bounds the elements one assembly call handles, so that a goroutine can be preempted between calls.
const block = 1 << 15

// Dot returns Σ x[i]·y[i] over the elements of x. 2 flops and 16 bytes an element.
func Dot(x, y []float64) float64 {
	need("y", len(y), len(x))
	return dot(active64, x, y)
}

// SumSq returns Σ x[i]². 2 flops and 8 bytes an element.
func SumSq(x []float64) float64 { return dot(active64, x, x) }

// Axpy computes y += a·x over the elements of x. 2 flops an element; 16 bytes read, 8 written.
func Axpy(a float64, x, y []float64) {
	need("y", len(y), len(x))
	axpy(active64, a, x, y)
}

// Scale computes x *= a. 1 flop an element; 8 bytes read, 8 written.
func Scale(a float64, x []float64) { scale(active64, a, x) }

// Hadamard computes z = x∘y, the products of elements, over the elements of x; z may be x or y. 1 flop an element; 16 bytes read, 8 written.
func Hadamard(z, x, y []float64) {
	need("z", len(z), len(x))
	need("y", len(y), len(x))
	hadamard(active64, z, x, y)
}

func dot[T real](s *kernels[T], x, y []T) (sum float64) {
	for len(x) > block {
		sum += s.dot(x[:block], y[:block])
		x, y = x[block:], y[block:]
	}
	return sum + s.dot(x, y[:len(x)])
}

func axpy[T real](s *kernels[T], a T, x, y []T) {
	for len(x) > block {
		s.axpy(a, x[:block], y[:block])
		x, y = x[block:], y[block:]
	}
	s.axpy(a, x, y[:len(x)])
}

func scale[T real](s *kernels[T], a T, x []T) {
	for len(x) > block {
		s.scale(a, x[:block])
		x = x[block:]
	}
	s.scale(a, x)
}

func hadamard[T real](s *kernels[T], z, x, y []T) {
	for len(x) > block {
		s.hadamard(z[:block], x[:block], y[:block])
		z, x, y = z[block:], x[block:], y[block:]
	}
	s.hadamard(z[:len(x)], x, y[:len(x)])
}
