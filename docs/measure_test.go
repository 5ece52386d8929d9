package docs

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	measure = flag.String("measure", "", "measure the tables of results.md and scale.md whose heading matches, and write them anew")
	keep    = flag.String("keep", "", "keep the results of -measure in this folder, for gcg report --cost")
)

// A measured table of the manual has the last columns of its rows from runs. A comment before it says from which:
//
//	<!-- measured 3 times: objective relative_gap rank cpu_seconds
//	fit completion --train DATA/movielens-100k/ua.base --lambda 20
//	-->
//
// with a command for each row of the table, whose result has the numbers by these names: medians of so many runs, in which all
// rows take turns. DATA is the folder of the public datasets.
type measuredTable struct {
	page    string
	text    string // from the comment on
	heading string
	times   int
	keys    []string
	runs    []string // commands
	rows    []string // lines of the table, without its head
}

var (
	measuredBlock = regexp.MustCompile(`(?s)<!-- measured (\d+) times?: ([^\n]*)\n(.*?)-->\n\n?((?:\|[^\n]*\n)+)`)
	headings      = regexp.MustCompile(`(?m)^## (.*)$`)
)

// measuredTables finds them on a page.
func measuredTables(page, text string) (all []measuredTable) {
	for _, at := range measuredBlock.FindAllStringSubmatchIndex(text, -1) {
		t := measuredTable{page: page, text: text[at[0]:at[1]], keys: strings.Fields(text[at[4]:at[5]])}
		fmt.Sscan(text[at[2]:at[3]], &t.times)
		for _, h := range headings.FindAllStringSubmatch(text[:at[0]], -1) {
			t.heading = h[1]
		}
		t.runs = strings.Split(strings.TrimSpace(text[at[6]:at[7]]), "\n")
		t.rows = strings.Split(strings.TrimSuffix(text[at[8]:at[9]], "\n"), "\n")[2:]
		all = append(all, t)
	}
	return all
}

// Each row of a measured table has a command, and a number for each name. With -measure they are run, and the pages written.
func TestMeasuredTables(t *testing.T) {
	for _, page := range []string{"results.md", "scale.md"} {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		tables := measuredTables(page, text)
		if len(tables) == 0 {
			t.Errorf("%s has no measured table", page)
		}
		for _, m := range tables {
			if len(m.runs) != len(m.rows) || m.times < 1 {
				t.Errorf("%s, %s: %d commands for %d rows", page, m.heading, len(m.runs), len(m.rows))
				continue
			}
			for _, row := range m.rows {
				if cells := strings.Count(row, "|") - 1; cells <= len(m.keys) {
					t.Errorf("%s, %s: %d cells for %d numbers: %s", page, m.heading, cells, len(m.keys), row)
				}
			}
			if *measure != "" && regexp.MustCompile(*measure).MatchString(m.heading) {
				head := strings.TrimSuffix(m.text, strings.Join(m.rows, "\n")+"\n")
				text = strings.Replace(text, m.text, head+strings.Join(m.measured(t), "\n")+"\n", 1)
				if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// measured runs all commands and returns the rows with what they found.
func (m measuredTable) measured(t *testing.T) []string {
	gcg := filepath.Join(t.TempDir(), "gcg")
	if out, err := exec.Command("go", "build", "-o", gcg, "../cmd/gcg").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	data, err := filepath.Abs("../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, line := range measuredFiles {
		run(t, dir, gcg, strings.Fields(line))
	}
	found := make([][][]float64, len(m.runs)) // by row and key, of each run
	for range m.times {
		for k, line := range m.runs {
			r := run(t, dir, gcg, append(strings.Fields(strings.ReplaceAll(line, "DATA", data)), "--json", "--quiet"))
			m.keep(t, k, r)
			if found[k] == nil {
				found[k] = make([][]float64, len(m.keys))
			}
			for c, key := range m.keys {
				found[k][c] = append(found[k][c], number(r, key))
			}
			t.Logf("%s: %v", line, found[k])
		}
	}
	rows := slices.Clone(m.rows)
	for k, row := range rows {
		cells := strings.Split(strings.Trim(row, "|"), "|")
		first := len(cells) - len(m.keys)
		for c, key := range m.keys {
			slices.Sort(found[k][c])
			cells[first+c] = " " + written(key, found[k][c][len(found[k][c])/2]) + " "
		}
		rows[k] = "|" + strings.Join(cells, "|") + "|"
	}
	return rows
}

// keep writes a result to where -keep says.
func (m measuredTable) keep(t *testing.T, row int, r map[string]any) {
	if *keep == "" {
		return
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("%s-%d.json", m.heading, row+1)), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// measuredFiles are the generated files that commands name.
var measuredFiles = []string{
	"data generate classes-100 --output z.libsvm --test-output zt.libsvm",
	"data generate classes-500 --correlation 0.1 --output d1.libsvm --test-output d1t.libsvm",
	"data generate classes-500 --correlation 0.9 --output d9.libsvm --test-output d9t.libsvm",
}

func run(t *testing.T, dir, gcg string, args []string) (result map[string]any) {
	cmd := exec.Command(gcg, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if args[0] != "data" {
		if err := json.Unmarshal(out, &result); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	return result
}

// number is a number of a result by its name, such as test.rmse.
func number(r map[string]any, key string) float64 {
	head, rest, more := strings.Cut(key, ".")
	if more {
		inner, _ := r[head].(map[string]any)
		return number(inner, rest)
	}
	x, _ := r[key].(float64)
	return x
}

// written is a number as the tables have it.
func written(key string, x float64) string {
	switch {
	case key == "objective" || key == "lambda":
		return fmt.Sprintf("%.7g", x)
	case key == "rank" || key == "nonzeros" || key == "iterations" || key == "observations":
		return fmt.Sprintf("%.0f", x)
	case key == "peak_memory_bytes":
		return fmt.Sprintf("%.2g GB", x/1e9)
	case strings.HasPrefix(key, "test."):
		return fmt.Sprintf("%.4g", x)
	}
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
