package house

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy are what a program that solves does not link: plots, fonts, command lines, servers, drivers.
var heavy = []string{"github.com/spf13/", "gonum.org/v1/plot", "codeberg.org/go-pdf/", "golang.org/x/image/", "net/http",
	"html/template", "text/template", "database/sql",
	"modernc.org/", "github.com/jackc/", "github.com/parquet-go/", "github.com/prometheus/",
	"github.com/seed-b18ef778/gcg/internal/report", "github.com/seed-b18ef778/gcg/internal/experiment",
	"github.com/seed-b18ef778/gcg/internal/canvas", "github.com/seed-b18ef778/gcg/cmd"}

// A program that imports the root, the solvers and the tasks links none of it.
func TestLibraryIsLight(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command")
	}
	cmd := exec.Command("go", "list", "-deps", ".", "./operator", "./loss", "./gauge", "./solver", "./selection", "./model")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("the go command is not there: %v", err)
	}
	all := strings.Fields(string(out))
	if len(all) < 100 {
		t.Fatalf("%d packages", len(all))
	}
	for _, name := range all {
		for _, h := range heavy {
			if name == strings.TrimSuffix(h, "/") || strings.HasPrefix(name, strings.TrimSuffix(h, "/")+"/") {
				t.Errorf("a program that imports the library links %s", name)
			}
		}
	}
}
