package dataset

import (
	"bufio"
	"fmt"
	"strings"
)

// EachLine calls f with every line of a text file that says something, and its number, without blanks around it. It ends with
// the first error of f. A file without lines, or with one of more than 16 MiB, is an error that names it.
func EachLine(name string, f func(line int, text string) error) error {
	src, err := Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	name = src.Name
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<24)
	line := 0
	for sc.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if text == "" {
			continue
		}
		if err := f(line, text); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s:%d: cannot be read: %w", name, line+1, err)
	}
	if line == 0 {
		return fmt.Errorf("%s: is empty", name)
	}
	return nil
}
