package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/report/page"
)

// uPlot draws the curves of a page: version 1.6.32 of github.com/leeoniya/uPlot, by Leon Sorokin, under the MIT licence.
var (
	//go:embed uplot/uPlot.iife.min.js
	uplot string
	//go:embed uplot/uPlot.min.css
	uplotStyle string
	//go:embed uplot/LICENSE
	uplotLicence string
	//go:embed runs.js
	runsScript string
)

// A pageData is what the script of a page reads.
type pageData struct {
	Runs  []pageRun `json:"runs"`
	Live  bool      `json:"live,omitempty"`
	Token string    `json:"token,omitempty"`
}

type pageRun struct {
	Name     string          `json:"name"`
	Points   []Point         `json:"points"`
	Run      *Run            `json:"run,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Spectrum []float64       `json:"spectrum,omitempty"`
}

// HTML writes a page of runs that stands alone: convergence with its bracket, errors on test data, rank, the split of time, the
// spectrum, the λ that were tried, parameters, data, warnings, and a table of steps, or of runs where there are several. Curves
// begin against an axis.
func HTML(w io.Writer, against Axis, traces []Trace) error {
	if len(traces) == 0 {
		return fmt.Errorf("report: no traces to draw")
	}
	d := pageData{}
	for _, t := range traces {
		run := pageRun{t.Name, t.Points, t.Run, t.Result, t.Spectrum}
		if len(run.Points) > mostPagePoints {
			run.Points = nil
			for i := range mostPagePoints {
				run.Points = append(run.Points, t.Points[i*(len(t.Points)-1)/(mostPagePoints-1)])
			}
		}
		d.Runs = append(d.Runs, run)
	}
	title := common(traces)
	if title == "" {
		title = names(traces)
	}
	return runsPage(title, against, d).Write(w)
}

// mostPagePoints is the most points of a run on a page.
const mostPagePoints = 3000

// LiveHTML writes the page of a run that goes on. Its script asks for state?from=N and posts to stop, both with a token in the
// header X-Token.
func LiveHTML(w io.Writer, title, token string) error {
	d := pageData{Live: true, Token: token, Runs: []pageRun{{Name: title, Points: []Point{}}}}
	return runsPage(title, Seconds, d).Write(w)
}

// runsPage is the page of either: cards that the script fills, or hides where there is nothing for them.
func runsPage(title string, against Axis, d pageData) page.Page {
	var b strings.Builder
	fmt.Fprintf(&b, "<header><h1 id=\"title\">%s</h1>\n", page.Text(title))
	if d.Live {
		b.WriteString("<p class=\"screen\"><button class=\"plain\" id=\"stop\" type=\"button\">Stop the run</button> " +
			"<span id=\"live\" role=\"status\">running</span></p>\n")
	}
	b.WriteString("<p class=\"screen\"><label>curves against <select id=\"work\">")
	for _, x := range []Axis{Seconds, "iteration", Gradients, Polars} {
		chosen := ""
		if x == against {
			chosen = " selected"
		}
		fmt.Fprintf(&b, "<option%s>%s</option>", chosen, x)
	}
	b.WriteString("</select></label></p>\n<noscript><p class=\"warning\">The curves and tables of this page are drawn by its own " +
		"script, which is switched off.</p></noscript></header>\n<main class=\"cards\">\n")
	number := []bool{false, false, true, true, true, true, true, true}
	runs := page.Table{ID: "runs", Heads: []string{"run", "status", "objective", "lower bound", "gap", "rank or nonzeros",
		"iterations", "seconds"}, Numbers: number}
	steps := page.Table{ID: "steps", Heads: []string{"iteration", "seconds", "objective", "lower bound", "gap", "rank or nonzeros",
		"test"}, Numbers: []bool{true, true, true, true, true, true, true}}
	parameters := page.Table{ID: "parameters", Heads: []string{"flag", "value"}}
	facts := func(id string) string { return fmt.Sprintf("<dl class=\"facts\" id=\"%s\"></dl>\n", id) }
	b.WriteString(page.Wide("Warnings", `<div id="warnings"></div>`))
	b.WriteString(page.Section("", "Result", facts("summary")) + page.Section("", "Data and problem", facts("datafacts")))
	b.WriteString(page.Wide("Runs", runs.HTML()))
	for _, c := range [][2]string{{"gap", "Certified relative gap"}, {"bracket", "Objective and lower bound"},
		{"test", "Error on test data"},
		{"size", "Size of W"}, {"split", "Time spent"}, {"spectrum", "Singular values of W"}, {"path", "λ that were tried"}} {
		b.WriteString(page.Section("", c[1], fmt.Sprintf(`<div class="chart" id="%s"></div>`, c[0])))
	}
	b.WriteString(page.Section("", "Parameters", parameters.HTML()) + page.Wide("Steps", steps.HTML()))
	if d.Live {
		b.WriteString(page.Wide("Log", `<pre id="said"></pre>`))
	}
	fmt.Fprintf(&b, "</main>\n<details class=\"screen\"><summary>Licence of uPlot, which draws the curves</summary><pre>%s</pre>"+
		"</details>", page.Text(uplotLicence))
	return page.Page{Title: title, Body: b.String(), Data: d, Styles: []string{uplotStyle, runsStyle},
		Scripts: []string{uplot, runsScript}, Connects: d.Live}
}

// runsStyle makes the legends of curves wrap, and their text that of the page.
const runsStyle = `.u-legend { font-size: .85rem; text-align: left; } .u-legend th { font-weight: 400; border: 0; }
.u-legend td, .u-legend tr { border: 0; } .chart { width: 100%; overflow: hidden; }
pre { white-space: pre-wrap; font-size: .85rem; }
.u-wrap canvas { max-width: 100%; } [hidden] { display: none !important; }
`
