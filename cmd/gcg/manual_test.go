package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// slowManual are the files whose commands take seconds; they are left out by -short.
var slowManual = map[string]bool{"README.md": true, "docs/results.md": true}

// manualCommands is the number of commands that each file has at least. The other files of docs have none.
var manualCommands = map[string]int{
	"README.md": 3, "docs/getting-started.md": 8, "docs/completion.md": 19, "docs/implicit.md": 4, "docs/classification.md": 8,
	"docs/multitask.md": 5, "docs/regression.md": 10, "docs/choosing-lambda.md": 6, "docs/certificate.md": 4,
	"docs/results.md": 5, "docs/spca.md": 10, "docs/cur.md": 5, "docs/sliding.md": 3, "docs/recovery.md": 9, "docs/rpca.md": 9,
	"docs/multiview.md": 6, "docs/comparing.md": 2, "docs/serving.md": 4, "docs/sql.md": 2, "docs/side-information.md": 5,
	"docs/reproducing.md": 2,
}

// Every command of the manual runs, in the order of its file, in a folder with small files of the names that it uses. Output
// that is shown below a command is what it prints, its numbers to what --tol lets vary.
func TestManual(t *testing.T) {
	for _, name := range manualFiles(t) {
		commands := shownCommands(t, name)
		if len(commands) < manualCommands[name] || manualCommands[name] == 0 && len(commands) > 0 {
			t.Errorf("%s has %d commands, manualCommands says %d", name, len(commands), manualCommands[name])
		}
		if slowManual[name] && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			manualFolder(t)
			for _, c := range commands {
				c.run(t)
			}
		})
	}
}

// manualFiles are the README and all files of docs, as paths from the root of the repository.
func manualFiles(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("docs has %d files: %v", len(files), err)
	}
	names := []string{"README.md"}
	for _, f := range files {
		names = append(names, "docs/"+filepath.Base(f))
	}
	return names
}

// manual reads a file of the documentation, named by its path from the root of the repository.
func manual(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// manualFolder is a new current folder with the files that the guides name.
func manualFolder(t *testing.T) {
	t.Helper()
	rows(t)
	smallRatings(t)
	shop(t, "shop.db")
	write(t, map[string]string{
		"new.csv":     "user,item,rating\nzoe,3,5\nzoe,7,1\nzoe,12,4\n",
		"pairs.csv":   "user,item\n1,5\n2,9\n",
		"likes.csv":   "user,item,likes\na,x,yes\na,y,no\nb,x,yes\nb,z,no\nc,y,no\nc,z,yes\nc,x,yes\n",
		"weighed.csv": "user,item,rating,weight,offset\na,x,4,1,0.5\na,y,2,2,0\nb,x,5,1,-0.5\nb,z,1,0,0\nc,y,2,1,0\nc,z,1,0.5,0\n",
		"clicks.csv":  "user,item\n1,5\n2,9\nann,3\nann,7\n4,bonus\n5,bonus\n",
		"users.txt":   "1\n2\n3\n",
		"later.csv":   "user,age,occupation\nann,33,occupation2\n",
		"ann.csv":     "user,item,rating\nann,3,5\nann,7,1\n",
		"titles.csv":  "item,title\n3,Three\n7,Seven\n",
		"groups.txt":  "2.5: a b\nc noise\n",
		"overlap.txt": "a b\nb c\n",
		"times.csv":   patients(),
		"C.csv":       "2,1,0.2\n1,2,0\n0.2,0,1\n",
		"matrix.csv":  corruptedMatrix(), "entries.csv": sparseEntries(), "edges.txt": twoCircles(),
	})
}

// patients is a table of times until an event, some of them cut off.
func patients() string {
	rng, text := rand.New(rand.NewPCG(7, 7)), "age,dose,months,died\n"
	for range 40 {
		age, dose := rng.NormFloat64(), rng.NormFloat64()
		at, end, died := rng.ExpFloat64()*math.Exp(dose-age), 2*rng.ExpFloat64(), 1
		if end < at {
			at, died = end, 0
		}
		text += fmt.Sprintf("%.3f,%.3f,%.1f,%d\n", age, dose, 10*at, died)
	}
	return text
}

// A shownCommand is a line `$ gcg …` of a block of the manual, and the lines of output shown below it.
type shownCommand struct {
	at     string // file:line
	args   []string
	output []string
}

// shownCommands are those of the blocks ```console of a file. Other commands of such a block, and commands outside of one, are
// errors.
func shownCommands(t *testing.T, name string) (commands []shownCommand) {
	t.Helper()
	inside := false
	for i, line := range strings.Split(manual(t, name), "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		args, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case isCommand && (!inside || !strings.HasPrefix(args, "gcg ")):
			t.Errorf("%s: %q is not run: it is not gcg, or not in a console block", at, line)
		case isCommand:
			commands = append(commands, shownCommand{at: at, args: strings.Fields(args)[1:]})
		case inside && len(commands) == 0:
			t.Errorf("%s: output without a command", at)
		case inside:
			last := &commands[len(commands)-1]
			last.output = append(last.output, line)
		}
	}
	return commands
}

// run runs the command and compares what it prints with what is shown.
func (c shownCommand) run(t *testing.T) {
	t.Helper()
	out, errs, code := command(t, c.args...)
	if code != 0 {
		t.Errorf("%s: exit %d: %s", c.at, code, errs)
		return
	}
	if len(c.output) == 0 {
		return
	}
	printed := strings.Split(strings.TrimRight(out, "\n"), "\n")
	for i, shown := range c.output {
		if shown == "…" && i == len(c.output)-1 { // the rest is left out
			return
		}
		if i >= len(printed) || !sameLine(shown, printed[i], c.slack(i)) {
			t.Errorf("%s: line %d is shown as %q, and printed is\n%s", c.at, i+1, shown, out)
			return
		}
	}
	if len(printed) != len(c.output) {
		t.Errorf("%s: %d lines are shown, and printed is\n%s", c.at, len(c.output), out)
	}
}

var manualRank = regexp.MustCompile(`, rank \d+`) // of a model in a line that says more

var manualNumber = regexp.MustCompile(`\d+(\.\d+)?(e[-+]\d+)?`)

// slack is what the k-th number of a line of output may be off, relative to its size: what the tolerance of a run leaves open.
// Counts, ids and names are exact, and an objective is of second order in what its parts are off.
func (c shownCommand) slack(line int) func(k int, number string) float64 {
	key, _, _ := strings.Cut(c.output[line], " ")
	table := strings.Contains(c.output[0], " lambda ") // of a path or a cross-validation
	return func(k int, number string) float64 {
		switch {
		case key == "data" || key == "model" || key == "user":
			return 0
		case key == "rank":
			return 0.2
		case key == "objective" && k == 0:
			return 1e-4
		case table && !strings.Contains(number, "."): // a rank: directions of tiny weights come and go within a gap of 1e-3
			return 0.5
		case table && strings.HasPrefix(number, "0.00"): // a standard error
			return 0.1
		}
		return 1e-3
	}
}

// sameLine compares a shown line with a printed one: words exactly, times, steps and gaps not at all, and numbers to the slack
// that they have. A shown line that ends with … is compared as far as it goes.
func sameLine(shown, printed string, slack func(k int, number string) float64) bool {
	if begin, ok := strings.CutSuffix(shown, " …"); ok {
		words := strings.Fields(printed)
		shown, printed = begin, strings.Join(words[:min(len(words), len(strings.Fields(begin)))], " ")
	}
	stable := func(s string) string {
		s = gaps.ReplaceAllString(counts.ReplaceAllString(times.ReplaceAllString(s, "TIME s"), "after N iterations"), "gap GAP")
		return manualRank.ReplaceAllString(s, ", rank N")
	}
	a, b := stable(shown), stable(printed)
	words := func(s string) string { return strings.Join(strings.Fields(manualNumber.ReplaceAllString(s, "#")), " ") }
	if words(a) != words(b) {
		return false
	}
	x, y := manualNumber.FindAllString(a, -1), manualNumber.FindAllString(b, -1)
	for k := range x {
		v, _ := strconv.ParseFloat(x[k], 64)
		w, _ := strconv.ParseFloat(y[k], 64)
		if math.Abs(v-w) > slack(k, x[k])*math.Abs(v) {
			return false
		}
	}
	return true
}

// corruptedMatrix is a 12×8 matrix of rank one with a few entries that are off.
func corruptedMatrix() string {
	var b strings.Builder
	for i := range 12 {
		for j := range 8 {
			x := math.Sin(float64(i+1)) * math.Cos(float64(2*j+1))
			if (5*i+3*j)%17 == 0 {
				x += 5
			}
			fmt.Fprintf(&b, "%s%.6f", map[bool]string{true: ",", false: ""}[j > 0], x)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// sparseEntries are most entries of a 50×50 matrix of rank two with few rows and columns that are not 0.
func sparseEntries() string {
	b := new(strings.Builder)
	b.WriteString("row,column,value\n")
	for i := range 50 {
		for j := range 50 {
			if (7*i+11*j)%5 < 2 {
				continue
			}
			x := 0.01 * math.Sin(float64(31*i+17*j))
			if i%4 == 0 && j%5 == 0 {
				x += math.Cos(float64(i)) * math.Sin(float64(j+1))
			}
			fmt.Fprintf(b, "%d,%d,%.6f\n", i+1, j+1, x)
		}
	}
	return b.String()
}

// twoCircles are the edges of two groups of nodes, most of each.
func twoCircles() string {
	var b strings.Builder
	for i := range 24 {
		for j := range i {
			if i%2 == j%2 && (i*j+i)%5 != 1 {
				fmt.Fprintf(&b, "n%d n%d\n", i, j)
			}
		}
	}
	return b.String()
}
