package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Text from outside neither ends the element of the data nor begins one, wherever it stands.
func TestWriteEscapes(t *testing.T) {
	const evil = `</script><img src=x onerror=alert(1)>"'&` + "\x1b[31m\u202e"
	p := Page{Title: evil, Data: map[string]string{"id": evil}, Body: Section("a", evil, Table{Caption: evil, Heads: []string{evil},
		Rows: [][]string{{evil}}}.HTML()+Facts([][2]string{{evil, evil}}))}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if strings.Contains(s, "<img") || strings.Contains(s, "\x1b") || strings.Contains(s, "</script><") ||
		!strings.Contains(s, "&lt;img") {
		t.Error(s)
	}
	if begun, ended := strings.Count(s, "<script"), strings.Count(s, "</script>"); begun != ended || begun != 2 {
		t.Errorf("%d scripts begin and %d end", begun, ended)
	}
}

// The policy allows the scripts that the page has, and the server only where it is asked for; nothing is loaded from elsewhere.
func TestWritePolicy(t *testing.T) {
	var alone, served bytes.Buffer
	if err := (Page{Scripts: []string{"1"}}).Write(&alone); err != nil {
		t.Fatal(err)
	}
	if err := (Page{Connects: true}).Write(&served); err != nil {
		t.Fatal(err)
	}
	if s := alone.String(); strings.Count(s, "'sha256-") != 2 || strings.Contains(s, "connect-src") ||
		strings.Contains(s, "http://") || strings.Contains(s, "https://") {
		t.Error(s)
	}
	if s := served.String(); strings.Count(s, "'sha256-") != 1 || !strings.Contains(s, "connect-src 'self'") {
		t.Error(s)
	}
}

func TestWriteErrors(t *testing.T) {
	if err := (Page{Data: func() {}}).Write(&bytes.Buffer{}); err == nil {
		t.Error("data that are no JSON were written")
	}
	if err := (Page{}).Write(full{}); err == nil {
		t.Error("a full disk was not noticed")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }
