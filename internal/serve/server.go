// Package serve answers over HTTP what a fitted model is asked: recommendations of known and new users, predictions, similar
// items, and why.
//
//	server.go    [Server]: what it is made of, its limits, reloading, draining; watch.go looks at files
//	guard.go     who may ask, and how much
//	api.go       the answers of the description openapi.json; request.go what is asked
//	catalog.go   what is served until the next model
//	problem.go   errors; metrics.go what is counted; page.go the page at /, with look.js and look.css
//
// A request sees one model from its beginning to its end. The package fits nothing.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how a server works; the zero value of each is its default.
type Options struct {
	// Tokens are those of which a request must have one, as Authorization: Bearer TOKEN. Without any nobody is asked.
	Tokens []string
	// TLS has the certificates; nil serves plain HTTP.
	TLS *tls.Config
	// MaxTop is the most items that a list may have: 1000.
	MaxTop int
	// MaxBody is the most bytes of a request: 1 MiB.
	MaxBody int64
	// MaxEntries is the most ratings, or pairs, of a request: 10000.
	MaxEntries int
	// MaxRunning is how many requests are answered at once, 64; others wait for at most MaxWait, a second, and are refused then.
	MaxRunning int
	MaxWait    time.Duration
	// MaxConnections is how many connections are open at once, 4096; others wait to be accepted.
	MaxConnections int
	// MaxDrain is how long requests may take that were there when the server was told to end: 30 s.
	MaxDrain time.Duration
	// Log is told of reloads and of faults, nil for none. No line has an id.
	Log *slog.Logger
}

// times of a connection: to send the head of a request, all of it, and to take the answer.
const (
	headTime  = 5 * time.Second
	readTime  = 15 * time.Second
	writeTime = 30 * time.Second
	idleTime  = 2 * time.Minute
	headBytes = 16 << 10
)

func (o Options) withDefaults() Options {
	set := func(x *int, usual int) {
		if *x <= 0 {
			*x = usual
		}
	}
	set(&o.MaxTop, 1000)
	set(&o.MaxEntries, 10000)
	set(&o.MaxRunning, 64)
	set(&o.MaxConnections, 4096)
	if o.MaxBody <= 0 {
		o.MaxBody = 1 << 20
	}
	if o.MaxWait <= 0 {
		o.MaxWait = time.Second
	}
	if o.MaxDrain <= 0 {
		o.MaxDrain = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return o
}

// A Server answers requests by the model that it has at the time.
type Server struct {
	opt      Options
	load     func(context.Context) (*Catalog, error)
	catalog  atomic.Pointer[Catalog]
	reload   sync.Mutex
	draining atomic.Bool
	running  chan struct{} // a place for each request that is being answered
	metrics  *metrics
	routes   []route
}

// New is a server of what load loads, which is called once here, and by each Reload.
func New(ctx context.Context, load func(context.Context) (*Catalog, error), opt Options) (*Server, error) {
	s := &Server{opt: opt.withDefaults(), load: load}
	s.running = make(chan struct{}, s.opt.MaxRunning)
	s.metrics = newMetrics(s)
	s.routes = s.table()
	c, err := s.loaded(ctx)
	if err != nil {
		return nil, err
	}
	s.catalog.Store(c)
	return s, nil
}

func (s *Server) loaded(ctx context.Context) (*Catalog, error) {
	c, err := s.load(ctx)
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		return nil, err
	}
	c.Recommender.BuildIndex()
	return c, nil
}

// Reload takes in what load loads now. Where that is an error the server goes on with what it has. No request waits for it.
func (s *Server) Reload(ctx context.Context) error {
	s.reload.Lock()
	defer s.reload.Unlock()
	begin := time.Now()
	c, err := s.loaded(ctx)
	if err != nil {
		s.metrics.reloads.WithLabelValues("refused").Inc()
		s.opt.Log.Error("the new model is not taken in, the old one stays", "error", err)
		return err
	}
	s.catalog.Store(c)
	s.metrics.reloads.WithLabelValues("taken").Inc()
	s.opt.Log.Info("a new model is taken in", "users", c.Recommender.Model.Rows,
		"items", c.Recommender.Model.Cols, "seconds", time.Since(begin).Seconds())
	return nil
}

// Serve answers requests of a listener until ctx ends. Then it takes no more, finishes those that are there within MaxDrain, and
// returns nil; requests that come on open connections meanwhile are answered by 503.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{Handler: s, ReadHeaderTimeout: headTime, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: headBytes, ErrorLog: slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelWarn)}
	l = newLimited(l, s.opt.MaxConnections)
	if s.opt.TLS != nil {
		h.TLSConfig = s.opt.TLS
		l = tls.NewListener(l, s.opt.TLS)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.opt.Log.Info("draining")
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.MaxDrain)
	defer cancel()
	if err := h.Shutdown(within); err != nil {
		h.Close()
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("some requests took longer than %v to finish, and were cut", s.opt.MaxDrain)
		}
		return err
	}
	return nil
}
