package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/serve"
	"github.com/seed-b18ef778/gcg/model"
)

type serveFlags struct {
	model, listen, seen, titles, columns string
	query                                string
	decimal                              cli.Decimal
	watch, insecure                      bool
	tokenFile, cert, key                 string
	pair                                 atomic.Pointer[tls.Certificate]
}

func serveCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve --model FILE",
		Short: "Answer over HTTP: recommendations, predictions, similar items, and why",
		Long: `Answers over HTTP, in JSON: GET /openapi.json describes the requests, and / is a page to look users and items up.
SIGHUP takes in a new model file, as --watch does without being told; a file that cannot be read changes nothing.
SIGTERM ends the server when the requests that are there are answered.`,
		Example: `  gcg serve --model my.gcg --seen ratings.csv --titles items.csv
  gcg serve --model my.gcg --watch --listen :8443 --token-file token --tls-cert cert.pem --tls-key key.pem`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd.ErrOrStderr()) },
	}
	cli.Bind(cmd, cmd.Name(), "", cli.Fields{"model": &f.model, "listen": &f.listen, "seen": &f.seen, "titles": &f.titles,
		"columns": &f.columns, "query": &f.query,
		"decimal": &f.decimal, "watch": &f.watch, "token-file": &f.tokenFile, "tls-cert": &f.cert,
		"tls-key": &f.key, "insecure": &f.insecure})
	return cmd
}

func (f *serveFlags) check() error {
	switch {
	case f.model == "":
		return cli.Usagef("gcg serve needs --model")
	case (f.cert == "") != (f.key == ""):
		return cli.Usagef("--tls-cert and --tls-key go together: give both")
	case f.watch && (f.model == "-" || f.seen == "-" || f.titles == "-"):
		return cli.Usagef("--watch: standard input can be read once; name files")
	}
	if err := cli.CheckColumns(f.columns, false); err != nil {
		return err
	}
	if err := cli.CheckQuery(f.query, f.seen); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return cli.Usagef("--listen %q: an address and a port, such as 127.0.0.1:8080 or :8080", f.listen)
	}
	if !loopback(host) && f.tokenFile == "" && f.cert == "" && !f.insecure {
		return cli.Usagef("--listen %s: others can reach it; add --token-file, or --tls-cert and --tls-key, or say --insecure",
			f.listen)
	}
	return cli.CheckFiles([]string{f.model, f.seen, f.titles})
}

// loopback says that a host is this machine, as it sees itself, under all its addresses.
func loopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}

func (f *serveFlags) run(ctx context.Context, log io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	opt := serve.Options{Log: slog.New(slog.NewTextHandler(log, nil))}
	var err error
	if f.tokenFile != "" {
		if opt.Tokens, err = readTokens(f.tokenFile); err != nil {
			return err
		}
	}
	if f.cert != "" {
		opt.TLS = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.pair.Load(), nil }}
	}
	hangups := untilEnded(ctx)
	s, err := cli.UnlessInterrupted(ctx, func() (*serve.Server, error) { return serve.New(ctx, f.load, opt) })
	if err != nil {
		return err
	}
	l, err := cli.Listen("--listen", f.listen)
	if err != nil {
		return err
	}
	scheme := "http"
	if opt.TLS != nil {
		scheme = "https"
	}
	opt.Log.Info("serving", "url", scheme+"://"+l.Addr().String()+"/")
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for {
			select {
			case <-within.Done():
				return
			case <-hangups:
				s.Reload(within) // which logs what fails
			}
		}
	}()
	if f.watch {
		go s.Watch(within, time.Second, f.files()...)
	}
	return s.Serve(ctx, l)
}

// files are those that are read anew.
func (f *serveFlags) files() (names []string) {
	for _, name := range []string{f.model, f.seen, f.titles, f.cert, f.key} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// load reads what is served.
func (f *serveFlags) load(ctx context.Context) (*serve.Catalog, error) {
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert %s and --tls-key %s: %w", f.cert, f.key, atomicfile.Pathless(err))
		}
		f.pair.Store(&pair)
	}
	c := &serve.Catalog{}
	if info, err := os.Stat(f.model); err == nil {
		c.Fitted = info.ModTime()
	}
	m, err := cli.LoadModel(f.model)
	if err != nil {
		return nil, err
	}
	c.Recommender = model.NewRecommender(m, 10)
	if f.titles != "" {
		if c.Titles, err = dataset.ReadTitles(f.titles); err != nil {
			return nil, err
		}
	}
	if f.seen != "" {
		by := dataset.RatingsReader{Columns: f.columns, Decimal: byte(f.decimal), ValuesOptional: true, Labels: m.TwoLabels() != nil}
		seen, err := cli.UnlessInterrupted(ctx, func() (*dataset.Ratings, error) { return cli.ReadQueried(by, f.seen, f.query) })
		if err != nil {
			return nil, err
		}
		if c.Recommender.LeaveOut(seen, nil) == 0 {
			return nil, fmt.Errorf("%s: has no user with an item of the model; see --columns", seen.Name)
		}
	}
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.model, err)
	}
	return c, nil
}

// readTokens reads a file of tokens, which must be long enough not to be guessed.
func readTokens(name string) (tokens []string, err error) {
	const shortest = 16
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--token-file %s: cannot be read: %w", name, atomicfile.Pathless(err))
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		token := strings.TrimSpace(lines.Text())
		switch {
		case token == "":
		case len(token) < shortest:
			return nil, fmt.Errorf("%s:%d: the token is shorter than %d characters, and can be guessed", name, n, shortest)
		default:
			tokens = append(tokens, token)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--token-file %s: cannot be read: %w", name, err)
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("--token-file %s: has no token", name)
	}
	return tokens, nil
}
