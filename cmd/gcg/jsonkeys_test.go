package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// printed are the files, from the root of the repository, whose structs the command prints. Those below cmd/gcg are all but the
// ones of unprinted.
var (
	printed = []string{"selection/size.go", "metric/*.go", "task/*.go", "task/*/*.go", "model/model.go", "model/views.go",
		"internal/experiment/reproduce/write.go", "cmd/gcg/*.go", "cmd/gcg/*/*.go"}
	unprinted = []string{"live.go"} // what the page of --live asks for
)

// docs/json.md has every key that the command can print, and no other.
func TestKeysAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = true
	}
	tags := keysInSource(t)
	if len(tags) < 150 {
		t.Fatalf("found %d keys alone", len(tags))
	}
	for key, file := range tags {
		if !listed[key] {
			t.Errorf("docs/json.md leaves out %q of %s", key, file)
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(cells[1], -1) {
			if tags[m[1]] == "" {
				t.Errorf("docs/json.md lists %q, which nothing prints", m[1])
			}
		}
	}
	files, err := filepath.Glob("testdata/*json*.golden")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		golden, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"([a-z0-9_]+)":`).FindAllStringSubmatch(string(golden), -1) {
			if !listed[m[1]] {
				t.Errorf("docs/json.md leaves out %q of %s", m[1], name)
			}
		}
	}
}

// keysInSource are the json keys of structs, by a file that has them.
func keysInSource(t *testing.T) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for _, pattern := range printed {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || slices.Contains(unprinted, filepath.Base(name)) {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				f, ok := n.(*ast.Field)
				if !ok || f.Tag == nil {
					return true
				}
				tag, err := strconv.Unquote(f.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				if key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); key != "" && key != "-" {
					keys[key] = name
				}
				return true
			})
		}
	}
	return keys
}
