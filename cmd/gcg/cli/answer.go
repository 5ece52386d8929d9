package cli

import (
	"strings"
)

// TryOr proposes what was not tried, or another λ or ζ.
func (f *RunFlags) TryOr(untried []string) string {
	another := "another λ"
	if f.Constrain > 0 {
		another = "another ζ"
	}
	if len(untried) == 0 {
		return "try " + another
	}
	return "try " + strings.Join(untried, " or ") + ", or " + another
}
