package house

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A word is one that is no longer used in names.
//
// How it is matched is told by how it is written: "pile" wherever it is a word of a name (pile, pileSize, newPile); "=inner" if
// it is the whole name, in capitals or not; "Seen!" if it is exactly that; "State.Scale" if it is exactly that field or method of
// that type. Several are separated by spaces.
type word struct{ old, now, folders string }

// retired are the names that have been given up, with what took their place, and where a name means something else elsewhere
// (a seen item of a user, the rest of a line) the folders in which it is retired.
var retired = []word{
	{"Places", "InterceptMap", ". operator solver/... model conform cmd/..."},
	{"Seen!", "Complement", "..."},
	{"=rest", "Complement.Norm", ". gauge solver/..."},
	{"=beyond", "Complement.Next", ". gauge solver/..."},
	{"=near", "Complement.Right", ". gauge solver/..."},
	{"RefreshNear!", "Complement.Right", "..."},
	{"=sides =sidesTo =newSides =addedSides =scaledSides", "Projections", ". gauge solver/..."},
	{"look", "bound search", "gauge"},
	{"=slowLooks =shrinkLook", "bound search", "solver/..."},
	{"unseen", "missed spectrum", "gauge"},
	{"pace", "bound schedule", "..."},
	{"magnified", "rescaled", "..."},
	{"levelled", "centred", "..."},
	{"crew", "workers", "..."},
	{"shelf", "free list", "..."},
	{"pile", "free list", "..."},
	{"walk", "path search", "cmd/... selection/... task/..."},
	{"study", "task", "..."},
	{"trial", "fitting", "cmd/... selection/... task/..."},
	{"doubts", "warnings", "..."},
	{"doubt", "modelError, warning", "..."},
	{"doubtful", "uncertain", "..."},
	{"forget", "hide unseen ids", "cmd/... task/... model"},
	{"=over", "normExcess", "solver/... gauge conform loss"},
	{"slack", "complementarity", "solver/... gauge loss"},
	{"=inner", "gapWithin, or innerProduct", ". solver/..."},
	{"=far", "gapAll", ". gauge solver/..."},
	{"Slope!", "Lambda", "..."},
	{"outskirts", "complementInfo", "..."},
	{"expectation", "forecast", "solver/..."},
	{"foretold", "predicted", "..."},
	{"shed", "dropVanishing", "solver/..."},
	{"regain", "bringBack", "solver/..."},
	{"=takeIn =takeInWanted", "addPairs", "..."},
	{"homeward", "toTolerance", "..."},
	{"=aim", "setGoal", "solver/..."},
	{"hope", "expectedDecrease", "..."},
	{"hopeless", "expectedDecrease", "..."},
	{"=growing", "rankGrowing", "..."},
	{"=few", "nearlyFound", "solver/..."},
	{"formation", "formPolicy", "..."},
	{"trail", "andersonState", "..."},
	{"=moments", "predictionFree", "solver/..."},
	{"=point", "snapshot", "solver/..."},
	{"State.Grain", "RoundingScale", "..."},
	{"State.Scale", "LossAtZero", "..."},
	{"Fresh!", "OutsideW", "..."},
	{"Together!", "Stacked", "..."},
	{"Reach!", "LooseGoal", "..."},
	{"faint", "underflows", "..."},
	{"tail", "lowRankCorrection", "solver/..."},
	{"sharp", "inFloat64", "solver/... gauge"},
}

// retiredInComments are those that mean nothing else in a sentence about this program.
var retiredInComments = map[string]string{
	"levelled": "centred", "magnified": "rescaled", "outskirts": "complement", "foretold": "predicted", "homeward": "to tolerance",
	"crew": "workers", "shelf": "free list", "shelves": "free lists", "regain": "bring back", "faint": "near underflow",
}

// wordsOf splits a name where its capitals are.
func wordsOf(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || edge(runes, i) {
			words = append(words, strings.ToLower(strings.Trim(string(runes[start:i]), "_")))
			start = i
		}
	}
	return words
}

// edge says whether a word of a name begins at i > 0: fooBar, HTTPServer, foo_bar, foo32.
func edge(name []rune, i int) bool {
	before, here := name[i-1], name[i]
	switch {
	case before == '_' || unicode.IsDigit(here) != unicode.IsDigit(before):
		return true
	case unicode.IsUpper(here) && !unicode.IsUpper(before):
		return true
	}
	return unicode.IsUpper(here) && i+1 < len(name) && unicode.IsLower(name[i+1])
}

// is says whether a name of these words is retired; of is the type of a field or a method, or "".
func (w word) is(of, name string, words []string) bool {
	return slices.ContainsFunc(strings.Fields(w.old), func(old string) bool {
		if whole, ok := strings.CutPrefix(old, "="); ok {
			return strings.EqualFold(name, whole)
		}
		if exact, ok := strings.CutSuffix(old, "!"); ok {
			return name == exact
		}
		if t, member, ok := strings.Cut(old, "."); ok {
			return of == t && name == member
		}
		return slices.Contains(words, strings.ToLower(old))
	})
}

// retiredWords counts, by file and name, where a retired name is declared: files, packages, types, functions, fields, constants,
// variables and parameters, in tests too. Names of other modules are theirs.
func retiredWords(t *Tree) []finding {
	found := counts{}
	for _, folder := range t.Folders {
		var here []word
		for _, w := range retired {
			if Within(folder.Path, w.folders) {
				here = append(here, w)
			}
		}
		for _, file := range folder.Files {
			if file.Generated {
				continue
			}
			report := func(of, name, at string) {
				words := wordsOf(name)
				for _, w := range here {
					if w.is(of, name, words) {
						found.add(file.Path+":"+name, at+" "+name+", now "+w.now)
						return
					}
				}
			}
			base, _, _ := strings.Cut(path.Base(file.Path), ".")
			report("", strings.TrimSuffix(base, "_test"), file.Path+":1 the file")
			declared(file.Syntax, func(of string, id *ast.Ident) { report(of, id.Name, t.at(id.Pos())) })
		}
	}
	return found.findings()
}

// declared calls f with each name that a file declares, and the type that it is a field or a method of.
func declared(file *ast.File, f func(of string, id *ast.Ident)) {
	fields := map[*ast.Field]string{}
	members := func(of string, list *ast.FieldList) {
		for _, field := range list.List {
			fields[field] = of
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			f("", n.Name)
		case *ast.FuncDecl:
			of := ""
			if n.Recv != nil {
				of = typeName(n.Recv.List[0].Type)
			}
			f(of, n.Name)
		case *ast.TypeSpec:
			f("", n.Name)
			switch t := n.Type.(type) {
			case *ast.StructType:
				members(n.Name.Name, t.Fields)
			case *ast.InterfaceType:
				members(n.Name.Name, t.Methods)
			}
		case *ast.Field:
			for _, id := range n.Names {
				f(fields[n], id)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				f("", id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				idents(f, n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				idents(f, n.Key, n.Value)
			}
		}
		return true
	})
}

func idents(f func(string, *ast.Ident), names ...ast.Expr) {
	for _, e := range names {
		if id, ok := e.(*ast.Ident); ok {
			f("", id)
		}
	}
}

// retiredComments counts, by file and word, the retired words of comments.
func retiredComments(t *Tree) []finding {
	found := counts{}
	letters := regexp.MustCompile(`\pL+`)
	for _, folder := range t.Folders {
		for _, file := range folder.Files {
			if file.Generated {
				continue
			}
			for _, group := range file.Syntax.Comments {
				for _, c := range group.List {
					for _, w := range letters.FindAllString(c.Text, -1) {
						w = strings.ToLower(w)
						if now, ok := retiredInComments[w]; ok {
							found.add(file.Path+":"+w, t.at(c.Pos())+" "+w+", now "+now)
						}
					}
				}
			}
		}
	}
	return found.findings()
}

// vague are words that say nothing of what a package or a file holds.
var vague = map[string]bool{"util": true, "utils": true, "helper": true, "helpers": true, "manager": true, "managers": true,
	"common": true, "misc": true}

// vagueNames finds packages, folders and files with such names.
func vagueNames(t *Tree) []finding {
	found := counts{}
	for _, folder := range t.Folders {
		if vague[path.Base(folder.Path)] {
			found.add(folder.Path, folder.Path)
		}
		for _, file := range folder.Files {
			base, _, _ := strings.Cut(path.Base(file.Path), ".")
			for _, part := range wordsOf(base) {
				if vague[part] {
					found.add(file.Path, file.Path+":1 the file")
				}
			}
			if vague[strings.TrimSuffix(file.Syntax.Name.Name, "_test")] {
				found.add(file.Path, t.at(file.Syntax.Name.Pos())+" the package")
			}
		}
	}
	return found.findings()
}
