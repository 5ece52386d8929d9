package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/testbrowser"
)

// evil is text that would run if it were taken for HTML.
const evil = `<img src=x onerror=\"document.title='run'\">`

const whole = `{"iteration":0,"seconds":0,"objective":10,"lower_bound":4,"relative_gap":0.6,"rank":0,"split_seconds":` +
	`{"polar":0.1},"test":{"rmse":1.5},"run":{"problem":"completion","data":"` + evil + `","lambda":2,"rows":3,"cols":4,` +
	`"parameters":[["--lambda","2"]]}}
{"iteration":1,"seconds":0.1,"objective":6,"lower_bound":5,"relative_gap":0.1,"rank":2,` +
	`"split_seconds":{"polar":0.2},"test":{"rmse":1.2}}
{"iteration":2,"seconds":0.3,"objective":5.5,"lower_bound":5.4,"relative_gap":0.01,"rank":3,"split_seconds":{"polar":0.3},` +
	`"test":{"rmse":1.1},"status":"converged","run":{"checksum":"abc123"},"spectrum":[3,2,1],"result":{"lambda":2,"rank":3,` +
	`"warnings":["` + evil + `"],"tried":[{"lambda":4,"rank":1,"rmse":1.4},{"lambda":2,"rank":3,"rmse":1.1}]}}
`

// htmlOf writes a page to a file.
func htmlOf(t *testing.T, traces ...Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, Seconds, traces); err != nil {
		t.Fatal(err)
	}
	for _, net := range []string{"src=\"http", "href=\"http", "@import", "url(http"} {
		if strings.Contains(b.String(), net) {
			t.Errorf("the page asks the network: %s", net)
		}
	}
	name := filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

// The last lines complete what the first one says of a run.
func TestReadTraceEnds(t *testing.T) {
	tr := trace(t, "r", whole)
	if tr.Run == nil || tr.Run.Problem != "completion" || tr.Run.Checksum != "abc123" || len(tr.Spectrum) != 3 ||
		len(tr.Result) == 0 {
		t.Errorf("%+v", tr)
	}
}

// inked counts the points of a canvas that have the colour of its first curve.
const inked = `(() => {
	const c = document.querySelector("#%s canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	const hex = getComputedStyle(document.documentElement).getPropertyValue("--c0").trim();
	const want = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
	let n = 0;
	for (let i = 0; i < d.length; i += 4) n += want.every((v, k) => Math.abs(d[i + k] - v) < 24) && d[i + 3] > 128;
	return n;
})()`

// A page shows all that a trace tells, on narrow and wide screens, in light and dark; text from outside stays text.
func TestHTML(t *testing.T) {
	url := htmlOf(t, trace(t, "r", whole))
	for _, c := range []struct {
		width int
		dark  bool
	}{{1400, false}, {360, true}} {
		p := testbrowser.Open(t, url, c.width, c.dark)
		p.Until("document.querySelectorAll('.u-wrap').length === 7") // gap, bracket, test, size, split, spectrum, path
		for i, curve := range []string{"gap", "bracket", "test", "size", "split", "spectrum", "path"} {
			if n := p.Eval(fmt.Sprintf(inked, curve)); len(n) < 3 {
				t.Errorf("curve %d, %s, has %s points of its colour", i, curve, n)
			}
		}
		if got := p.Eval("document.querySelectorAll('main img').length + ' ' + (document.title === 'run')"); got != "0 false" {
			t.Errorf("text from outside became HTML: %s", got)
		}
		if over := p.Eval("document.documentElement.scrollWidth - innerWidth"); over != "0" && over[0] != '-' {
			t.Errorf("at %d the page is %s wider than the screen", c.width, over)
		}
		for _, want := range []string{"abc123", "converged", "--lambda", "<img src=x", "[5.4000000, 5.5000000]"} {
			if !strings.Contains(p.Eval("document.body.innerText"), want) {
				t.Errorf("%q is not on the page", want)
			}
		}
		dark := p.Eval("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 26)"
		if dark != c.dark {
			t.Errorf("the page is dark: %v", dark)
		}
		if folder := os.Getenv("GCG_SCREENSHOTS"); folder != "" {
			p.Screenshot(filepath.Join(folder, fmt.Sprintf("run-%d.png", c.width)))
		}
	}
}

// A click on a heading sorts a table, and another one the other way around; a curve shows its values under the pointer; the axis
// of work can be chosen.
func TestHTMLClicks(t *testing.T) {
	p := testbrowser.Open(t, htmlOf(t, trace(t, "r", whole)), 1000, false)
	p.Until("document.querySelectorAll('#steps tbody tr').length === 3")
	column := "[...document.querySelectorAll('#steps tbody tr')].map((r) => r.cells[0].textContent).join(' ')"
	for _, want := range []string{"2 1 0", "0 1 2"} {
		p.Click("#steps th:nth-child(3) button")
		if got := p.Eval(column); got != want {
			t.Errorf("by objective: %s, want %s", got, want)
		}
	}
	p.Point("#bracket .u-over")
	p.Until("document.querySelector('#bracket .u-legend').innerText.includes('6')")
	p.Eval("(() => { const s = document.getElementById('work'); s.value = 'iteration'; s.dispatchEvent(new Event('change')); })()")
	p.Until("document.querySelector('#gap .u-legend').innerText.includes('iterations')")
}

// Several runs are beside each other in a table, and in each curve.
func TestHTMLOfSeveral(t *testing.T) {
	p := testbrowser.Open(t, htmlOf(t, trace(t, "first", whole), trace(t, "second", run)), 1000, false)
	p.Until("document.querySelectorAll('#runs tbody tr').length === 2")
	s := p.Eval("document.querySelector('#gap .u-legend').innerText")
	if !strings.Contains(s, "first") || !strings.Contains(s, "second") {
		t.Errorf("the legend is %q", s)
	}
}
