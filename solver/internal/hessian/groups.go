package hessian

// Groups divide the numbers 0 … n-1 into groups.
type Groups struct {
	Of, At  []int   // the group of a thing, and its place in it
	Members [][]int // of a group, ascending
}

// NewGroups puts those with the same root into a group. Groups are numbered by their first members.
func NewGroups(n int, root func(i int) int) Groups {
	g := Groups{Of: make([]int, n), At: make([]int, n)}
	number := map[int]int{}
	for i := range n {
		r := root(i)
		q, ok := number[r]
		if !ok {
			q = len(g.Members)
			number[r] = q
			g.Members = append(g.Members, nil)
		}
		g.Of[i], g.At[i] = q, len(g.Members[q])
		g.Members[q] = append(g.Members[q], i)
	}
	return g
}

// OneGroup has all n numbers in one group.
func OneGroup(n int) Groups { return NewGroups(n, func(int) int { return 0 }) }
