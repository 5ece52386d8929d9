package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"golang.org/x/term"
)

// Progress shows a run: one live line on a terminal, a log line every few seconds elsewhere, nothing when quiet.
type Progress struct {
	out     io.Writer
	live    bool
	quiet   bool
	verbose bool
	tol     float64
	began   time.Time
	last    time.Time // of a line that is one of many
	line    liveLine
	page    *livePage // of --live, or nil
}

// LogEvery is the time between log lines where there is no terminal; golden files have none, however slow the machine.
var LogEvery = 3 * time.Second

// NewProgress is the progress that the flags ask for.
func NewProgress(out io.Writer, f *RunFlags) *Progress {
	p := Steps(out, f.Quiet, f.detail)
	p.tol = f.Tol
	return p
}

// Steps is the progress of a search that has no run of its own: nothing where quiet, all of it where verbose.
func Steps(out io.Writer, quiet, verbose bool) *Progress {
	p := &Progress{out: out, quiet: quiet, verbose: verbose, began: time.Now(), last: time.Now()}
	if file, ok := printable.Behind(out).(*os.File); ok {
		p.live = term.IsTerminal(int(file.Fd())) && !verbose
		p.line = liveLine{out: file, width: func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0
			}
			return width
		}}
	}
	return p
}

// Say prints a line of its own.
func (p *Progress) Say(text string) {
	if p.page != nil {
		p.page.say(text)
	}
	if p.quiet {
		return
	}
	p.close()
	printable.Line(p.out, text)
}

// Step says how far a search has come, which the next step makes old: on the live line of a terminal, and elsewhere every few
// seconds, or always where all is to be told.
func (p *Progress) Step(text string) {
	if p.page != nil {
		p.page.say(text)
	}
	switch {
	case p.quiet:
	case p.live:
		p.line.show(text, time.Since(p.began))
	case p.verbose || time.Since(p.last) >= LogEvery:
		p.last = time.Now()
		fmt.Fprintln(p.out, text)
	}
}

// warn says what --quiet must not hide.
func (p *Progress) warn(text string) {
	if p.page != nil {
		p.page.say("warning: " + text)
	}
	p.close()
	printable.Line(p.out, "warning: "+text)
}

// wantsTest says whether the next event will show the test error.
func (p *Progress) wantsTest() bool {
	return !p.quiet && (p.verbose || p.live || time.Since(p.last) >= LogEvery)
}

func (p *Progress) event(e solver.Event, size selection.Size, test selection.Measured) {
	if !p.wantsTest() {
		return
	}
	p.last = time.Now()
	c, gap := e.State.Cert, "-" // before any bound
	if _, relative := c.Bracket(); relative != nil {
		gap = fmt.Sprintf("%.2e", *relative)
	}
	text := fmt.Sprintf("iteration %d  objective %.8g  gap %s  %s", e.Iter, c.Objective, gap, size)
	if test != nil {
		text += "  test " + Brief(test.Scores())
	}
	if p.live {
		p.line.show(p.bar(c.Relative)+" "+text, e.Elapsed)
		return
	}
	fmt.Fprintf(p.out, "%s  %.1f s\n", text, e.Elapsed.Seconds())
}

// farBelow warns where λ is a small part of the smallest with W = 0, κ°(-∇ℓ(0)), which the state knows if it is at 0: whoever
// takes a λ from another problem, or from one without weights, waits for a solution of full rank.
func (p *Progress) farBelow(lambda float64, s *gcg.State) {
	if s.Rho == 0 && s.Polar != nil && lambda < farPart*s.Polar.Value {
		p.Say(fmt.Sprintf("λ is %.1e of the smallest with W = 0, %.4g: this may take long, and fit noise; see --lambda-ratio",
			lambda/s.Polar.Value, s.Polar.Value))
	}
}

// farPart is far below the end of a path.
const farPart = 1e-4

// bar fills as the logarithm of the gap falls from 1 to the tolerance.
func (p *Progress) bar(gap float64) string {
	const width = 10
	done := int(width * math.Min(1, math.Max(0, math.Log(gap)/math.Log(math.Min(p.tol, 0.5)))))
	return "[" + strings.Repeat("=", done) + strings.Repeat(" ", width-done) + "]"
}

// close ends the live line.
func (p *Progress) close() { p.line.end() }

// Done ends what is shown, before something else is printed.
func (p *Progress) Done() { p.close() }
