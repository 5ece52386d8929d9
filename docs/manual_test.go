// Package docs has no code: its tests hold the manual to the code. The commands of the manual are run by package cmd/gcg.
package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	// What the module outside imports: the result of its test is cached only while these are the same.
	_ "github.com/seed-b18ef778/gcg/conform"
	_ "github.com/seed-b18ef778/gcg/gauge"
	_ "github.com/seed-b18ef778/gcg/loss"
	_ "github.com/seed-b18ef778/gcg/operator"
	_ "github.com/seed-b18ef778/gcg/solver"
)

// pages are all Markdown files for readers, as paths from the root of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("docs has %d pages: %v", len(files), err)
	}
	for _, f := range files {
		names = append(names, "docs/"+f)
	}
	return names
}

// page reads a file by its path from the root of the repository.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links lead to files of the repository, and to headings that they have.
func TestLinks(t *testing.T) {
	found := 0
	for _, name := range pages(t) {
		for _, l := range link.FindAllStringSubmatch(page(t, name), -1) {
			path, anchor, _ := strings.Cut(l[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			found++
			to := name
			if path != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(path)))
			}
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: %s leads nowhere", name, l[1])
			} else if anchor != "" && !anchors(page(t, to))[anchor] {
				t.Errorf("%s: %s has no heading %q", name, to, anchor)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d links found", found)
	}
}

// anchors are the headings of a page as links name them: lower case, blanks as hyphens, no punctuation.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(strings.TrimLeft(line, "#")))
		names[name] = true
	}
	return names
}

// Go code that is shown stands in a Go file that the line above it links to, so that it is compiled and, as an example, executed.
// A line … stands for lines that are left out.
func TestGoCodeIsExecuted(t *testing.T) {
	blocks := 0
	for _, name := range pages(t) {
		lines := strings.Split(page(t, name), "\n")
		from := "" // the file that the last link to Go led to
		for i := 0; i < len(lines); i++ {
			for _, l := range link.FindAllStringSubmatch(lines[i], -1) {
				from = ""
				if strings.HasSuffix(l[1], ".go") {
					from = filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(l[1])))
				}
			}
			if lines[i] != "```go" {
				continue
			}
			begin := i + 1
			for i++; i < len(lines) && lines[i] != "```"; i++ {
			}
			blocks++
			if from == "" {
				t.Errorf("%s:%d: no link above says which file the code is from", name, begin)
			} else if missing := notIn(page(t, from), lines[begin:i]); missing != "" {
				t.Errorf("%s:%d: %s has no lines\n%s", name, begin, from, missing)
			}
		}
	}
	if blocks < 8 {
		t.Errorf("only %d blocks of Go found", blocks)
	}
}

// notIn is the first run of lines, between lines …, that a file does not have in a row, whatever the indentation.
func notIn(file string, lines []string) string {
	trim := func(lines []string) string {
		var b strings.Builder
		b.WriteString("\n")
		for _, l := range lines {
			if l = strings.TrimSpace(l); l != "" {
				b.WriteString(l + "\n")
			}
		}
		return b.String()
	}
	whole := trim(strings.Split(file, "\n"))
	var run []string
	for _, l := range append(slices.Clone(lines), "…") {
		if strings.TrimSpace(l) != "…" {
			run = append(run, l)
			continue
		}
		if part := trim(run); !strings.Contains(whole, part) {
			return part
		}
		run = nil
	}
	return ""
}

// The table of folders in architecture.md has a row for each folder at the top that has packages, and no other.
func TestArchitectureNamesTheFolders(t *testing.T) {
	text := page(t, "docs/architecture.md")
	_, table, _ := strings.Cut(text, "## The folders")
	table, _, _ = strings.Cut(table, "\n## ")
	named := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(table, -1) {
		named[row[1]] = true
	}
	found := map[string]bool{}
	for dir := range packages(t) {
		top, _, _ := strings.Cut(dir, "/")
		found[top] = true
	}
	for dir := range found {
		if !named[dir] {
			t.Errorf("docs/architecture.md has no row for folder %s", dir)
		}
	}
	for dir := range named {
		if !found[dir] {
			t.Errorf("docs/architecture.md has a row for %s, which has no packages", dir)
		}
	}
}

// A doc comment says what each package is for; architecture.md leaves that to them.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	says := regexp.MustCompile(`(?m)^(// |/\*\n?)?(Package|Command) \w`)
	for dir := range packages(t) {
		if dir == "gcg" {
			dir = "."
		}
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(name string) bool {
			return !strings.HasSuffix(name, "_test.go") && says.MatchString(page(t, filepath.ToSlash(strings.TrimPrefix(name,
				".."+string(filepath.Separator)))))
		}) {
			t.Errorf("no file of %s has a doc comment for its package", dir)
		}
	}
}

// packages are the folders of this module with Go files that are no tests; the root is gcg.
func packages(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(file, "go.mod"))
			if file != ".." && (err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			dir, err := filepath.Rel("..", filepath.Dir(file))
			if err != nil {
				return err
			}
			found[filepath.ToSlash(dir)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(found, ".")
	found["gcg"] = true
	return found
}

// The module in extending is outside of this one, as its reader's is: it vets, and its examples print what they say.
func TestOutsideModule(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("extending", "*"))
	if err != nil || len(files) < 8 {
		t.Fatalf("extending has %d files: %v", len(files), err)
	}
	for _, f := range files { // what a test has read is part of what its result is cached for
		page(t, "docs/"+filepath.ToSlash(f))
	}
	for _, verb := range []string{"vet", "test"} {
		cmd := exec.Command("go", verb, ".")
		cmd.Dir = "extending"
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", verb, err, out)
		}
	}
}
