package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// columns is how wide a line may be, a tab taken for one column.
const columns = 130

// folderFiles counts the files of each folder that are neither tests nor generated.
func folderFiles(t *Tree) []finding {
	var found []finding
	for _, folder := range t.Folders {
		n := len(folder.Code())
		found = append(found, finding{folder.Path, n, []string{fmt.Sprintf("%s has %d files", folder.Path, n)}})
	}
	return found
}

// functionLines are the lengths of functions outside of tests, from func to the closing brace, also of those that are the
// value of a variable of the package.
func functionLines(t *Tree) []finding {
	var found []finding
	add := func(file *File, name string, n ast.Node) {
		lines := t.lines(n)
		text := fmt.Sprintf("%s %s has %d lines", t.at(n.Pos()), name, lines)
		found = append(found, finding{file.Path + ":" + name, lines, []string{text}})
	}
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			for _, d := range file.Syntax.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					add(file, functionName(d), d)
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.ValueSpec); ok {
							outermost(s, func(f *ast.FuncLit) { add(file, s.Names[0].Name, f) })
						}
					}
				}
			}
		}
	}
	return found
}

// missingFiles finds names of Go files in the comments of packages that are neither in the folder nor at that path in the module.
func missingFiles(t *Tree) []finding {
	found := counts{}
	there := map[string]bool{}
	for _, folder := range t.Folders {
		for _, file := range folder.Files {
			there[file.Path] = true
		}
	}
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			if file.Syntax.Doc == nil {
				continue
			}
			for _, name := range goFile.FindAllString(file.Syntax.Doc.Text(), -1) {
				if !there[name] && !there[path.Join(folder.Path, name)] {
					found.add(file.Path+":"+name, t.at(file.Syntax.Doc.Pos())+" names "+name)
				}
			}
		}
	}
	return found.findings()
}

// goFile is what a comment calls a Go file.
var goFile = regexp.MustCompile(`[\w/]+\.go\b`)

// outermost calls f with the function literals of n that are within no other.
func outermost(n ast.Node, f func(*ast.FuncLit)) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			f(lit)
		}
		return !ok
	})
}

// fileLines are the lengths of files, tests too.
func fileLines(t *Tree) []finding {
	var found []finding
	for _, folder := range t.Folders {
		for _, file := range folder.Files {
			if !file.Generated {
				found = append(found, finding{file.Path, file.Lines, []string{fmt.Sprintf("%s:%d is its last line", file.Path, file.Lines)}})
			}
		}
	}
	return found
}

// longLines counts, by file, lines that are wider than columns, in tests too.
func longLines(t *Tree) []finding {
	found := counts{}
	for _, folder := range t.Folders {
		for _, file := range folder.Files {
			if file.Generated {
				continue
			}
			for i, line := range bytes.Split(file.Source, []byte("\n")) {
				if wide := utf8.RuneCount(line); wide > columns {
					found.add(file.Path, fmt.Sprintf("%s:%d has %d columns", file.Path, i+1, wide))
				}
			}
		}
	}
	return found.findings()
}

// insideTests are, for the folders of solver/, the lines of tests in the package itself among all lines of its tests, in per cent
// and rounded up.
func insideTests(t *Tree) []finding {
	var found []finding
	for _, folder := range t.Folders {
		inside, all := 0, 0
		for _, file := range folder.Files {
			if file.Test {
				all += file.Lines
				if !strings.HasSuffix(file.Syntax.Name.Name, "_test") {
					inside += file.Lines
				}
			}
		}
		if all > 0 && Within(folder.Path, "solver/...") {
			text := fmt.Sprintf("%s: %d of %d lines of tests are in the package itself", folder.Path, inside, all)
			found = append(found, finding{folder.Path, (100*inside + all - 1) / all, []string{text}})
		}
	}
	return found
}
