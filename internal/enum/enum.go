// Package enum refuses values of a field that none of the constants of its type has.
package enum

import (
	"fmt"
	"strings"
)

// Check is an error where value is none of 0, 1, …, which names, the constants of its type in their order, stand for. field says
// whose value it is, as in "task: Normalize".
func Check[E ~int](field string, value E, names ...string) error {
	if value >= 0 && int(value) < len(names) {
		return nil
	}
	return fmt.Errorf("%s is %d; it is %s or %s", field, int(value), strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}
