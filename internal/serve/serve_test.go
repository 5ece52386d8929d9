package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/serve"
	"github.com/seed-b18ef778/gcg/internal/testbrowser"
	"github.com/seed-b18ef778/gcg/model"
)

// evil is an id that means something to pages, logs, JSON and paths.
const evil = "<script>alert('x')</script>/../a?b#c\n\"%2f\u001b[31m"

// small is a model of four users and six items of rank 2, moved by shift.
func small(shift float64) *model.Model {
	lower, gap := 9.99, 1e-3
	return &model.Model{Problem: "completion", Rows: 4, Cols: 6, Rank: 2, S: []float64{4, 1}, Global: 3 + shift,
		U: []float64{0.5, 0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5}, V: []float64{0.6, 0, 0.3, 0.5, -0.4, 0.2, 0, 0, 0.2, -0.6, 0.1, 0.1},
		RowIDs: []string{"ann", "bob", "7", evil}, ColIDs: []string{"a", "b", evil, "zero", "ü ü", "9"},
		Info: model.Info{Version: "t", Lambda: 0.5, Objective: 10, LowerBound: &lower, RelativeGap: &gap, Observations: 12}}
}

func catalog(t testing.TB, shift float64) *serve.Catalog {
	t.Helper()
	r := model.NewRecommender(small(shift), 10)
	seen, err := dataset.FromSlice([]dataset.Rating{{User: "ann", Item: "a", Value: 5}, {User: "ann", Item: "9", Value: 2},
		{User: evil, Item: evil, Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r.LeaveOut(seen, nil)
	return &serve.Catalog{Recommender: r, Titles: map[string]string{"a": "Alien", evil: evil}, Fitted: time.Now()}
}

func server(t testing.TB, opt serve.Options) *serve.Server {
	t.Helper()
	s, err := serve.New(t.Context(), func(context.Context) (*serve.Catalog, error) { return catalog(t, 0), nil }, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Lists are those of the model: without what was seen, with titles, and with what carries them.
func TestRecommendations(t *testing.T) {
	d := describe(t, server(t, serve.Options{}))
	status, a, _ := d.ask("GET", "/v1/users/ann/recommendations?top=3&explain=1", "")
	if got := items(a, "item"); status != 200 || fmt.Sprint(got) != "[b ü ü zero]" || a["known"] != true || a["user"] != "ann" {
		t.Errorf("%d: %v of %v", status, got, a)
	}
	if why, _ := a["because"].([]any); len(why) != 2 || why[0].(map[string]any)["title"] != "Alien" {
		t.Errorf("because of %v", a["because"])
	}
	status, a, raw := d.ask("GET", "/v1/users/"+url.PathEscape(evil)+"/recommendations", "")
	if status != 200 || a["user"] != evil || len(items(a, "item")) != 5 || raw.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d: %v", status, a)
	}
	status, a, _ = d.ask("POST", "/v1/recommendations",
		`{"ratings":[{"item":"a","rating":5},{"item":"gone","rating":1}],"top":2,"explain":true}`)
	want, err := model.NewRecommender(small(0), 2).FoldIn(model.NewUser{Cols: []int32{0}, Values: []float64{5}})
	if err != nil || status != 200 || a["known"] != false || items(a, "item")[0] != small(0).ColIDs[want[0].Item] ||
		fmt.Sprint(a["unknown_items"]) != "[gone]" || len(a["because"].([]any)) != 1 {
		t.Errorf("%d: %v, want %v, %v", status, a, want, err)
	}
	status, a, _ = d.ask("POST", "/v1/predictions", `{"pairs":[{"user":"ann","item":"a"},{"user":"nobody","item":"b"}]}`)
	list := a["predictions"].([]any)
	if first := list[0].(map[string]any); status != 200 || first["score"] != small(0).Predict(0, 0) || first["known"] != true ||
		list[1].(map[string]any)["known"] != false {
		t.Errorf("%d: %v", status, a)
	}
	status, a, _ = d.ask("GET", "/v1/items/a/similar?top=2", "")
	if status != 200 || len(items(a, "item")) != 2 || a["title"] != "Alien" {
		t.Errorf("%d: %v", status, a)
	}
	if status, a, _ = d.ask("GET", "/v1/items/zero/similar", ""); status != 200 || len(items(a, "item")) != 0 {
		t.Errorf("like an item of no factor: %d, %v", status, a)
	}
	if status, a, _ = d.ask("GET", "/v1/model", ""); status != 200 || a["relative_gap"] != 1e-3 || a["users"] != 4.0 {
		t.Errorf("%d: %v", status, a)
	}
}

// Every bad request is a problem of its status that says what is wrong.
func TestProblems(t *testing.T) {
	d := describe(t, server(t, serve.Options{MaxEntries: 3, MaxBody: 300}))
	long := `{"ratings":[` + strings.Repeat(`{"item":"a","rating":1},`, 60) + `{"item":"b","rating":1}]}`
	for _, c := range []struct {
		method, path, body string
		status             int
		detail             string
	}{
		{"GET", "/v1/users/nobody/recommendations", "", 404, `user "nobody" is not in the model`},
		{"GET", "/v1/users/bob/recommendations?explain=1", "", 400, "no rating is known"},
		{"GET", "/v1/users/ann/recommendations?top=0", "", 400, "top is 0; it is from 1 to 1000"},
		{"GET", "/v1/users/ann/recommendations?top=1001", "", 400, "top is 1001"},
		{"GET", "/v1/users/ann/recommendations?top=x", "", 400, `top is "x"`},
		{"GET", "/v1/users/ann/recommendations?explain=maybe", "", 400, `explain is "maybe"`},
		{"GET", "/v1/users/ann/recommendations?tip=1", "", 400, `the query has "tip"; it takes top and explain`},
		{"GET", "/v1/users/ann/recommendations?top=1&top=2", "", 400, `the query has "top"`},
		{"GET", "/v1/users/ann/recommendations?%zz", "", 400, "the query is no list"},
		{"GET", "/v1/items/none/similar", "", 404, `item "none" is not in the model`},
		{"GET", "/v1/users//recommendations", "", 404, "there is no such path"},
		{"GET", "/v1/nothing", "", 404, "there is no such path"},
		{"GET", "/v1/recommendations", "", 405, "the path takes POST"},
		{"DELETE", "/v1/users/ann/recommendations", "", 405, "the path takes GET, HEAD"},
		{"POST", "/v1/recommendations", "", 400, "it is empty"},
		{"POST", "/v1/recommendations", "[]", 400, "not what the description has"},
		{"POST", "/v1/recommendations", `{"ratings":[]} x`, 400, "something follows"},
		{"POST", "/v1/recommendations", `{"rating":[]}`, 400, "rating"},
		{"POST", "/v1/recommendations", `{"ratings":[{"item":"a"}]}`, 400, "ratings[0]: the rating is"},
		{"POST", "/v1/recommendations", `{"ratings":[{"item":"a","rating":"five"}]}`, 400, "it is a number"},
		{"POST", "/v1/recommendations", `{"ratings":[{"item":"a","rating":1e999}]}`, 400, "it is a number"},
		{"POST", "/v1/recommendations", `{"ratings":[{"item":"a","rating":1},{"item":"a","rating":2}]}`, 400, "already rated"},
		{"POST", "/v1/recommendations", `{"ratings":[],"also_seen":["a"]}`, 400, "also_seen: the model has no lists"},
		{"POST", "/v1/recommendations", `{"ratings":[],"top":5000}`, 400, "top is 5000"},
		{"POST", "/v1/recommendations?top=3", `{"ratings":[]}`, 400, "it takes nothing"},
		{"POST", "/v1/predictions", `{"pairs":[{},{},{},{}]}`, 400, "there are 4 pairs; a request has at most 3"},
		{"POST", "/v1/recommendations", long, 413, "the body has more than 300 bytes"},
	} {
		status, a, raw := d.ask(c.method, c.path, c.body)
		detail, _ := a["detail"].(string)
		if status != c.status || !strings.Contains(detail, c.detail) || a["status"] != float64(c.status) ||
			raw.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s %.60s: %d, %v, want %d, %q", c.method, c.path, c.body, status, a, c.status, c.detail)
		}
	}
	if status, _, raw := d.ask("HEAD", "/v1/model", ""); status != 200 || raw.ContentLength <= 0 {
		t.Errorf("HEAD: %d, %d bytes", status, raw.ContentLength)
	}
}

// With tokens, a request needs one; health and the page do not.
func TestTokens(t *testing.T) {
	d := describe(t, server(t, serve.Options{Tokens: []string{"one-long-token", "another-long-token"}}))
	for _, c := range []struct {
		path, header string
		status       int
	}{{"/v1/model", "", 401}, {"/v1/model", "Bearer wrong", 401}, {"/v1/model", "one-long-token", 401}, {"/metrics", "", 401},
		{"/v1/model", "Bearer one-long-token", 200}, {"/v1/model", "bearer another-long-token", 200}, {"/healthz", "", 200},
		{"/readyz", "", 200}, {"/", "", 200}, {"/metrics", "Bearer one-long-token", 200}} {
		status, _, raw := d.ask("GET", c.path, "", "Authorization", c.header)
		if status != c.status || status == 401 && raw.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s with %q: %d, want %d", c.path, c.header, status, c.status)
		}
	}
}

// The metrics count requests by route, and say how old the model is and how far from the optimum it may be.
func TestMetrics(t *testing.T) {
	d := describe(t, server(t, serve.Options{}))
	d.ask("GET", "/v1/users/"+url.PathEscape(evil)+"/recommendations", "")
	d.ask("GET", "/x/"+url.PathEscape(evil), "")
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{`gcg_requests_total{route="/v1/users/{id}/recommendations",status="200"} 1`,
		`gcg_requests_total{route="none",status="404"} 1`, "gcg_model_relative_gap 0.001", "gcg_model_age_seconds ",
		"gcg_model_gap 0.0", "gcg_request_seconds_bucket", "process_resident_memory_bytes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, "alert(") {
		t.Error("an id is among the metrics")
	}
}

// The page runs the one script that its policy names, and has no data of its own.
func TestPage(t *testing.T) {
	w := httptest.NewRecorder()
	server(t, serve.Options{}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	text := w.Body.String()
	if w.Code != 200 || w.Header().Get("Content-Security-Policy") != "frame-ancestors 'none'" ||
		!strings.Contains(text, "default-src 'none'") || !strings.Contains(text, "script-src 'sha256-") ||
		!strings.Contains(text, "connect-src 'self'") || strings.Contains(text, "innerHTML") {
		t.Errorf("%d: %s", w.Code, text)
	}
}

// By clicks a user is looked up, why, an item of the list, and back; ids stay text, and a token is asked for where one is needed.
func TestPageLooksUp(t *testing.T) {
	open := httptest.NewServer(server(t, serve.Options{}))
	defer open.Close()
	for _, c := range []struct {
		width int
		dark  bool
	}{{1400, false}, {360, true}} {
		p := testbrowser.Open(t, open.URL, c.width, c.dark)
		p.Until("document.querySelector('#card').innerText.includes('relative gap')")
		p.Eval("document.querySelector('#id').value = 'ann'")
		p.Click("#why")
		p.Click("#ask button")
		p.Until("document.querySelector('#heading').textContent === 'Recommended to ann'")
		if got := p.Eval("document.querySelector('#list tbody tr').innerText"); !strings.Contains(got, "Alien +0.70") {
			t.Errorf("the first row is %q", got)
		}
		if over := p.Eval("document.documentElement.scrollWidth - innerWidth"); over != "0" && over[0] != '-' {
			t.Errorf("at %d the page is %s wider than the screen", c.width, over)
		}
		if folder := os.Getenv("GCG_SCREENSHOTS"); folder != "" {
			p.Screenshot(filepath.Join(folder, fmt.Sprintf("serve-%d.png", c.width)))
		}
		p.Click("#list th:nth-child(3) button")
		p.Until("document.querySelector('#list tbody tr td').textContent !== '1'")
		p.Click("#list tbody tr:last-child td:nth-child(4) button")
		p.Until("document.querySelector('#heading').textContent === 'Like Alien' && " +
			"document.querySelector('#list th:nth-child(3)').textContent === 'similarity'")
		p.Eval("history.back()")
		p.Until("document.querySelector('#heading').textContent === 'Recommended to ann'")
		p.Eval("show('user', " + strconv.Quote(evil) + ")")
		p.Until("document.querySelector('#heading').textContent.startsWith('Recommended to <script>')")
		p.Eval("show('user', 'nobody')")
		p.Until("document.querySelector('#error').textContent.includes('is not in the model') && " +
			"document.querySelector('#answer').hidden")
	}
	closed := httptest.NewServer(server(t, serve.Options{Tokens: []string{"0123456789abcdef"}}))
	defer closed.Close()
	p := testbrowser.Open(t, closed.URL, 800, false)
	p.Until("!document.querySelector('#tokens').hidden")
	p.Eval("(() => { const e = document.querySelector('#token'); e.value = '0123456789abcdef'; " +
		"e.dispatchEvent(new Event('change')); })()")
	p.Until("document.querySelector('#card').innerText.includes('users')")
}

// What cannot be served is refused at the start, and on a reload leaves the old model in its place; neither log nor answer has an
// id as it is.
func TestReload(t *testing.T) {
	var log bytes.Buffer
	next, fails := catalog(t, 0), errors.New("m.gcg: is damaged")
	var err error
	s, newErr := serve.New(t.Context(), func(context.Context) (*serve.Catalog, error) { return next, err },
		serve.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if newErr != nil {
		t.Fatal(newErr)
	}
	d := describe(t, s)
	score := func() any {
		_, a, _ := d.ask("POST", "/v1/predictions", `{"pairs":[{"user":"ann","item":"a"}]}`)
		return a["predictions"].([]any)[0].(map[string]any)["score"]
	}
	before := score()
	if err = fails; s.Reload(t.Context()) == nil || score() != before {
		t.Error("a model that cannot be read is taken in")
	}
	err, next = nil, catalog(t, 1)
	next.Recommender.Model.Problem = "regression"
	if s.Reload(t.Context()) == nil || score() != before {
		t.Error("a model of regression is taken in")
	}
	next = catalog(t, 1)
	if err := s.Reload(t.Context()); err != nil || score() != before.(float64)+1 {
		t.Errorf("the new model is not taken in: %v, %v", err, score())
	}
	bad := catalog(t, 0)
	bad.Recommender.Model.ColIDs[0] = "\xff\n" + evil
	next = bad
	if err := s.Reload(t.Context()); err == nil || strings.Contains(log.String(), "\x1b") || strings.Count(log.String(), "\n") != 4 {
		t.Errorf("%v, and the log is\n%s", err, log.String())
	}
}

// While models are exchanged and the server ends, each request that was taken is answered in whole, by one model.
func TestNothingIsLost(t *testing.T) {
	var version atomic.Int64
	s, err := serve.New(t.Context(), func(context.Context) (*serve.Catalog, error) {
		return catalog(t, float64(version.Add(1))), nil
	}, serve.Options{MaxRunning: 4, MaxWait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	base := "http://" + l.Addr().String()
	var all sync.WaitGroup
	var served, late atomic.Int64
	stop := make(chan struct{})
	for range 8 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := client.Post(base+"/v1/predictions", "application/json",
					strings.NewReader(`{"pairs":[{"user":"ann","item":"a"},{"user":"ann","item":"a"}]}`))
				if err != nil {
					if ctx.Err() == nil {
						t.Errorf("a request is lost: %v", err)
					}
					return
				}
				var a struct{ Predictions []struct{ Score float64 } }
				text, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				switch {
				case err != nil:
					t.Errorf("an answer is cut: %v", err)
				case resp.StatusCode == 503 && ctx.Err() != nil:
					late.Add(1)
				case json.Unmarshal(text, &a) != nil || len(a.Predictions) != 2 || a.Predictions[0] != a.Predictions[1]:
					t.Errorf("%d: %s", resp.StatusCode, text)
				default:
					served.Add(1)
				}
			}
		})
	}
	for range 30 {
		if err := s.Reload(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the server ends with %v", err)
	}
	close(stop)
	all.Wait()
	if served.Load() < 30 {
		t.Errorf("only %d requests were served, %d late", served.Load(), late.Load())
	}
}

// More requests than may run at once wait, and are refused after a while.
func TestTooMany(t *testing.T) {
	s := server(t, serve.Options{MaxRunning: 1, MaxWait: 20 * time.Millisecond})
	read, write := io.Pipe()
	done := make(chan int)
	go func() { // holds the place until its body ends
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("POST", "/v1/predictions", read))
		done <- w.Code
	}()
	write.Write([]byte(`{"pairs":`))
	d := describe(t, s)
	status, _, raw := d.ask("GET", "/v1/model", "")
	if status != 429 || raw.Header.Get("Retry-After") != "1" {
		t.Errorf("answered %d", status)
	}
	if status, _, _ := d.ask("GET", "/healthz", ""); status != 200 {
		t.Errorf("not alive: %d", status)
	}
	write.Write([]byte(`[]}`))
	write.Close()
	if code := <-done; code != 200 {
		t.Errorf("the first is answered %d", code)
	}
	if status, _, _ := d.ask("GET", "/v1/model", ""); status != 200 {
		t.Errorf("answered %d afterwards", status)
	}
}

// A file that is written anew is taken in once it stays the same.
func TestWatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1")
	var loads atomic.Int64
	s, err := serve.New(t.Context(), func(context.Context) (*serve.Catalog, error) { loads.Add(1); return catalog(t, 0), nil },
		serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() { s.Watch(ctx, 5*time.Millisecond, name); close(ended) }()
	time.Sleep(50 * time.Millisecond)
	if loads.Load() != 1 {
		t.Errorf("loaded %d times before anything changed", loads.Load())
	}
	write("two")
	for k := 0; loads.Load() < 2 && k < 400; k++ {
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	cancel()
	<-ended
	if loads.Load() != 2 {
		t.Errorf("loaded %d times", loads.Load())
	}
}
