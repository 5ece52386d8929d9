package house

import (
	"go/ast"
	"go/token"
	"strings"
)

// undocumented finds exported types, functions, methods of exported types, constants and variables that no comment describes.
// For constants and variables that of their group is enough, for methods that of an interface of the module, or of fmt.Stringer
// or error, which has a method of their name. Commands export nothing.
func undocumented(t *Tree) []finding {
	found := counts{}
	promised := interfaceMethods(t)
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			exported(file, func(name string, at token.Pos, comment bool) {
				_, method, _ := strings.Cut(name, ".")
				if !comment && !promised[method] && file.Syntax.Name.Name != "main" {
					found.add(file.Path+":"+name, t.at(at)+" "+name)
				}
			})
		}
	}
	return found.findings()
}

// exported calls f with each exported name of a file and whether a comment describes it.
func exported(file *File, f func(name string, at token.Pos, comment bool)) {
	for _, d := range file.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(typeName(d.Recv.List[0].Type))) {
				f(functionName(d), d.Pos(), d.Doc != nil)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						f(s.Name.Name, s.Pos(), s.Doc != nil || d.Doc != nil && len(d.Specs) == 1)
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.IsExported() {
							f(id.Name, id.Pos(), s.Doc != nil || s.Comment != nil || d.Doc != nil)
						}
					}
				}
			}
		}
	}
}

// interfaceMethods are the names of the methods of exported interfaces that have a comment, as a whole or on the method.
func interfaceMethods(t *Tree) map[string]bool {
	names := map[string]bool{"String": true, "Error": true}
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			typeSpecs(file, func(d *ast.GenDecl, s *ast.TypeSpec) {
				i, ok := s.Type.(*ast.InterfaceType)
				if !ok || !s.Name.IsExported() {
					return
				}
				for _, m := range i.Methods.List {
					for _, id := range m.Names {
						names[id.Name] = names[id.Name] || m.Doc != nil || m.Comment != nil || s.Doc != nil || d.Doc != nil
					}
				}
			})
		}
	}
	return names
}
