package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Files, names and tests of docs/papers.md exist.
func TestPapersNameWhatThereIs(t *testing.T) {
	page, err := os.ReadFile("papers.md")
	if err != nil {
		t.Fatal(err)
	}
	pair := regexp.MustCompile("`([a-z0-9_/]+\\.go)` `(\\w+)`")
	rows := 0
	for _, line := range strings.Split(string(page), "\n") {
		if !strings.HasPrefix(line, "| [") {
			continue
		}
		rows++
		found := pair.FindAllStringSubmatch(line, -1)
		if len(found) != 2 {
			t.Errorf("%s: names a file with a name, and a test", line)
			continue
		}
		for i, m := range found {
			text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
			if err != nil {
				t.Error(err)
				continue
			}
			if i == 1 && !strings.Contains(string(text), "\nfunc "+m[2]+"(t *testing.T)") {
				t.Errorf("%s has no test %s", m[1], m[2])
			}
			name := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |\t)` + m[2] + `\b`)
			if i == 0 && !name.Match(text) {
				t.Errorf("%s defines no %s", m[1], m[2])
			}
		}
	}
	if rows < 40 {
		t.Errorf("%d rows", rows)
	}
}
