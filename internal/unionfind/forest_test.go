package unionfind

import (
	"math/rand/v2"
	"testing"
)

// Sets are those of a naive labelling, and roots their smallest numbers.
func TestForest(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(3, 1))
	f, label := New(n), make([]int32, n)
	for i := range label {
		label[i] = int32(i)
	}
	for range 45 {
		i, j := rng.IntN(n), rng.IntN(n)
		f.Join(int32(i), int32(j))
		for from, to, k := max(label[i], label[j]), min(label[i], label[j]), 0; k < n; k++ {
			if label[k] == from {
				label[k] = to
			}
		}
		for k, want := range label {
			if got := f.Find(int32(k)); got != want {
				t.Fatalf("%d is in the set of %d, not of %d", k, got, want)
			}
		}
	}
}
