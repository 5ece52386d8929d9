package reproduce

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/report"
)

// Each table and figure has a file that names what there is; ids are those of the paper.
func TestSpecs(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range list {
		word := map[string]string{"Figure": "fig", "Table": "table"}[strings.Fields(s.What)[0]]
		if want := strings.ToLower(s.Paper) + "-" + word + strings.Fields(s.What)[1]; s.ID != want || seen[s.ID] {
			t.Errorf("%s is the id of %s, %s", s.ID, s.Paper, s.What)
		}
		seen[s.ID] = true
		for _, name := range s.Columns {
			if _, err := quantityOf(name); err != nil && !strings.Contains(" rows cols train test noise ", " "+name+" ") {
				t.Errorf("%s: %v", s.ID, err)
			}
		}
		for _, p := range s.Draw {
			if axes[p.X] == nil && p.X != "size" {
				t.Errorf("%s draws against %q", s.ID, p.X)
			}
		}
	}
	if len(list) != 32 {
		t.Errorf("%d experiments", len(list))
	}
	for text, want := range map[string]string{
		`{"id": "a", "size": 3}`: "unknown field",
		`{"id": "a"}`:            "needs id",
		`{"id":"a","paper":"b","what":"c","title":"d","about":"e","kind":"magic"}`: "kind",
		`{"id":"a","paper":"b","what":"c","title":"d","about":"e","kind":"classes","scale":1,"solvers":["gcg"],"cases":[{"name":"x"}],
		  "claims":[{"kind":"less","text":"t","solver":"nobody","of":"seconds"}]}`: "nobody",
		`{"id":"a","paper":"b","what":"c","title":"d","about":"e","kind":"classes","scale":1,"solvers":["gcg"],"cases":[{"name":"x"}],
		  "claims":[{"kind":"less","text":"t","solver":"gcg","of":"beauty"}]}`: "beauty",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Each case is built from generated data, and its solvers are known.
func TestCases(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		for i := range s.Cases {
			c := &s.Cases[i]
			b, err := builders[s.Kind](context.Background(), c, place{scale: s.Scale / 20, seed: 1})
			if err != nil {
				t.Errorf("%s, %s: %v", s.ID, c.Name, err)
				continue
			}
			if b.data == "" || !(b.contest.Problem.Penalty.Deriv(1) > 0 || b.contest.Problem.Penalty.Max() == 1) {
				t.Errorf("%s, %s: %q, λ = %v", s.ID, c.Name, b.data, b.contest.Problem.Penalty.Deriv(1))
			}
			named := b.named
			if named == nil {
				named = experiment.Named
			}
			for _, word := range s.solversOf(c) {
				if _, err := named(word); err != nil {
					t.Errorf("%s: %v", s.ID, err)
				}
			}
		}
	}
}

// Data are found where gcg data get unpacks them: ratings in one file, and views of digits without a file of classes.
func TestUnpackedData(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, lines int, line func(i int) string) {
		var b bytes.Buffer
		for i := range lines {
			b.WriteString(line(i) + "\n")
		}
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, rating := range map[string]string{"ml-100k/u.data": "%d\t%d\t%d\t88", "ml-1m/ratings.dat": "%d::%d::%d::88",
		"ml-10M100K/ratings.dat": "%d::%d::%d::88"} {
		write(name, 400, func(i int) string { return fmt.Sprintf(rating, i/20, 3*i%20, 1+i*i%5) })
	}
	for _, name := range []string{"mfeat-fou", "mfeat-zer"} {
		write(name, 200, func(i int) string { return fmt.Sprintf("  %d.5   0.%d -%d.25", i%7, i, i%3) })
	}
	for id, want := range map[string]string{"zhang12-fig1": "ml-100k/u.data", "yu17-fig2": "ml-1m/ratings.dat",
		"yu17-fig3": "ml-10M100K/ratings.dat", "zhang12-fig2": "ml-1m/ratings.dat", "zhang12-fig6": "mfeat-fou"} {
		s, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		b, err := builders[s.Kind](context.Background(), &s.Cases[0], place{folder: folder, scale: s.Scale, seed: 1})
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if !strings.HasPrefix(b.data, want+" (sha256 ") {
			t.Errorf("%s: %s", id, b.data)
		}
		if s.Kind == "completion" && (b.numbers["train"] < 150 || b.numbers["train"]+b.numbers["test"] > 400 || !b.real ||
			s.Cases[0].Lambda > 0 && b.contest.Problem.Penalty.Deriv(1) != s.Cases[0].Lambda) {
			t.Errorf("%s: %v", id, b.numbers)
		}
	}
}

// racedOf is a case with runs that reach 1 + 10^-i after i times so many seconds.
func racedOf(size float64, seconds map[string]float64) *Raced {
	k := &Raced{Case: &Case{Name: "case", Printed: map[string]float64{"objective": 1.0001}}, Real: true, Lambda: size,
		Numbers: map[string]float64{"size": size}}
	for _, name := range []string{"quick", "slow", "stuck"} {
		per, is := seconds[name]
		if !is {
			continue
		}
		var tr report.Trace
		for i := range 5 {
			lower := 1.0
			q := report.Point{Iteration: i, Seconds: per * float64(i), Objective: 1 + math.Pow(10, -float64(i)), LowerBound: &lower}
			if name == "stuck" {
				q.Objective = 2
			}
			tr.Points = append(tr.Points, q)
		}
		k.Runs = append(k.Runs, experiment.Run{Solver: name, Traces: []report.Trace{tr}})
	}
	k.ending = endingOf(k.Runs, "")
	return k
}

// Claims hold or fail by what was measured, and the verdict by the claims.
func TestClaims(t *testing.T) {
	k := racedOf(10, map[string]float64{"quick": 1, "slow": 30, "stuck": 1})
	larger := racedOf(20, map[string]float64{"quick": 2, "slow": 240, "stuck": 1})
	middle := racedOf(14, map[string]float64{"quick": 1.4, "slow": 85, "stuck": 1})
	for _, c := range []struct {
		claim Claim
		holds bool
	}{
		{Claim{Kind: "less", Solver: "quick", Than: []string{"slow", "stuck"}, Of: "seconds@0.01"}, true},
		{Claim{Kind: "less", Solver: "slow", Than: []string{"quick"}, Of: "seconds@0.01"}, false},
		{Claim{Kind: "less", Solver: "quick", Than: []string{"slow"}, Of: "seconds@0.01", Factor: 100}, false},
		{Claim{Kind: "less", Solver: "stuck", Than: []string{"quick"}, Of: "seconds@0.01"}, false},
		{Claim{Kind: "least", Solver: "stuck", Of: "above", Value: 0.4}, true},
		{Claim{Kind: "least", Solver: "quick", Of: "above", Value: 0.4}, false},
		{Claim{Kind: "most", Than: []string{"quick", "slow"}, Of: "above", Value: 1e-3}, true},
		{Claim{Kind: "most", Than: []string{"quick", "stuck"}, Of: "above", Value: 1e-3}, false},
		{Claim{Kind: "printed", Solver: "quick", Of: "objective", Within: 1e-3}, true},
		{Claim{Kind: "printed", Solver: "stuck", Of: "objective", Within: 1e-3}, false},
		{Claim{Kind: "slope", Solver: "quick", Than: []string{"slow"}, Of: "seconds", Value: 1.5}, true},
		{Claim{Kind: "slope", Solver: "slow", Than: []string{"quick"}, Of: "seconds"}, false},
		{Claim{Kind: "spread", Than: []string{"quick", "slow"}, Of: "objective", Value: 1e-9}, true},
		{Claim{Kind: "spread", Than: []string{"quick", "stuck"}, Of: "objective", Value: 1e-9}, false},
		{Claim{Kind: "chosen", Solver: "quick", Of: "seconds", Value: 10}, true},
		{Claim{Kind: "chosen", Solver: "quick", Of: "seconds", Value: 20}, false},
	} {
		o := c.claim.judge([]*Raced{k, middle, larger})
		if o.Holds != c.holds || !o.Judged {
			t.Errorf("%+v: %+v", c.claim, o)
		}
	}
	if o := (&Claim{Kind: "slope", Solver: "quick", Than: []string{"slow"}, Of: "seconds"}).judge([]*Raced{k, larger}); o.Holds {
		t.Errorf("an exponent of two sizes: %+v", o)
	}
	k.Real = false
	if o := (&Claim{Kind: "printed", Solver: "quick", Of: "objective", Real: true}).judge([]*Raced{k}); o.Judged || o.Holds {
		t.Errorf("a number of real data is judged on others: %+v", o)
	}
	s := &Spec{Ours: "quick", Method: "slow", Gap: 0.01}
	yes, no, open := Outcome{Judged: true, Holds: true}, Outcome{Judged: true}, Outcome{}
	for want, outcomes := range map[string][]Outcome{Better: {yes, open}, NotReproduced: {yes, no}} {
		if got, _ := s.verdict([]*Raced{k}, outcomes); got != want {
			t.Errorf("%v: %s", outcomes, got)
		}
	}
	s.Method = "quick"
	for want, outcomes := range map[string][]Outcome{Reproduced: {yes, yes}, NotReproduced: {open}} {
		if got, _ := s.verdict([]*Raced{k}, outcomes); got != want {
			t.Errorf("%v: %s", outcomes, got)
		}
	}
}

// A small run makes a report in every form; a folder without the data means generated ones.
func TestRun(t *testing.T) {
	s, err := Find("zhang12-fig4")
	if err != nil {
		t.Fatal(err)
	}
	short := *s
	short.Seconds, short.Iter = 1, 5
	folder := t.TempDir()
	r, err := short.Run(context.Background(), Options{Scale: 0.1, Seed: 1, Data: folder})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows()) != len(s.Solvers) || r.Verdict == "" || r.Cases[0].Real || !strings.Contains(r.Cases[0].Data, "generated") {
		t.Errorf("%d rows, %q, %q", len(r.Rows()), r.Verdict, r.Cases[0].Data)
	}
	if err := Save(filepath.Join(folder, "out"), []*Report{r}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"report.html": "<svg", "report.md": "| classes | gcg |", "report.json": `"verdict"`,
		"zhang12-fig4.csv": "classes,gcg", "zhang12-fig4-score-seconds.svg": "error rate"} {
		text, err := os.ReadFile(filepath.Join(folder, "out", name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q", name, err, want)
		}
	}
	var b bytes.Buffer
	if err := r.Text(&b); err != nil || !strings.Contains(b.String(), r.Why) {
		t.Errorf("%v, %s", err, b.String())
	}
	text, err := json.Marshal(r)
	var back struct {
		Verdict string
		Rows    []struct{ Values map[string]float64 }
	}
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || back.Verdict != r.Verdict || len(back.Rows) != len(s.Solvers) || !(back.Rows[0].Values["objective"] > 0) {
		t.Errorf("%v, %s", err, text)
	}
	if _, err := Find("yu17-fig99"); err == nil || !strings.Contains(err.Error(), "gcg reproduce list") {
		t.Error(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := short.Run(ended, Options{Scale: 0.1}); err == nil {
		t.Error("a run whose context has ended has no error")
	}
}
