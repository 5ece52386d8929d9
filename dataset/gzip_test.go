package dataset

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// Of gzip files the members are one text, zeros behind them are padding, and other bytes are called what they are: not cut short.
func TestBehindGzip(t *testing.T) {
	t.Chdir(t.TempDir())
	member := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	one, two := member("a,b,1\n"), member("a,c,2\n")
	for file, want := range map[string]string{
		one:                              "",
		one + two:                        "",
		one + two + "\x00\x00\x00":       "",
		one + "garbage":                  "follows its gzip",
		one + "x":                        "follows its gzip",
		one + strings.Repeat("more", 99): "follows its gzip",
		one + two[:5]:                    "cut short",
		one[:len(one)-3]:                 "cut short",
	} {
		if err := os.WriteFile("f.gz", []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := RatingsReader{}.ReadRatings("f.gz")
		switch {
		case want == "" && (err != nil || len(r.Values) != strings.Count(file, "\x1f\x8b")):
			t.Errorf("%q: %v", file, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), "f.gz:") || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}
