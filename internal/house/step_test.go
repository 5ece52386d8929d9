package house

import "go/ast"

// loop is the file with the only call of Method.Step.
const loop = "solver/run.go"

// stepCallers finds calls of a method Step with as many arguments as Method.Step has, but for the one of the loop. That the loop
// has none, or several, is a finding too: the rule would hold nothing.
func stepCallers(t *Tree) []finding {
	parameters, declared := stepParameters(t)
	if declared == "" {
		return []finding{{"Method.Step", 1, []string{"no interface Method with a method Step is declared"}}}
	}
	found, inLoop := counts{}, counts{}
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			ast.Inspect(file.Syntax, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != parameters {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); !ok || s.Sel.Name != "Step" {
					return true
				}
				if file.Path == loop {
					inLoop.add(loop, t.at(call.Pos())+" calls Step")
				} else {
					found.add(file.Path, t.at(call.Pos())+" calls Step")
				}
				return true
			})
		}
	}
	switch in := inLoop[loop]; {
	case in == nil:
		found.add(loop, loop+":1 calls no Step")
	case in.number > 1:
		found[loop] = &finding{loop, in.number - 1, in.at}
	}
	return found.findings()
}

// stepParameters is how many parameters the method Step of the interface Method has, and where that is declared.
func stepParameters(t *Tree) (parameters int, at string) {
	for _, folder := range t.Folders {
		for _, file := range folder.Code() {
			typeSpecs(file, func(_ *ast.GenDecl, s *ast.TypeSpec) {
				i, ok := s.Type.(*ast.InterfaceType)
				if !ok || s.Name.Name != "Method" {
					return
				}
				for _, m := range i.Methods.List {
					if f, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && m.Names[0].Name == "Step" {
						for _, field := range f.Params.List {
							parameters += max(1, len(field.Names))
						}
						at = t.at(m.Pos())
					}
				}
			})
		}
	}
	return parameters, at
}
