// Package testbrowser opens pages in a headless Chromium, for tests: it speaks the browser's protocol over a pair of pipes.
package testbrowser

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A Page is a tab.
type Page struct {
	t       testing.TB
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
	session string
}

// switches keep the browser to itself.
var switches = []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"}

// patience is how long a page may take to do something.
const patience = 30 * time.Second

// Open opens an address at a width, in dark or light. The test is skipped where there is no Chromium.
func Open(t testing.TB, url string, width int, dark bool) *Page {
	t.Helper()
	name, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium to open the page in")
	}
	fromTest, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "testbrowser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, append(switches, "--user-data-dir="+folder)...)
	cmd.ExtraFiles = []*os.File{fromTest, toTest}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromTest.Close()
	toTest.Close()
	p := &Page{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
		out.Close()
		os.RemoveAll(folder)
	})
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1,
		"mobile": false}, nil)
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme",
		"value": scheme}}}, nil)
	p.call("Page.navigate", map[string]any{"url": url}, nil)
	p.Until("document.readyState === 'complete' && location.href !== 'about:blank'")
	return p
}

// call asks the browser for something, and reads on to its answer.
func (p *Page) call(method string, params any, answer any) {
	p.t.Helper()
	p.id++
	message := map[string]any{"id": p.id, "method": method, "params": params}
	if p.session != "" {
		message["sessionId"] = p.session
	}
	b, err := json.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(b, 0)); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	for {
		b, err := p.out.ReadBytes(0)
		if err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(b[:len(b)-1], &m); err != nil || m.ID != p.id {
			continue // an event
		}
		if m.Error != nil {
			err = errors.New(m.Error.Message)
		} else if answer != nil {
			err = json.Unmarshal(m.Result, answer)
		}
		if err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		return
	}
}

// Eval is the value of a script as text.
func (p *Page) Eval(script string) string {
	p.t.Helper()
	var r struct {
		Result struct {
			Value any
		}
		ExceptionDetails *struct{ Text string }
	}
	p.call("Runtime.evaluate", map[string]any{"expression": "String(" + script + ")", "returnByValue": true}, &r)
	if r.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", script, r.ExceptionDetails.Text)
	}
	return fmt.Sprint(r.Result.Value)
}

// Until waits for a script to be true.
func (p *Page) Until(script string) {
	p.t.Helper()
	for began := time.Now(); p.Eval(script) != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > patience {
			p.t.Fatalf("%s did not become true", script)
		}
	}
}

// center is the middle of the first element of a selector, which is scrolled to.
func (p *Page) center(selector string) (x, y float64) {
	p.t.Helper()
	find := fmt.Sprintf("document.querySelector(%q)", selector)
	at := p.Eval("(() => { const e = " + find + "; e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); " +
		"return (b.left + b.width / 2) + ' ' + (b.top + b.height / 2); })()")
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		p.t.Fatalf("%s is at %q", selector, at)
	}
	return x, y
}

// Point moves the mouse to the middle of an element.
func (p *Page) Point(selector string) {
	p.t.Helper()
	x, y := p.center(selector)
	p.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": x, "y": y}, nil)
}

// Click presses the mouse there.
func (p *Page) Click(selector string) {
	p.t.Helper()
	x, y := p.center(selector)
	for _, event := range []string{"mousePressed", "mouseReleased"} {
		p.call("Input.dispatchMouseEvent", map[string]any{"type": event, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

// Screenshot writes a picture of the whole page.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	var shot struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	b, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(name, b, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
