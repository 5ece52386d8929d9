package recovery

import "github.com/seed-b18ef778/gcg"

// A Shrinker is the proximity operator of the trace norm for matrices each near the last one, as steps of a method are: singular
// triples are found near those of the matrix before.
type Shrinker struct {
	m, n int
	of   shrinker
}

// NewShrinker is one for row-major m×n matrices. The seed is of its first directions.
func NewShrinker(m, n int, seed uint64) *Shrinker {
	return &Shrinker{m, n, shrinker{m: m, n: n, draw: seed}}
}

// To writes argmin over Z of ½‖Z - X‖² + θ‖Z‖_* into z, which may be x, and returns it as factors, with ‖Z‖_*.
func (k *Shrinker) To(z, x []float64, theta float64) (w *gcg.Iterate, norm float64) {
	t := k.of.decompose(x, func(values []float64) bool { return values[len(values)-1] <= theta })
	norm = k.of.lower(&t, theta)
	t.matrixTo(z, k.m, k.n)
	l := &layout{m: k.m, n: k.n, blocks: []block{{rows: upTo(k.m), cols: upTo(k.n)}}}
	return l.join([]triples{t}), norm
}
