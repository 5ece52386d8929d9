package house

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// libraryFolders are those that a program may import: neither internal nor the command's. serve speaks of the flags that it is
// started with.
func libraryFolders(t *Tree) (all []*Folder) {
	for _, folder := range t.Folders {
		if !internalPath(folder.Path) && !Within(folder.Path, "cmd/... docs/... python/...") {
			all = append(all, folder)
		}
	}
	return all
}

// internalPath says that no program may import a path.
func internalPath(p string) bool {
	return Within("internal", p+"/...") || strings.Contains("/"+p+"/", "/internal/")
}

// flagWord is a flag of a command line in a text.
var flagWord = regexp.MustCompile(`(^|[\s("'=|])--[a-z]`)

// flagsInTexts finds texts of the library that name flags: a program has fields.
func flagsInTexts(t *Tree) []finding {
	found := counts{}
	for _, folder := range libraryFolders(t) {
		for _, file := range folder.Code() {
			ast.Inspect(file.Syntax, func(n ast.Node) bool {
				if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
					if text, err := strconv.Unquote(l.Value); err == nil && flagWord.MatchString(text) {
						found.add(file.Path, t.at(l.Pos())+" "+l.Value)
					}
				}
				return true
			})
		}
	}
	return found.findings()
}

// internalInSurface finds exported functions, methods, fields and aliases of the library that are of a type which no program can
// name.
func internalInSurface(t *Tree) []finding {
	found := counts{}
	for _, folder := range libraryFolders(t) {
		for _, file := range folder.Code() {
			hidden := map[string]bool{} // names of imports
			for _, i := range file.Syntax.Imports {
				p, _ := strconv.Unquote(i.Path.Value)
				if internalPath(p) && i.Name == nil {
					hidden[path.Base(p)] = true
				} else if internalPath(p) {
					hidden[i.Name.Name] = true
				}
			}
			if len(hidden) > 0 {
				surface(file, func(name string, of ast.Node) {
					ast.Inspect(of, func(n ast.Node) bool {
						if s, is := n.(*ast.SelectorExpr); is {
							if x, is := s.X.(*ast.Ident); is && hidden[x.Name] {
								found.add(file.Path+":"+name, t.at(s.Pos())+" "+x.Name+"."+s.Sel.Name)
							}
						}
						return true
					})
				})
			}
		}
	}
	return found.findings()
}

// surface calls f with what a program sees of each exported name of a file: types of parameters and results, of exported fields,
// of methods of interfaces, and of variables.
func surface(file *File, f func(name string, of ast.Node)) {
	for _, d := range file.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(typeName(d.Recv.List[0].Type))) {
				f(functionName(d), d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						typeSurface(s.Name.Name, s.Type, f)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						f(s.Names[0].Name, s.Type)
					}
				}
			}
		}
	}
}

// typeSurface is surface of a type.
func typeSurface(name string, of ast.Expr, f func(string, ast.Node)) {
	s, is := of.(*ast.StructType)
	if !is {
		f(name, of)
		return
	}
	for _, field := range s.Fields.List {
		if len(field.Names) == 0 && ast.IsExported(typeName(field.Type)) {
			f(name, field.Type)
		}
		for _, id := range field.Names {
			if id.IsExported() {
				f(name+"."+id.Name, field.Type)
			}
		}
	}
}
