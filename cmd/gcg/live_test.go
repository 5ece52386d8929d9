package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/internal/testbrowser"
)

// A shownRun is a long one with its page; the JSON comes when it has ended.
type shownRun struct {
	url    string
	result chan string
	code   chan int
}

// watchedRun begins a fit that would go on for a minute.
func watchedRun(t *testing.T) *shownRun {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	errs, log := io.Pipe()
	r := &shownRun{result: make(chan string, 1), code: make(chan int, 1)}
	go func() {
		var out bytes.Buffer
		r.code <- execute(ctx, strings.Fields("fit completion --generate movielens-100k --lambda-ratio 0.001 --tol 1e-14 "+
			"--improve none --max-time 60s --json --live 127.0.0.1:0"), &out, log)
		log.Close()
		r.result <- out.String()
	}()
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if _, url, found := strings.Cut(lines.Text(), "the run is at "); found {
			r.url = url
			break
		}
	}
	go io.Copy(io.Discard, errs)
	if r.url == "" {
		t.Fatalf("the run says no address: %d", <-r.code)
	}
	return r
}

// ended holds a run to have ended cleanly, with what it found.
func (r *shownRun) ended(t *testing.T) {
	t.Helper()
	if code := <-r.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	var res struct {
		Status    string
		Objective float64
	}
	if err := json.Unmarshal([]byte(<-r.result), &res); err != nil || res.Status != "interrupted" || !(res.Objective > 0) {
		t.Errorf("%+v, %v", res, err)
	}
}

// The page of a run shows its curves while it goes on, and its button ends the run, which keeps what it has found.
func TestLivePage(t *testing.T) {
	r := watchedRun(t)
	p := testbrowser.Open(t, r.url, 1400, false)
	p.Until("document.querySelectorAll('#steps tbody tr').length > 2")
	if s := p.Eval("document.getElementById('live').textContent"); s != "running" {
		t.Errorf("the run is %s", s)
	}
	if folder := os.Getenv("GCG_SCREENSHOTS"); folder != "" {
		p.Screenshot(filepath.Join(folder, "live.png"))
	}
	p.Click("#stop")
	r.ended(t)
	p.Until("document.getElementById('live').textContent === 'the run has ended' && document.body.innerText.includes('interrupted')")
}

// Without the token of the page, or by a name that is not of this machine, nobody sees or ends a run.
func TestLiveRefuses(t *testing.T) {
	r := watchedRun(t)
	ask := func(method, path, host, token string) (int, string) {
		q, err := http.NewRequest(method, r.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host = host
		q.Header.Set("X-Token", token)
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(b)
	}
	_, body := ask("GET", "", "localhost", "")
	_, after, _ := strings.Cut(body, `"token":"`)
	token, _, _ := strings.Cut(after, `"`)
	for state := ""; !strings.Contains(state, "objective"); time.Sleep(20 * time.Millisecond) {
		_, state = ask("GET", "state?from=0", "", token)
	}
	for _, c := range []struct {
		method, path, host, token string
		code                      int
	}{{"GET", "", "localhost", "", 200}, {"GET", "", "evil.example", "", 403}, {"GET", "state?from=0", "", "", 403},
		{"POST", "stop", "", "", 403}, {"POST", "stop", "evil.example", token, 403}, {"GET", "stop", "", token, 404},
		{"GET", "state?from=-1", "", token, 400}, {"GET", "state?from=9999999", "", token, 400}, {"GET", "etc", "", token, 404},
		{"GET", "state?from=0", "", token, 200}, {"POST", "stop", "", token, 204}} {
		if code, _ := ask(c.method, c.path, c.host, c.token); code != c.code {
			t.Errorf("%s /%s at %q: %d, want %d", c.method, c.path, c.host, code, c.code)
		}
	}
	r.ended(t)
}

// An address that is none, one in use, and a verb without a run are refused.
func TestLiveFlag(t *testing.T) {
	for args, want := range map[string]string{
		"fit completion --live 8080":       "--live \"8080\": a port such as :8080",
		"fit completion --live :x":         "--live \":x\": a port",
		"path completion --live :0":        "--live: belongs to gcg fit",
		"fit completion --live 127.0.0.1:": "--live \"127.0.0.1:\"",
	} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %q", args, code, errs)
		}
	}
	r := watchedRun(t)
	address := strings.Trim(strings.TrimPrefix(r.url, "http://"), "/")
	if _, errs, code := command(t, "fit", "completion", "--live", address); code != 1 || !strings.Contains(errs, "--live "+address) {
		t.Errorf("%d, %q", code, errs)
	}
}
