package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	soak     = flag.Duration("soak", 2*time.Second, "how long TestSoak asks the server")
	soakFrom = flag.String("soak-data", "movielens-100k:20000", "the shape of the ratings of TestSoak's models, and their number")
)

// A soaked server is asked, sent garbage, told to take in another model, and ended and started again, all at once.
type soaked struct {
	*testing.T
	now, ending              atomic.Pointer[running]
	stop                     chan struct{}
	users                    int
	served, garbage, reloads atomic.Int64
}

// Under load, with models exchanged, garbage and clients that go away, each request is answered in whole and by one model; a
// request to end loses none; and memory stays what it was.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("asks a server for seconds")
	}
	t.Chdir(t.TempDir())
	for k, lambda := range []string{"20", "30"} {
		_, errs, code := command(t, "fit", "completion", "--generate", *soakFrom,
			"--lambda", lambda, "--center", "global", "--tol", "1e-2",
			"--quiet", "--model", fmt.Sprintf("m%d.gcg", k))
		if code != 0 {
			t.Fatal(errs)
		}
	}
	s := &soaked{T: t, stop: make(chan struct{}), users: 50}
	s.exchange(0)
	s.now.Store(serving(t, "--model", "m.gcg"))
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() { s.whileSoaked(rand.New(rand.NewPCG(1, uint64(k))), s.ask) })
	}
	all.Go(func() { s.whileSoaked(rand.New(rand.NewPCG(2, 0)), s.disturb) })
	all.Go(func() { s.whileSoaked(rand.New(rand.NewPCG(3, 0)), s.reload) })
	var peaks []float64
	for range 5 { // each with a server of its own
		time.Sleep(*soak / 10)
		half := residentOf(t, s.now.Load().cmd.Process.Pid)
		time.Sleep(*soak / 10)
		whole := residentOf(t, s.now.Load().cmd.Process.Pid)
		if peaks = append(peaks, half/1e6, whole/1e6); whole > 1.5*half+3e7 {
			t.Errorf("the server had %.0f MB and has %.0f", half/1e6, whole/1e6)
		}
		s.restart()
	}
	close(s.stop)
	all.Wait()
	if code := s.now.Load().end(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
	t.Logf("%d answers, %d garbled or cut requests, %d models taken in, 5 ends; MB: %.0f", s.served.Load(), s.garbage.Load(),
		s.reloads.Load(), peaks)
	if s.served.Load() < 100 || s.garbage.Load() < 10 || s.reloads.Load() < 2 {
		t.Error("the server was hardly asked")
	}
}

// whileSoaked does something to the server again and again.
func (s *soaked) whileSoaked(r *rand.Rand, do func(*rand.Rand)) {
	for {
		select {
		case <-s.stop:
			return
		default:
		}
		do(r)
	}
}

// ask asks one thing, whose answer is known in its form.
func (s *soaked) ask(r *rand.Rand) {
	at, user := s.now.Load(), 1+r.IntN(s.users)
	var resp *http.Response
	var err error
	key, n := "items", 10
	switch r.IntN(4) {
	case 0:
		resp, err = http.Get(fmt.Sprintf("%s/v1/users/%d/recommendations?top=10", at.url, user))
	case 1:
		resp, err = http.Get(fmt.Sprintf("%s/v1/items/%d/similar?top=10", at.url, user))
	case 2:
		resp, err = http.Post(at.url+"/v1/recommendations", "application/json",
			strings.NewReader(fmt.Sprintf(`{"ratings":[{"item":"%d","rating":5},{"item":"%d","rating":2}],"top":10}`, user, user+1)))
	default:
		resp, err = http.Post(at.url+"/v1/predictions", "application/json",
			strings.NewReader(fmt.Sprintf(`{"pairs":[{"user":"%d","item":"1"},{"user":"%d","item":"1"}]}`, user, user)))
		key, n = "predictions", 2
	}
	if err != nil {
		s.unlessEnding(at, err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	var answer map[string]any
	if err == nil && resp.StatusCode == 503 {
		s.unlessEnding(at, errors.New("503"))
		return
	}
	if err != nil || resp.StatusCode != 200 || json.Unmarshal(text, &answer) != nil {
		s.Errorf("%d, %v: %s", resp.StatusCode, err, text)
		return
	}
	list, _ := answer[key].([]any)
	if len(list) != n || key == "predictions" && fmt.Sprint(list[0]) != fmt.Sprint(list[1]) {
		s.Errorf("%s", text)
	}
	s.served.Add(1)
}

// unlessEnding is for a request that a server did not take, which one that ends need not.
func (s *soaked) unlessEnding(at *running, err error) {
	if s.ending.Load() != at {
		s.Errorf("a request is lost: %v", err)
	}
	time.Sleep(time.Millisecond)
}

// disturb sends what is no request, or goes away before the answer.
func (s *soaked) disturb(r *rand.Rand) {
	at := s.now.Load()
	c, err := net.Dial("tcp", strings.TrimPrefix(at.url, "http://"))
	if err != nil {
		s.unlessEnding(at, err)
		return
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	noise := make([]byte, 1+r.IntN(5000))
	for k := range noise {
		noise[k] = byte(r.Uint32())
	}
	switch r.IntN(5) {
	case 0:
		c.Write(noise)
	case 1:
		fmt.Fprintf(c, "POST /v1/predictions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(noise), noise)
	case 2:
		fmt.Fprintf(c, "GET /v1/users/%s/recommendations?top=%d HTTP/1.1\r\nHost: x\r\n\r\n", strings.Repeat("%0a", r.IntN(300)),
			r.Int())
	case 3: // goes away in the middle of its body
		fmt.Fprintf(c, "POST /v1/recommendations HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{\"ratings\":[")
		s.garbage.Add(1)
		return
	default: // goes away before the answer
		fmt.Fprintf(c, "GET /v1/users/1/recommendations?top=1000 HTTP/1.1\r\nHost: x\r\n\r\n")
		s.garbage.Add(1)
		return
	}
	c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	if bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) || bytes.HasPrefix(answer, []byte("HTTP/1.1 5")) && s.ending.Load() != at {
		s.Errorf("garbage is answered: %.200q", answer)
	}
	s.garbage.Add(1)
}

// reload has the server take in the other model.
func (s *soaked) reload(*rand.Rand) {
	n := int(s.reloads.Add(1))
	s.exchange(n % 2)
	s.now.Load().cmd.Process.Signal(syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
}

// exchange puts one of the two models in the place of the server's, in one step.
func (s *soaked) exchange(k int) {
	text, err := os.ReadFile(fmt.Sprintf("m%d.gcg", k))
	if err == nil {
		err = os.WriteFile("next", text, 0o600)
	}
	if err == nil {
		err = os.Rename("next", "m.gcg")
	}
	if err != nil {
		s.Error(err)
	}
}

// restart ends the server while requests run, which it answers, and starts another.
func (s *soaked) restart() {
	old := s.now.Load()
	s.ending.Store(old)
	if code := old.end(); code != 0 {
		s.Errorf("it ends with %d: %s", code, old.errs)
	}
	s.now.Store(serving(s.T, "--model", "m.gcg"))
}

// residentOf is the memory of a process.
func residentOf(t *testing.T, pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, resident float64
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident)
	}
	if err != nil {
		t.Skip(err)
	}
	return resident * float64(os.Getpagesize())
}
