package text

import "fmt"

// Counted is a number of things: 1 row, 2 rows.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
