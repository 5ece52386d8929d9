package param_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/param"
)

// An error reads as fields do, whatever wraps it, and with the words of a caller where it is asked for these.
func TestText(t *testing.T) {
	flag := func(n param.Name) string { return "--" + strings.ToLower(string(n)) }
	plain := errors.New("plain --Columns")
	at := param.At("a.csv:3: ", "column %d; see %s or %s", 4, param.Columns, param.Decimal)
	is := param.Errorf("the end: %w; see %v", io.EOF, param.Rows)
	for _, c := range []struct {
		err              error
		fields, commands string
	}{
		{plain, "plain --Columns", "plain --Columns"},
		{at, "a.csv:3: column 4; see Columns or Decimal", "a.csv:3: column 4; see --columns or --decimal"},
		{is, "the end: EOF; see Rows", "the end: EOF; see --rows"},
		{fmt.Errorf("reading: %w", at), "reading: a.csv:3: column 4; see Columns or Decimal",
			"reading: a.csv:3: column 4; see --columns or --decimal"},
		{errors.Join(plain, is), "plain --Columns\nthe end: EOF; see Rows", "plain --Columns\nthe end: EOF; see --rows"},
	} {
		if got := c.err.Error(); got != c.fields {
			t.Errorf("%q, want %q", got, c.fields)
		}
		if got := param.Text(c.err, flag); got != c.commands {
			t.Errorf("%q, want %q", got, c.commands)
		}
	}
	if !errors.Is(is, io.EOF) {
		t.Error("what is wrapped is lost")
	}
}
