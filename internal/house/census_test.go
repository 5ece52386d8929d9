package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// TestCensus counts what the module is made of and, seen with -v, prints it. What the rules count must agree with it.
func TestCensus(t *testing.T) {
	tree, err := module()
	if err != nil {
		t.Fatal(err)
	}
	out := new(strings.Builder)
	folders := censusOfFolders(out, tree)
	whole := censusOfCode(out, tree)
	censusOfRules(out, tree)
	t.Logf("\n%s", out)
	if folders != len(tree.Folders) || whole.interfaces < whole.rootInterfaces || whole.exported == 0 {
		t.Errorf("the census missed something: %+v of %d folders", whole, folders)
	}
}

// censusOfFolders prints files and lines, folder by folder, generated files left out.
func censusOfFolders(out *strings.Builder, tree *Tree) (folders int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\tfiles\tlines\ttest files\ttest lines\t")
	var all [4]int
	for _, folder := range tree.Folders {
		var n [4]int
		for _, file := range folder.Files {
			switch {
			case file.Test:
				n[2]++
				n[3] += file.Lines
			case !file.Generated:
				n[0]++
				n[1] += file.Lines
			}
		}
		for i := range all {
			all[i] += n[i]
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", folder.Path, n[0], n[1], n[2], n[3])
		folders++
	}
	fmt.Fprintf(w, "all\t%d\t%d\t%d\t%d\t\n", all[0], all[1], all[2], all[3])
	w.Flush()
	return folders
}

// sums are what a module has in all.
type sums struct {
	interfaces, rootInterfaces, assertions, capabilities int
	constants, bare, tolerances                          int
	exported, exportedTypes, exportedFunctions           int
	functions, files, folders                            []finding
}

// censusOfCode prints what is counted over all folders.
func censusOfCode(out *strings.Builder, tree *Tree) sums {
	var s sums
	s.rootInterfaces = len(interfaces(tree.Folder(".")))
	s.capabilities = total(capabilityAssertions(tree))
	s.tolerances = total(inlineTolerances(tree))
	for _, folder := range tree.Folders {
		for _, file := range folder.Code() {
			s.count(folder, file)
		}
	}
	s.functions, s.files, s.folders = longest(functionLines(tree)), longest(fileLines(tree)), longest(folderFiles(tree))
	fmt.Fprintf(out, "\n%6d interfaces in the root package\n", s.rootInterfaces)
	fmt.Fprintf(out, "%6d interfaces in all\n", s.interfaces)
	fmt.Fprintf(out, "%6d assertions on capabilities outside of internal/view, conform and the root\n", s.capabilities)
	fmt.Fprintf(out, "%6d type assertions and cases of type switches in all\n", s.assertions)
	fmt.Fprintf(out, "%6d named constants in solver, %d of them without a comment\n", s.constants, s.bare)
	fmt.Fprintf(out, "%6d inline tolerances in solver\n", s.tolerances)
	fmt.Fprintf(out, "%6d exported identifiers outside of commands and internal/, %d types and %d functions among them\n",
		s.exported, s.exportedTypes, s.exportedFunctions)
	for _, f := range s.functions {
		fmt.Fprintf(out, "%6d lines: function %s\n", f.number, f.key)
	}
	for _, f := range s.files {
		fmt.Fprintf(out, "%6d lines: file %s\n", f.number, f.key)
	}
	for _, f := range s.folders {
		fmt.Fprintf(out, "%6d files: folder %s\n", f.number, f.key)
	}
	return s
}

// count adds one file.
func (s *sums) count(folder *Folder, file *File) {
	typeSpecs(file, func(_ *ast.GenDecl, spec *ast.TypeSpec) {
		if i, ok := spec.Type.(*ast.InterfaceType); ok && !constraint(i) {
			s.interfaces++
		}
	})
	asserted(file.Syntax, func(ast.Expr) { s.assertions++ })
	constants(folder, file, func(spec *ast.ValueSpec, comment bool) {
		s.constants += len(spec.Names)
		if !comment {
			s.bare += len(spec.Names)
		}
	})
	if Within(folder.Path, "cmd/...") || slices.Contains(strings.Split(folder.Path, "/"), "internal") {
		return
	}
	exported(file, func(string, token.Pos, bool) { s.exported++ })
	for _, d := range file.Syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
			s.exportedFunctions++
		}
	}
	typeSpecs(file, func(_ *ast.GenDecl, spec *ast.TypeSpec) {
		if spec.Name.IsExported() {
			s.exportedTypes++
		}
	})
}

// censusOfRules prints how many exceptions each rule needs and by how much they pass its limit.
func censusOfRules(out *strings.Builder, tree *Tree) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nrule\tlimit\texceptions\towed\t")
	for _, r := range rules {
		owed := 0
		violations := r.violations(tree)
		for _, v := range violations {
			owed += v.number - r.limit
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", r.name, r.limit, len(violations), owed)
	}
	w.Flush()
}

func total(found []finding) int {
	sum := 0
	for _, f := range found {
		sum += f.number
	}
	return sum
}

// longest are the three largest.
func longest(found []finding) []finding {
	slices.SortFunc(found, func(a, b finding) int { return cmp.Compare(b.number, a.number) })
	return found[:min(3, len(found))]
}
