package solver

// groups divide the numbers 0 … n-1 into groups.
type groups struct {
	of, at  []int   // the group of a thing, and its place in it
	members [][]int // of a group, ascending
}

// newGroups puts those with the same root into a group. Groups are numbered by their first members.
func newGroups(n int, root func(i int) int) groups {
	g := groups{of: make([]int, n), at: make([]int, n)}
	number := map[int]int{}
	for i := range n {
		r := root(i)
		q, ok := number[r]
		if !ok {
			q = len(g.members)
			number[r] = q
			g.members = append(g.members, nil)
		}
		g.of[i], g.at[i] = q, len(g.members[q])
		g.members[q] = append(g.members[q], i)
	}
	return g
}

// oneGroup has all n numbers in one group.
func oneGroup(n int) groups { return newGroups(n, func(int) int { return 0 }) }
