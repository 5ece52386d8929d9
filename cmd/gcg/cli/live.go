package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/spf13/cobra"
)

// A livePage serves the page of a run while it goes on: the lines of its trace, and what it says.
type livePage struct {
	title, token string
	stop         context.CancelCauseFunc
	local        bool // only this machine can ask

	mu       sync.Mutex
	lines    []json.RawMessage
	said     []string
	ended    bool
	stopping bool
	asked    time.Time     // when a page last asked
	seen     chan struct{} // closed when one has seen the end
	last     sync.Once
}

// errStopped is why a run ended that its page stopped.
var errStopped = errors.New("stopped by its page")

// keptSaid is how many lines of the log the page shows.
const keptSaid = 200

// Write takes a line of the trace.
func (p *livePage) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, json.RawMessage(bytes.TrimSpace(bytes.Clone(line))))
	return len(line), nil
}

// say takes a line of the log.
func (p *livePage) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, text)
	p.said = p.said[max(0, len(p.said)-keptSaid):]
}

// liveAddress is where --live listens: this machine alone where no host is named.
func liveAddress(flag string) (address string, local bool, err error) {
	host, port, err := net.SplitHostPort(flag)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return "", false, Usagef("--live %q: a port such as :8080, or HOST:PORT", flag)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	return net.JoinHostPort(host, port), host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// Listen takes connections at an address, which a flag names.
func Listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var reason *net.OpError
	if errors.As(err, &reason) {
		err = reason.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w; name another address or port", flag, address, err)
	}
	return l, nil
}

// watch serves the page of --live until release, and lets it end the run: its context is that of the command from then on.
func (f *RunFlags) watch(cmd *cobra.Command, show *Progress) (release func(), err error) {
	if f.live == "" {
		return func() {}, nil
	}
	address, local, err := liveAddress(f.live)
	if err != nil {
		return nil, err
	}
	listener, err := Listen("--live", address)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(cmd.Context())
	if f.Comm().Size() > 1 {
		ctx, stop = cmd.Context(), func(why error) { // of all ranks, together
			if why != nil {
				f.Comm().End()
			}
		}
	}
	cmd.SetContext(ctx)
	p := &livePage{title: titleOf(f), token: rand.Text(), stop: stop, local: local, seen: make(chan struct{})}
	show.page = p
	server := &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 1 << 14}
	go server.Serve(listener)
	url := "http://" + listener.Addr().String() + "/"
	if !local {
		url += "?token=" + p.token
	}
	show.Say("the run is at " + url)
	return func() { p.end(server) }, nil
}

// lastLook is how long a page may take to ask for the end of a run.
const lastLook = 3 * time.Second

// end lets a page that is looked at see the end, and closes the server.
func (p *livePage) end(server *http.Server) {
	p.mu.Lock()
	p.ended = true
	watched := time.Since(p.asked) < lastLook
	p.mu.Unlock()
	if watched {
		select {
		case <-p.seen:
		case <-time.After(lastLook):
		}
	}
	p.stop(nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		server.Close()
	}
}

// ServeHTTP answers for the page, what is new, and the wish to stop. A page of another origin knows no token, and a name that was
// made to lead to this machine is not one of its own.
func (p *livePage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case p.local && !localHost(r.Host):
		http.Error(w, "this page is for its own machine", http.StatusForbidden)
	case r.Method == http.MethodGet && r.URL.Path == "/" && (p.local || p.known(r.URL.Query().Get("token"))):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		report.LiveHTML(w, p.title, p.token)
	case !p.known(r.Header.Get("X-Token")):
		http.Error(w, "the token of the page is needed, which gcg prints", http.StatusForbidden)
	case r.Method == http.MethodGet && r.URL.Path == "/state":
		p.state(w, r)
	case r.Method == http.MethodPost && r.URL.Path == "/stop":
		p.mu.Lock()
		p.stopping = true
		p.mu.Unlock()
		p.stop(errStopped)
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, r)
	}
}

// known says whether a token is that of the page.
func (p *livePage) known(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) == 1
}

// localHost says whether a Host header names this machine.
func localHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// state are the lines of the trace from one on, and how the run is.
func (p *livePage) state(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || from < 0 || from > len(p.lines) {
		http.Error(w, "from: a number of lines", http.StatusBadRequest)
		return
	}
	p.asked = time.Now()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		Lines    []json.RawMessage `json:"lines"`
		Said     []string          `json:"said"`
		Ended    bool              `json:"ended"`
		Stopping bool              `json:"stopping"`
	}{append([]json.RawMessage{}, p.lines[from:]...), append([]string{}, p.said...), p.ended, p.stopping})
	if p.ended {
		p.last.Do(func() { close(p.seen) })
	}
}
