package task

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/task/side"
)

// Rated says which lists of what was rated are features [Koren08, the implicit part of SVD++]: who rated what says much of
// both, whatever the ratings. A list of n has the value 1/√n at each of its places. Lists are of the ratings that are trained
// on: they never know what is held out.
type Rated int

const (
	NoRated    Rated = iota // no lists
	AutoRated               // lists of both, or none, whichever is chosen with λ, see ListsOpen; until it is, none
	RatedUsers              // of the items that a user rated
	RatedItems              // of the users who rated an item
	RatedBoth               // of either
)

var ratedWords = []string{"none", "auto", "users", "items", "both"}

// check is an error where r is no rule.
func (r Rated) check() error {
	return enum.Check("task: Rated", r, "NoRated", "AutoRated", "RatedUsers", "RatedItems", "RatedBoth")
}

func (r Rated) String() string { return ratedWords[r] }

// Listed says that there are lists.
func (r Rated) Listed() bool { return r > AutoRated }

// ParseRated reads a word: none, auto, users, items or both.
func ParseRated(word string) (Rated, error) {
	if at := slices.Index(ratedWords, word); at >= 0 {
		return Rated(at), nil
	}
	return 0, fmt.Errorf("%q is none of none, auto, users, items and both", word)
}

// sides are the lists of package side.
func (r Rated) sides() side.Rated {
	return side.Rated{Users: r == RatedUsers || r == RatedBoth, Items: r == RatedItems || r == RatedBoth}
}
