package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A running server is gcg serve in a process of its own.
type running struct {
	cmd  *exec.Cmd
	url  string
	errs *lockedBuffer
}

type lockedBuffer struct {
	sync.Mutex
	b bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.Lock()
	defer l.Unlock()
	return l.b.String()
}

var servingAt = regexp.MustCompile(`msg=serving url=(\S+)/`)

// serving starts gcg serve on a free port and waits until it answers.
func serving(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{errs: &lockedBuffer{}}
	r.cmd = process(t, nil, nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	r.cmd.Stderr, r.cmd.Stdout = r.errs, io.Discard
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill(); r.cmd.Wait() })
	for range 1000 {
		if m := servingAt.FindStringSubmatch(r.errs.String()); m != nil {
			r.url = m[1]
			return r
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("it does not serve: %s", r.errs)
	return nil
}

// get is an answer of the server.
func (r *running) get(t *testing.T, path string) (status int, answer map[string]any) {
	t.Helper()
	resp, err := http.Get(r.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// until waits for the log to have a text.
func (r *running) until(t *testing.T, text string) {
	t.Helper()
	for range 1000 {
		if strings.Contains(r.errs.String(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the log has no %q:\n%s", text, r.errs)
}

// end asks the server to end, and is its exit code.
func (r *running) end() int {
	r.cmd.Process.Signal(syscall.SIGTERM)
	return exitCode(r.cmd.Wait())
}

// The server has the lists of recommend; a hangup takes in another model, a damaged one leaves the old, and a request to end is
// no failure.
func TestServe(t *testing.T) {
	smallModel(t)
	r := serving(t, "--model", "m.gcg", "--seen", "ratings.csv")
	out, _, _ := command(t, "recommend", "--model", "m.gcg", "--user", "3", "--seen", "ratings.csv", "--top", "4",
		"--format", "jsonl")
	var want struct {
		Items []struct {
			Item       string
			Prediction float64
		}
	}
	if err := json.Unmarshal([]byte(out), &want); err != nil {
		t.Fatal(err)
	}
	status, a := r.get(t, "/v1/users/3/recommendations?top=4&explain=1")
	list, _ := a["items"].([]any)
	for k, i := range list {
		if i := i.(map[string]any); i["item"] != want.Items[k].Item || i["score"] != want.Items[k].Prediction || i["because"] == nil {
			t.Errorf("number %d is %v, want %v", k+1, i, want.Items[k])
		}
	}
	if status != 200 || len(list) != 4 {
		t.Errorf("%d: %v", status, a)
	}
	_, before := r.get(t, "/v1/model")
	refitted(t)
	r.cmd.Process.Signal(syscall.SIGHUP)
	r.until(t, "a new model is taken in")
	if _, after := r.get(t, "/v1/model"); before["lambda"] != 1.0 || after["lambda"] != 4.0 {
		t.Errorf("λ was %v and is %v", before["lambda"], after["lambda"])
	}
	write(t, map[string]string{"m.gcg": "no model"})
	r.cmd.Process.Signal(syscall.SIGHUP)
	r.until(t, "the old one stays")
	if status, after := r.get(t, "/v1/model"); status != 200 || after["lambda"] != 4.0 {
		t.Errorf("after a damaged file: %d, %v", status, after)
	}
	if code := r.end(); code != 0 || !strings.Contains(r.errs.String(), "msg=draining") {
		t.Errorf("it ends with %d:\n%s", code, r.errs)
	}
}

// --watch takes in a model without being told, and TLS and tokens let it listen anywhere.
func TestServeWatchesBehindTLS(t *testing.T) {
	smallModel(t)
	certificate(t)
	write(t, map[string]string{"token": "a-token-that-is-long\n"})
	r := serving(t, "--model", "m.gcg", "--watch", "--token-file", "token", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	get := func(token string) int {
		req, err := http.NewRequest("GET", r.url+"/v1/model", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", token)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	with, without := get("Bearer a-token-that-is-long"), get("")
	if with != 200 || without != 401 || !strings.HasPrefix(r.url, "https://") {
		t.Errorf("with the token %d, without %d", with, without)
	}
	refitted(t)
	r.until(t, "a new model is taken in")
	if code := r.end(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
}

// refitted writes another model in the place of the first.
func refitted(t *testing.T) {
	t.Helper()
	_, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "4", "--model", "m.gcg", "--quiet")
	if code != 0 {
		t.Fatal(errs)
	}
}

// certificate writes one for this machine.
func certificate(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{{127, 0, 0, 1}}}
	cert, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{"cert.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})),
		"key.pem": string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}))})
}

// What cannot be served is one line, before anything listens.
func TestServeRefuses(t *testing.T) {
	smallModel(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	write(t, map[string]string{"short": "abc\n", "none": "\n", "other.csv": "user,item\nx,y\n"})
	for args, want := range map[string]string{
		"":                                              "gcg serve needs --model",
		"--model m.gcg --listen 8080":                   `--listen "8080": an address and a port`,
		"--model m.gcg --listen :8080":                  "--listen :8080: others can reach it; add --token-file",
		"--model m.gcg --listen 0.0.0.0:1":              "others can reach it",
		"--model m.gcg --listen example.com:1":          "others can reach it",
		"--model m.gcg --tls-cert c":                    "--tls-cert and --tls-key go together",
		"--model m.gcg --token-file short":              "short:1: the token is shorter than 16 characters",
		"--model m.gcg --token-file none":               "--token-file none: has no token",
		"--model m.gcg --token-file away":               "--token-file away: cannot be read",
		"--model away.gcg":                              "away.gcg",
		"--model ratings.csv":                           "ratings.csv",
		"--model m.gcg --seen away.csv":                 "away.csv: cannot be read",
		"--model m.gcg --seen other.csv":                "other.csv: has no user with an item of the model",
		"--model m.gcg --columns a,b":                   "--columns: goes with --seen",
		"--model m.gcg --titles away.csv":               "away.csv: cannot be read",
		"--model m.gcg --tls-cert short --tls-key none": "--tls-cert short and --tls-key none: ",
		"--model m.gcg --listen " + l.Addr().String():   "address already in use; name another address or port",
	} {
		out, errs, code := command(t, append([]string{"serve"}, strings.Fields(args)...)...)
		if code == 0 || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}

// The recipe of docs/serving.md: the verdict, a refit only where it pays, an atomic exchange, and the server that takes it in.
func TestScheduledRefit(t *testing.T) {
	script := recipe(t)
	smallModel(t)
	r := serving(t, "--model", "m.gcg", "--seen", "ratings.csv", "--watch")
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{"refit.sh": script,
		bin + "/gcg": fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", asGCG, self)})
	if err := os.Chmod(bin+"/gcg", 0o700); err != nil {
		t.Fatal(err)
	}
	refit := func() string {
		cmd := exec.Command("sh", "refit.sh", "m.gcg", "ratings.csv")
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	before, err := os.ReadFile("m.gcg")
	if err != nil {
		t.Fatal(err)
	}
	said := refit()
	if after, _ := os.ReadFile("m.gcg"); !bytes.Equal(before, after) || !strings.Contains(said, "the model stays") {
		t.Errorf("without news the model is another one: %s", said)
	}
	more, err := os.ReadFile("ratings.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		more = fmt.Appendf(more, "later%d,%d,%d\n", i%6, 1+i%40, 1+4*(i%2))
	}
	if err := os.WriteFile("ratings.csv", more, 0o600); err != nil {
		t.Fatal(err)
	}
	if said = refit(); !strings.Contains(said, "refitted") {
		t.Errorf("with news: %s", said)
	}
	r.until(t, "users=66")
	if status, a := r.get(t, "/v1/users/later3/recommendations"); status != 200 {
		t.Errorf("a user that came in: %d, %v", status, a)
	}
}

// recipe is the script of docs/serving.md.
func recipe(t *testing.T) string {
	t.Helper()
	_, script, found := strings.Cut(manual(t, "docs/serving.md"), "```sh\n#!/bin/sh\n")
	script, _, closed := strings.Cut(script, "```\n")
	if !found || !closed {
		t.Fatal("docs/serving.md has no script")
	}
	return script
}
