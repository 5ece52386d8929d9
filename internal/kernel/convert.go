package kernel

// Convert writes y = x, over the elements of x, rounded where P is the shorter type. 12 bytes an element: 0.11 ns in cache, 0.35 to 0.45 from
// memory, 0.35 to 0.65 of what these deliver. A loop in Go takes 0.9 to widen and 1.7 to round.
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
