package house

import (
	"path"
	"strconv"
	"strings"
)

// What the nouns stand on, and what a method of solver/ may use besides its own folders.
const (
	nouns  = ". internal/... operator loss gauge/..."
	leaves = "solver/internal/hessian solver/internal/factor"
	runs   = nouns + " gauge/... solver/..."
)

// rooms says for every folder of the module which others it may import; the first line that matches a folder counts. Tests import
// what they like.
//
//	internal ← cluster ← root ← {operator, gauge, loss} ← internal/view, solver/internal/hessian ← the methods ← solver
//	        ← {baseline, selection} ← task ← experiment ← cmd
var rooms = []struct{ folder, imports string }{
	{"internal/house", ""},
	{"internal/testproblem", nouns + " gauge/rowscolumns"},
	{"internal/testrun", runs + " internal/... conform"},
	{"internal/report", "metric internal/report/page internal/..."}, // never solves
	{"internal/report/page", ""},
	{"internal/baseline/...", runs + " gauge/... internal/baseline/..."},
	{"internal/experiment/...", runs + " internal/... baseline selection/... task/... metric dataset/... model conform"},
	{"internal/allcells", ". internal/..."},
	{"internal/output", "dataset internal/..."},
	{"internal/synthetic", "dataset internal/..."},
	{"internal/gaugeword", ". dataset gauge gauge/rowscolumns internal/..."},
	{"internal/second", runs + " dataset"},
	{"internal/trace", runs + " selection"},
	{"internal/warning", runs + " metric"},
	{"internal/serve", "model dataset internal/..."}, // answers, and fits nothing
	{"internal/view", ". internal/..."},
	{"internal/spectral", ". internal/..."},
	{"internal/...", "internal/..."},
	{".", "cluster internal/..."},
	{"cluster", "internal/..."}, // ranks and their sums: knows no problem
	{"cluster/mpi", "cluster internal/..."},
	{"operator", ". cluster internal/..."},
	{"operator/...", ". internal/..."},
	{"loss/...", ". internal/..."},
	{"gauge/views", ". gauge internal/..."}, // whose polars of large maps are those of the trace norm
	{"gauge/...", ". internal/..."},
	{"conform", ". internal/..."},

	{"dataset", "cluster internal/..."},     // bytes to flat slices: knows no problem
	{"dataset/...", "dataset internal/..."}, // dataset/sql with drivers, which only the command imports
	{"metric", "dataset cluster internal/..."},
	{"model", ". dataset dataset/features cluster internal/..."}, // predicts without a loss, a gauge or a solver

	{leaves, nouns + " " + leaves},
	{"solver/internal/fixedrank/...", nouns + " " + leaves + " solver/internal/fixedrank/..."},
	{"solver/conditional/...", nouns + " " + leaves + " solver/conditional/..."},
	{"solver/support/...", nouns + " " + leaves + " solver/support/..."},
	{"solver/fixedrank/...", nouns + " " + leaves + " solver/internal/fixedrank/..."},
	{"solver/dense/...", nouns + " " + leaves + " solver/internal/fixedrank/model/... solver/dense/..."},
	{"solver/views/...", nouns + " gauge/views " + leaves + " solver/views/..."},
	{"solver/coordinate/...", nouns + " " + leaves + " " + "solver/internal/hessian/... solver/coordinate/..."},
	{"solver/convex/...", nouns + " " + leaves + " solver/convex/..."},
	{"solver/hybrid/...", nouns + " " + leaves + " solver/hybrid/..."},
	{"solver/recovery/...", nouns + " " + leaves + " solver/recovery/..."},
	{"solver/spca/...", nouns + " " + leaves + " solver/spca/..."},
	{"solver/structured/...", nouns + " " + leaves + " solver/structured/..."},
	{"solver/sliding/...", nouns + " " + leaves + " solver/sliding/..."},
	{"solver/cur/...", nouns + " gauge/rowscolumns " + leaves + " solver/cur/..."},
	{"solver", runs},

	{"baseline", runs},
	{"selection/...", runs + " metric dataset model"},
	{"task/...", runs + " operator/... gauge/... selection/... metric dataset dataset/features model task/... cluster"},
	{"cmd/...", "..."},
}

// outside says for packages of other modules, and a few of the standard library, which folders may import them.
var outside = []struct{ imported, folders string }{
	{"github.com/spf13/...", "cmd/..."},
	{"flag", "cmd/..."},
	{"golang.org/x/term", "cmd/..."},
	{"github.com/cespare/xxhash/...", "task"},
	{"github.com/prometheus/...", "internal/serve"},
	{"github.com/jackc/pgx/...", "dataset/sql"},
	{"modernc.org/...", "dataset/sql"},
	{"github.com/klauspost/compress/...", "dataset"},
	{"golang.org/x/image/...", "internal/canvas"},
	{"codeberg.org/go-pdf/fpdf", "internal/canvas"},
	{"github.com/parquet-go/parquet-go/...", "dataset/parquet"},
	{"golang.org/x/sys/...", "internal/..."},
	{"golang.org/x/text/...", "internal/text"},
	{"gonum.org/v1/gonum/...", "..."},
}

// importDirections finds imports that neither table allows, by folder and imported package, and folders that stand in no table.
func importDirections(t *Tree) []finding {
	found := counts{}
	for _, folder := range t.Folders {
		code := folder.Code()
		if len(code) == 0 {
			continue
		}
		allowed, known := roomOf(folder.Path)
		if !known {
			found.add(folder.Path, code[0].Path+":1 the folder has no line in the table")
			continue
		}
		for _, file := range code {
			for _, spec := range file.Syntax.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					panic(err)
				}
				if name, ok := t.mayImport(folder.Path, allowed, imported); !ok {
					found.add(folder.Path+"<-"+name, t.at(spec.Pos())+" imports "+name)
				}
			}
		}
	}
	return found.findings()
}

// roomOf is what a folder may import.
func roomOf(folder string) (allowed string, known bool) {
	for _, r := range rooms {
		if Within(folder, r.folder) {
			return r.imports, true
		}
	}
	return "", false
}

// mayImport says whether a folder may import a package, and how the table calls that.
func (t *Tree) mayImport(folder, allowed, imported string) (name string, ok bool) {
	if imported == t.Module || strings.HasPrefix(imported, t.Module+"/") {
		name = path.Join(".", strings.TrimPrefix(strings.TrimPrefix(imported, t.Module), "/"))
		return name, Within(name, allowed)
	}
	for _, o := range outside {
		if Within(imported, o.imported) {
			return imported, Within(folder, o.folders)
		}
	}
	first, _, _ := strings.Cut(imported, "/")
	return imported, !strings.Contains(first, ".") // the standard library has no dots
}
