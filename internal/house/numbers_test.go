package house

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"
)

// plain says whether a floating-point literal speaks for itself: an integer up to 16, a half, or a guard against overflow and
// underflow, 1e300 and beyond or 1e-300 and below. All others steer something, and have a name.
func plain(literal string) bool {
	v, _ := constant.Float64Val(constant.MakeFromLiteral(literal, token.FLOAT, 0))
	return v == 0.5 || v >= 1e300 || v <= 1e-300 || v == math.Trunc(v) && v <= 16
}

// inlineTolerances counts, by folder of solver/, the floating-point literals in the bodies of functions that are not plain. A
// constant that a function declares is a name for one, see bareConstants.
func inlineTolerances(t *Tree) []finding {
	found := counts{}
	for _, folder := range t.Folders {
		if !Within(folder.Path, "solver/...") {
			continue
		}
		for _, file := range folder.Code() {
			bodies(file, func(body ast.Node) {
				ast.Inspect(body, func(n ast.Node) bool {
					if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
						return false
					}
					if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.FLOAT && !plain(l.Value) {
						found.add(folder.Path, t.at(l.Pos())+" "+l.Value)
					}
					return true
				})
			})
		}
	}
	return found.findings()
}

// bodies calls f with the bodies of functions, also of those in the values of variables.
func bodies(file *File, f func(ast.Node)) {
	for _, d := range file.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				f(d.Body)
			}
		case *ast.GenDecl:
			outermost(d, func(l *ast.FuncLit) { f(l.Body) })
		}
	}
}

// bareConstants finds constants of solver/, of packages and of functions, and variables of packages that are set to a number,
// without a comment of their own. One comment on a group that counts with iota is enough.
func bareConstants(t *Tree) []finding {
	found := counts{}
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			constants(folder, file, func(s *ast.ValueSpec, comment bool) {
				if !comment {
					found.add(file.Path+":"+s.Names[0].Name, t.at(s.Pos())+" "+s.Names[0].Name)
				}
			})
		}
	}
	return found.findings()
}

// constants calls f with the named numbers of a file of solver/, and whether they have a comment.
func constants(folder *Folder, file *File, f func(s *ast.ValueSpec, comment bool)) {
	if !Within(folder.Path, "solver/...") {
		return
	}
	within := map[ast.Node]bool{} // declarations of the package
	for _, d := range file.Syntax.Decls {
		within[d] = true
	}
	ast.Inspect(file.Syntax, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST && (d.Tok != token.VAR || !within[d]) {
			return true
		}
		counted := false // by iota
		for i, s := range d.Specs {
			s := s.(*ast.ValueSpec)
			if d.Tok == token.VAR && !isNumber(s) {
				continue
			}
			counted = counted || i == 0 && usesIota(s)
			group := d.Doc != nil && (counted || !d.Lparen.IsValid() || len(d.Specs) == 1)
			f(s, s.Doc != nil || s.Comment != nil || group)
		}
		return true
	})
}

// isNumber says whether variables are set to literal numbers, or to fractions and the like of them.
func isNumber(s *ast.ValueSpec) bool {
	number := len(s.Values) > 0
	for _, v := range s.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				number = number && (n.Kind == token.FLOAT || n.Kind == token.INT)
			case nil, *ast.UnaryExpr, *ast.BinaryExpr, *ast.ParenExpr:
			default:
				number = false
			}
			return number
		})
	}
	return number
}

func usesIota(s *ast.ValueSpec) bool {
	found := false
	for _, v := range s.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == "iota"
			return !found
		})
	}
	return found
}
