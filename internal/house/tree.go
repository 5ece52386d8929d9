// Package house parses the Go files of a module, folder by folder, for the test of this package that holds the rules of the
// house: which folder may import which, how long a function may be, which words are retired. Nothing is type-checked: files of
// all build tags are read alike, in about half a second.
package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Tree is the Go source of one module.
type Tree struct {
	Module  string // its path, from go.mod
	Fset    *token.FileSet
	Folders []*Folder // by path; only those with Go files
}

// A Folder is one directory with Go files: a package and its tests.
type Folder struct {
	Path  string  // relative to the module, with slashes; "." is the module's root
	Files []*File // by name
}

// A File is one parsed Go file.
type File struct {
	Path      string // relative to the module, with slashes
	Source    []byte
	Syntax    *ast.File
	Lines     int
	Test      bool // its name ends in _test.go
	Generated bool // it says so before its package clause, see ast.IsGenerated
}

// Read parses all Go files of the module whose go.mod lies at the top of fsys. Folders that the go command does not look into
// (testdata, names that begin with a dot or an underscore) and modules within the module are left out. An error names the file.
func Read(fsys fs.FS) (*Tree, error) {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	t := &Tree{Module: modulePath(mod), Fset: token.NewFileSet()}
	if t.Module == "" {
		return nil, fmt.Errorf("go.mod: no line that begins with module")
	}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && ignored(fsys, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		return t.add(fsys, name)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.Folders, func(a, b *Folder) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// ignored says whether a folder is none of the module's.
func ignored(fsys fs.FS, name string) bool {
	if name == "." {
		return false
	}
	base := path.Base(name)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(name, "go.mod"))
	return err == nil
}

// modulePath is what stands behind "module" in a go.mod, or "".
func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "module" {
			return strings.Trim(words[1], `"`)
		}
	}
	return ""
}

// add parses one file and puts it into its folder.
func (t *Tree) add(fsys fs.FS, name string) error {
	source, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.Fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder := t.Folder(path.Dir(name))
	if folder == nil {
		folder = &Folder{Path: path.Dir(name)}
		t.Folders = append(t.Folders, folder)
	}
	folder.Files = append(folder.Files, &File{
		Path: name, Source: source, Syntax: syntax, Lines: bytes.Count(source, []byte("\n")),
		Test: strings.HasSuffix(name, "_test.go"), Generated: ast.IsGenerated(syntax),
	})
	return nil
}

// Folder is the folder of a path, or nil.
func (t *Tree) Folder(path string) *Folder {
	i := slices.IndexFunc(t.Folders, func(f *Folder) bool { return f.Path == path })
	if i < 0 {
		return nil
	}
	return t.Folders[i]
}

// Code are the files that somebody wrote and that are not tests.
func (f *Folder) Code() []*File {
	var code []*File
	for _, file := range f.Files {
		if !file.Test && !file.Generated {
			code = append(code, file)
		}
	}
	return code
}

// Within says whether the folder of a path is one of patterns, separated by spaces: "a/b" is that folder, "a/..." that folder and
// all below it, "..." every one.
func Within(folder, patterns string) bool {
	for _, p := range strings.Fields(patterns) {
		top, below := strings.CutSuffix(p, "...")
		top = strings.TrimSuffix(top, "/")
		if folder == top || below && (top == "" || strings.HasPrefix(folder, top+"/")) {
			return true
		}
	}
	return false
}
