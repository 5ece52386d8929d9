// Package unionfind joins the numbers 0 … n-1 into disjoint sets, such as the connected components of a graph.
package unionfind

// A Forest has a tree for each set: every number holds its parent, and the root, the smallest number of its set, itself.
type Forest []int32

// New has n sets of one number each.
func New(n int) Forest {
	f := make(Forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

// Find is the root of the set of i. It halves the path there.
func (f Forest) Find(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// Join makes one set of those of i and j.
func (f Forest) Join(i, j int32) {
	if a, b := f.Find(i), f.Find(j); a != b {
		f[max(a, b)] = min(a, b)
	}
}
