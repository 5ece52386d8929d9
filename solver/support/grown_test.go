package support

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// grown is a support of the blocks with these keys, which come in one after another, for W of m rows and n columns.
func grown(p *gcg.Problem, m, n int, keys ...int64) *support {
	u := (&Corrective{}).supportFor(view.Of(p))
	for _, key := range keys {
		u.grow([]int64{key}, m, n)
		u.extract()
	}
	return u
}

// upTo are the keys from 1 to n.
func upTo(n int) (keys []int64) {
	for i := range n {
		keys = append(keys, int64(i+1))
	}
	return keys
}

// tasksAtRandom is testproblem.Tasks with a support of every entry, at a random point.
func tasksAtRandom(t *testing.T, n, features, tasks int, intercept bool) (*gcg.Problem, *gcg.State, *support, *rand.Rand) {
	p, s, rng := testproblem.Tasks(t, n, features, tasks, intercept)
	u := grown(p, features, tasks, upTo(features)...)
	for i := range u.x {
		u.x[i] = rng.NormFloat64()
	}
	return p, s, u, rng
}

// wideClasses is a problem of 41 features and 5 classes at its start, and a support of 40 features for which products are better.
func wideClasses(t *testing.T) (*gcg.Problem, *gcg.State, *support) {
	p := testproblem.Classes(t, 50, 41, 5, false)
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, s, grown(p, 41, 5, upTo(41)[1:]...)
}
