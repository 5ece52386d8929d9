package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ServeHTTP answers a request: those of the table of routes, in their methods, with a token where one is asked for, as many at
// once as are allowed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	s.metrics.running.Inc()
	defer s.metrics.running.Dec()
	rec := &recorder{ResponseWriter: w, status: http.StatusOK}
	h := rec.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	name := "none"
	defer func() {
		if fault := recover(); fault != nil {
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			s.opt.Log.Error("a request failed", "route", name, "fault", fault)
			if !rec.begun {
				problemf(http.StatusInternalServerError, "the request failed; the log of the server says why").write(rec)
			}
		}
		s.metrics.answered(name, rec.status, begin)
	}()
	route, id := s.find(r.URL.EscapedPath())
	if route == nil {
		problemf(http.StatusNotFound, "there is no such path; /openapi.json says which there are").write(rec)
		return
	}
	name = route.path
	if p := s.admit(rec, r, route); p != nil {
		p.write(rec)
		return
	}
	if !route.open {
		defer func() { <-s.running }()
		r.Body = http.MaxBytesReader(rec, r.Body, s.opt.MaxBody)
	}
	if err := route.answer(&call{s, s.catalog.Load(), rec, r, id}); err != nil {
		err.write(rec)
	}
}

// admit says why a request is not answered, nil where it is. One that needs a place has it then.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, route *route) *problem {
	switch {
	case r.Method != route.method && !(r.Method == http.MethodHead && route.method == http.MethodGet):
		allow := route.method
		if allow == http.MethodGet {
			allow = "GET, HEAD"
		}
		w.Header().Set("Allow", allow)
		return problemf(http.StatusMethodNotAllowed, "the path takes %s", allow)
	case !route.public && !s.knows(r):
		return problemf(http.StatusUnauthorized, "the request needs Authorization: Bearer with a token of the server")
	case route.open:
		return nil
	case s.draining.Load():
		w.Header().Set("Connection", "close")
		return problemf(http.StatusServiceUnavailable, "the server is ending; ask another one")
	}
	select {
	case s.running <- struct{}{}:
		return nil
	default:
	}
	wait := time.NewTimer(s.opt.MaxWait)
	defer wait.Stop()
	select {
	case s.running <- struct{}{}:
		return nil
	case <-r.Context().Done():
	case <-wait.C:
	}
	return problemf(http.StatusTooManyRequests, "%d requests are being answered; ask again later", s.opt.MaxRunning)
}

// knows says whether a request has a token. Each of them is compared in the same time.
func (s *Server) knows(r *http.Request) bool {
	if len(s.opt.Tokens) == 0 {
		return true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum, known := sha256.Sum256([]byte(strings.TrimSpace(given))), 0
	for _, token := range s.opt.Tokens {
		of := sha256.Sum256([]byte(token))
		known |= subtle.ConstantTimeCompare(sum[:], of[:])
	}
	return known == 1 && strings.EqualFold(scheme, "Bearer")
}

// A recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (r *recorder) WriteHeader(status int) {
	if !r.begun {
		r.status, r.begun = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.begun = true
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// A limited listener has at most so many connections open.
type limited struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

func newLimited(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, places: l.places}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	places chan struct{}
	once   sync.Once
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.places })
	return err
}
