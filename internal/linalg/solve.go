package linalg

import "github.com/seed-b18ef778/gcg/internal/kernel"

// Solve overwrites x with the solution of LLᵀy = x, L a factor that Cholesky left. 2n² flops and 8n² bytes, panel by panel.
func (l *Lower) Solve(x []float64) {
	for p := range l.panels {
		lo, w, panel := l.panel(p)
		head, tail := x[lo:lo+w], x[lo+w:l.n]
		for i := range head {
			row := panel[i*w:]
			head[i] = (head[i] - dot(head[:i], row)) / row[i]
		}
		for i := range tail {
			tail[i] -= dot(head, panel[(w+i)*w:])
		}
	}
	for p := len(l.panels) - 1; p >= 0; p-- {
		lo, w, panel := l.panel(p)
		head, tail := x[lo:lo+w], x[lo+w:l.n]
		for i, v := range tail {
			kernel.Axpy(-v, panel[(w+i)*w:(w+i+1)*w], head)
		}
		for i := w - 1; i >= 0; i-- {
			row := panel[i*w:]
			head[i] /= row[i]
			kernel.Axpy(-head[i], row[:i], head[:i])
		}
	}
}
