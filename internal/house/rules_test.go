package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// A rule finds what it forbids. Its findings are numbers with a key that lines may move under, a folder or a file and a name.
type rule struct {
	name  string
	limit int    // what a finding's number may be at most
	mend  string // what to do about one
	find  func(*Tree) []finding
}

// A finding is a number to hold against the limit of its rule.
type finding struct {
	key    string
	number int
	at     []string // file:line and what is there, for people
}

var rules = []rule{
	{"imports", 0, "imports run one way, see the table `rooms` in internal/house/imports_test.go: move what is shared down, " +
		"or what uses it up; a new folder or dependency needs a line there", importDirections},
	{"capabilities", 0, "ask view.Of(problem) instead: only internal/view, conform and the root's fallbacks " +
		"assert an optional interface", capabilityAssertions},
	{"step", 0, "solver/run.go holds the only loop: give solver.Run a Method", stepCallers},
	{"interfaces", 17, "an interface that one package asks for is declared by that package", rootInterfaces},
	{"functions", 60, "split it where a comment would say what follows", functionLines},
	{"columns", 0, "break lines of more than 130 columns", longLines},
	{"inside", 25, "test what the package exports (package foo_test), and what is within only where nothing " +
		"else shows it", insideTests},
	{"tolerances", 0, "name it, with a comment that says what it trades", inlineTolerances},
	{"constants", 0, "say in a comment what the number trades and what measurement it rests on", bareConstants},
	{"retired", 0, "use the name that took its place, see the table `retired` in internal/house/words_test.go", retiredWords},
	{"comments", 0, "write the term that took its place, see the table `retiredInComments` " +
		"in internal/house/words_test.go", retiredComments},
	{"documented", 0, "begin a comment above it that says what it is", undocumented},
	{"named files", 0, "a package's comment names files that are there: say what holds that now", missingFiles},
	{"flags", 0, "the library names fields: give errors a param.Name, for which the command has a flag", flagsInTexts},
	{"signatures", 0, "no program can name a type of an internal package: move it out, or unexport what needs it",
		internalInSurface},
	{"vague", 0, "name packages and files after what they hold", vagueNames},
}

// violations are the findings of a rule beyond its limit.
func (r rule) violations(t *Tree) []finding {
	return slices.DeleteFunc(r.find(t), func(f finding) bool { return f.number <= r.limit })
}

// counts gathers findings of which there may be several under one key.
type counts map[string]*finding

func (c counts) add(key, at string) {
	if c[key] == nil {
		c[key] = &finding{key: key}
	}
	c[key].number++
	c[key].at = append(c[key].at, at)
}

// findings are sorted by key.
func (c counts) findings() []finding {
	var all []finding
	for _, key := range slices.Sorted(maps.Keys(c)) {
		all = append(all, *c[key])
	}
	return all
}

// at is where a node stands.
func (t *Tree) at(pos token.Pos) string {
	p := t.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// lines is how many lines a node takes.
func (t *Tree) lines(n ast.Node) int {
	return t.Fset.Position(n.End()).Line - t.Fset.Position(n.Pos()).Line + 1
}

// functionName is how exceptions call a function: F, T.F or (*T).F.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
		return "(*" + typeName(star.X) + ")." + d.Name.Name
	}
	return typeName(d.Recv.List[0].Type) + "." + d.Name.Name
}

// typeName is the name of a type without its package and its parameters, or "".
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// typeSpecs calls f with each type that a file declares.
func typeSpecs(file *File, f func(*ast.GenDecl, *ast.TypeSpec)) {
	for _, d := range file.Syntax.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			for _, s := range d.Specs {
				f(d, s.(*ast.TypeSpec))
			}
		}
	}
}
