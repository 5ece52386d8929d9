package reproduce

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/report/page"
)

// A Row is what one solver came to on one case.
type Row struct {
	Case   string             `json:"case"`
	Solver string             `json:"solver"`
	Status string             `json:"status,omitempty"`
	Error  string             `json:"error,omitempty"`
	Data   string             `json:"data"`
	Real   bool               `json:"real_data"`
	Lambda float64            `json:"lambda"`
	Values map[string]float64 `json:"values,omitempty"`
	Print  map[string]float64 `json:"printed,omitempty"`
}

// Rows are those of all cases.
func (r *Report) Rows() (rows []Row) {
	for _, k := range r.Cases {
		for i := range k.Runs {
			run := &k.Runs[i]
			row := Row{Case: k.Case.Name, Solver: run.Solver, Status: string(run.Status), Data: k.Data, Real: k.Real, Lambda: k.Lambda,
				Values: map[string]float64{}, Print: k.Case.Printed}
			if run.Err != nil {
				row.Error = run.Err.Error()
			}
			for _, name := range append(slices.Sorted(maps.Keys(quantities)), r.Spec.Columns...) {
				if x, ok := k.value(run.Solver, name); ok {
					row.Values[name] = x
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// MarshalJSON is the report for scripts.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID      string    `json:"id"`
		Paper   string    `json:"paper"`
		What    string    `json:"what"`
		Verdict string    `json:"verdict"`
		Why     string    `json:"why"`
		Seed    uint64    `json:"seed"`
		Scale   float64   `json:"scale"`
		Seconds float64   `json:"seconds"`
		Claims  []Outcome `json:"claims"`
		Rows    []Row     `json:"rows"`
	}{r.Spec.ID, r.Spec.Paper, r.Spec.What, r.Verdict, r.Why, r.Seed, r.Scale, r.Seconds, r.Outcomes, r.Rows()})
}

// Table is the rows with the columns of the experiment, and the printed numbers beside them.
func (r *Report) Table() *experiment.Table {
	t := &experiment.Table{Heads: []string{"case", "solver"}, Numbers: []bool{false, false}}
	columns := r.Spec.Columns
	printed := map[string]bool{}
	for _, k := range r.Cases {
		for name := range k.Case.Printed {
			printed[name] = true
		}
	}
	for _, name := range columns {
		head := name
		if name == "score" || name == "least score" {
			head = strings.Replace(name, "score", "test "+r.score(), 1)
		}
		t.Heads, t.Numbers = append(t.Heads, head), append(t.Numbers, true)
		if printed[name] {
			t.Heads, t.Numbers = append(t.Heads, "printed"), append(t.Numbers, true)
		}
	}
	t.Heads, t.Numbers = append(t.Heads, "end"), append(t.Numbers, false)
	for _, k := range r.Cases {
		for i := range k.Runs {
			run := &k.Runs[i]
			row := []string{k.Case.Name, run.Solver}
			for _, name := range columns {
				x, ok := k.value(run.Solver, name)
				row = append(row, cell(x, ok))
				if printed[name] {
					x, ok = k.Case.Printed[name]
					row = append(row, cell(x, ok))
				}
			}
			end := string(run.Status)
			if run.Err != nil {
				end = run.Err.Error()
			}
			t.Add(append(row, end)...)
		}
	}
	return t
}

// score is the name of the test score, or nothing.
func (r *Report) score() string {
	for _, k := range r.Cases {
		if k.Score != "" {
			return k.Score
		}
	}
	return "score"
}

func cell(x float64, ok bool) string {
	if !ok {
		return "-"
	}
	return short(x)
}

// claims is the table of what the paper says.
func (r *Report) claims() *experiment.Table {
	t := &experiment.Table{Heads: []string{"the paper says", "holds", "measured"}}
	for _, o := range r.Outcomes {
		holds := "no"
		switch {
		case !o.Judged:
			holds = "not judged"
		case o.Holds:
			holds = "yes"
		}
		t.Add(o.Text, holds, o.Why)
	}
	return t
}

// machine says where the run was.
func machine() string {
	return fmt.Sprintf("%s/%s, %d processors, %s", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version())
}

// data are the cases with what they were run on, one line each.
func (r *Report) data() (lines []string) {
	seen := map[string]bool{}
	for _, k := range r.Cases {
		line := k.Data
		if len(r.Cases) > 1 {
			line = k.Case.Name + ": " + k.Data
		}
		if !seen[k.Data] {
			seen[k.Data], lines = true, append(lines, line)
		}
	}
	return lines
}

// Markdown writes the report.
func (r *Report) Markdown(w io.Writer) error {
	s := r.Spec
	fmt.Fprintf(w, "## %s, %s: %s\n\n**%s**\n\n%s\n\n", s.Paper, s.What, s.Title, r.Why, s.About)
	fmt.Fprintf(w, "Data: %s. Scale %g, seed %d, %.1f s.\n\n", strings.Join(r.data(), "; "), r.Scale, r.Seed, r.Seconds)
	if err := r.Table().Markdown(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := r.claims().Markdown(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// textWidth is what a table has room for on most terminals.
const textWidth = 80

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	s := r.Spec
	fmt.Fprintf(w, "%s, %s: %s\n%s\n\n", s.Paper, s.What, s.Title, r.Why)
	for _, line := range r.data() {
		fmt.Fprintf(w, "data: %s\n", line)
	}
	fmt.Fprintf(w, "scale %g, seed %d\n\n", r.Scale, r.Seed)
	if err := r.Table().Text(w, textWidth); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return r.claims().Text(w, 0)
}

// heading begins a report of several experiments.
func heading(all []*Report) (title, summary string) {
	counts, seconds := map[string]int{}, 0.0
	for _, r := range all {
		counts[r.Verdict]++
		seconds += r.Seconds
	}
	return "The papers' tables and figures", fmt.Sprintf("%d of them: %d reproduced, %d better, %d not reproduced; %.0f s on %s.",
		len(all), counts[Reproduced], counts[Better], counts[NotReproduced], seconds, machine())
}

// overview is one line for each experiment.
func overview(all []*Report) *experiment.Table {
	t := &experiment.Table{Heads: []string{"id", "paper", "what", "verdict", "why"}}
	for _, r := range all {
		t.Add(r.Spec.ID, r.Spec.Paper, r.Spec.What, r.Verdict, r.Why)
	}
	return t
}

// Markdown writes reports, a table of verdicts first where there are several.
func Markdown(w io.Writer, all []*Report) error {
	if len(all) > 1 {
		title, summary := heading(all)
		fmt.Fprintf(w, "# %s\n\n%s\n\n", title, summary)
		if err := overview(all).Markdown(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, r := range all {
		if err := r.Markdown(w); err != nil {
			return err
		}
	}
	return nil
}

// html is a table as HTML.
func html(t *experiment.Table) string {
	return page.Table{Heads: t.Heads, Numbers: t.Numbers, Rows: t.Rows}.HTML()
}

// HTML writes reports with their plots as one page.
func HTML(w io.Writer, all []*Report) error {
	title, summary := heading(all)
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p>%s</p>\n", page.Text(title), page.Text(summary))
	if len(all) > 1 {
		b.WriteString(page.Wide("Verdicts", html(overview(all))))
	}
	for _, r := range all {
		s := r.Spec
		var in strings.Builder
		fmt.Fprintf(&in, "<p><strong>%s</strong></p>\n<p>%s</p>\n", page.Text(r.Why), page.Text(s.About))
		fmt.Fprintf(&in, "<p>%s</p>\n", page.Text(fmt.Sprintf("Data: %s. Scale %g, seed %d, %.1f s.", strings.Join(r.data(), "; "),
			r.Scale, r.Seed, r.Seconds)))
		in.WriteString(html(r.Table()) + html(r.claims()))
		pictures, err := r.Pictures()
		if err != nil {
			return err
		}
		for _, p := range pictures {
			in.Write(p.SVG)
		}
		b.WriteString(page.Wide(s.Paper+", "+s.What+": "+s.Title, in.String()))
	}
	return page.Page{Title: title, Body: b.String()}.Write(w)
}

// Save writes reports to a file of the ending .html or .md, or to a folder: report.html, report.md, report.json, and of each
// experiment a table and its plots.
func Save(output string, all []*Report) error {
	switch filepath.Ext(output) {
	case ".html":
		return atomicfile.Write(output, func(w io.Writer) error { return HTML(w, all) })
	case ".md":
		return atomicfile.Write(output, func(w io.Writer) error { return Markdown(w, all) })
	}
	if err := os.MkdirAll(output, 0o777); err != nil {
		return err
	}
	write := func(name string, f func(w io.Writer) error) error {
		return atomicfile.Write(filepath.Join(output, name), f)
	}
	for _, r := range all {
		if err := write(r.Spec.ID+".csv", r.Table().CSV); err != nil {
			return err
		}
		pictures, err := r.Pictures()
		if err != nil {
			return err
		}
		for _, p := range pictures {
			if err := write(p.Name+".svg", func(w io.Writer) error { _, err := w.Write(p.SVG); return err }); err != nil {
				return err
			}
		}
	}
	if err := write("report.json", func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(all)
	}); err != nil {
		return err
	}
	if err := write("report.md", func(w io.Writer) error { return Markdown(w, all) }); err != nil {
		return err
	}
	return write("report.html", func(w io.Writer) error { return HTML(w, all) })
}
