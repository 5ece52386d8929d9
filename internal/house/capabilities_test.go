package house

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
)

// asks are the folders that may find out at run time which optional interfaces a noun has.
const asks = ". internal/view/... conform"

// capabilityAssertions counts, by file, type assertions and cases of type switches on interfaces of the root package, or on ones
// that embed them, outside of asks. An assertion on a type parameter is one too: it asks for whatever the caller names.
func capabilityAssertions(t *Tree) []finding {
	found := counts{}
	nouns := interfaces(t.Folder("."))
	for _, folder := range t.Folders {
		if Within(folder.Path, asks) {
			continue
		}
		own := embedders(t, folder, nouns)
		for _, file := range folder.Code() {
			is := capability{nouns, own, rootName(t, file)}
			for _, d := range file.Syntax.Decls {
				parameters := typeParameters(d)
				asserted(d, func(e ast.Expr) {
					if name := is.name(e); name != "" || parameters[typeName(e)] {
						found.add(file.Path, t.at(e.Pos())+" .("+typeName(e)+")")
					}
				})
			}
		}
	}
	return found.findings()
}

// asserted calls f with the type of each assertion and of each case of a type switch.
func asserted(n ast.Node, f func(ast.Expr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				f(n.Type)
			}
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					f(e)
				}
			}
		}
		return true
	})
}

// interfaces are the names of the interfaces of a folder, without those that only constrain type parameters.
func interfaces(folder *Folder) map[string]bool {
	names := map[string]bool{}
	if folder == nil {
		return names
	}
	for _, file := range folder.Code() {
		typeSpecs(file, func(_ *ast.GenDecl, s *ast.TypeSpec) {
			if i, ok := s.Type.(*ast.InterfaceType); ok && !constraint(i) {
				names[s.Name.Name] = true
			}
		})
	}
	return names
}

// constraint says whether an interface has a union of types among its elements.
func constraint(i *ast.InterfaceType) bool {
	for _, m := range i.Methods.List {
		switch e := m.Type.(type) {
		case *ast.UnaryExpr:
			return true
		case *ast.BinaryExpr:
			return e.Op == token.OR
		}
	}
	return false
}

// capability tells which types are interfaces of the root package.
type capability struct {
	nouns map[string]bool // of the root package
	own   map[string]bool // of this one, that embed them or are other names for them
	root  string          // what the file calls the root package, or ""
}

// name is that of the interface of the root package that e is or embeds, or "".
func (c capability) name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && c.root != "" && x.Name == c.root && c.nouns[e.Sel.Name] {
			return e.Sel.Name
		}
	case *ast.Ident:
		if c.own[e.Name] {
			return e.Name
		}
	case *ast.ParenExpr:
		return c.name(e.X)
	case *ast.InterfaceType:
		for _, m := range e.Methods.List {
			if len(m.Names) == 0 {
				if name := c.name(m.Type); name != "" {
					return name
				}
			}
		}
	}
	return ""
}

// embedders are the types of a folder that embed an interface of the root package, or are another name of one.
func embedders(t *Tree, folder *Folder, nouns map[string]bool) map[string]bool {
	own := map[string]bool{}
	for before := -1; before < len(own); { // until embedding what embeds adds nothing
		before = len(own)
		for _, file := range folder.Code() {
			is := capability{nouns, own, rootName(t, file)}
			typeSpecs(file, func(_ *ast.GenDecl, s *ast.TypeSpec) {
				if is.name(s.Type) != "" {
					own[s.Name.Name] = true
				}
			})
		}
	}
	return own
}

// rootName is what a file calls the root package, or "" if it does not import it.
func rootName(t *Tree, file *File) string {
	for _, spec := range file.Syntax.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); imported != t.Module {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		if root := t.Folder("."); root != nil && len(root.Code()) > 0 {
			return root.Code()[0].Syntax.Name.Name
		}
		return path.Base(t.Module)
	}
	return ""
}

// typeParameters are the names of a function's.
func typeParameters(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	if f, ok := d.(*ast.FuncDecl); ok && f.Type.TypeParams != nil {
		for _, field := range f.Type.TypeParams.List {
			for _, id := range field.Names {
				names[id.Name] = true
			}
		}
	}
	return names
}

// rootInterfaces counts the interfaces of the root package.
func rootInterfaces(t *Tree) []finding {
	n := len(interfaces(t.Folder(".")))
	return []finding{{".", n, []string{". declares " + strconv.Itoa(n) + " interfaces"}}}
}
