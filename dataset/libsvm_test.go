package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func libsvmOf(text string) (*labelled, error) { return readLIBSVM("-", strings.NewReader(text), nil) }

func TestLIBSVM(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		zero   bool
		labels string
	}{
		"from 1":         {"+1 1:3 3:-1.5\n-1\n+1 2:2e-7\n", false, "+1 -1 +1"},
		"from 0":         {"+1 0:3 2:-1.5\n-1\n+1 1:2e-7\n", true, "+1 -1 +1"},
		"0 comes late":   {"a 2:-1.5\nb 1:3\nc 0:2e-7\n", true, "a b c"},
		"qid, comments":  {"# c\n1 qid:7 1:3 3:-1.5 # 4:5\n2 qid:7 # none\n\n3 2:2e-7\n", false, "1 2 3"},
		"crlf and tabs":  {"\xef\xbb\xbf1\t1:3\t 3:-1.5  \r\n2 \r\n3 2:0.0000002\r\n", false, "1 2 3"},
		"several labels": {"1,2 1:3 3:-1.50000000000000000000\n2\n3 2:2e-7", false, "1,2 2 3"},
	} {
		d, err := libsvmOf(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkMatrix(t, d.X)
		if d.X.Rows != 3 || d.X.Cols != 3 || d.ZeroBased != c.zero || strings.Join(d.Labels, " ") != c.labels {
			t.Errorf("%s: %d×%d, labels %q", name, d.X.Rows, d.X.Cols, d.Labels)
		}
		if name != "0 comes late" && (at(d.X, 0, 0) != 3 || at(d.X, 0, 2) != -1.5 || at(d.X, 2, 1) != 2e-7 || len(d.X.Values) != 3) {
			t.Errorf("%s: %+v", name, d.X)
		}
	}
}

func TestBadLIBSVM(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "standard input: is empty"},
		"comments":    {"# a\n  # b\n", "standard input: "},
		"no features": {"1\n2\n", "has labels and no features"},
		"csv": {"5.1,3.5,setosa\n",
			"has labels and no features; a line is «label index:value …», and delimited text has target"},
		"dense":          {"1 2 3\n", `:1: holds "2", which is not index:value`},
		"no label":       {"1:2 2:3\n", `:1: starts with "1:2"; a label goes first`},
		"twice":          {"1 1:2\n1 2:3 2:4\n", ":2: has index 2 twice"},
		"zero twice":     {"1 0:2 0:3\n", ":1: has index 0 twice"},
		"descending":     {"1 1:2\n1 5:3 2:4\n", ":2: has index 2 after 5"},
		"negative":       {"1 -1:2\n", `:1: the index of "-1:2" is not a whole number`},
		"too large":      {"1 2147483647:2\n", ":1: the index of"},
		"overflow":       {"1 99999999999999999999:2\n", ":1: the index of"},
		"named index":    {"1 age:2\n", `:1: the index of "age:2"`},
		"missing label":  {"1 1:2\nNaN 1:1\n", `:2: the label is "NaN", a missing value`},
		"nan":            {"1 1:nan\n", `:1: index 1 has the value "nan"; the numbers must be finite`},
		"infinite":       {"1 1:1e999\n", ":1: index 1 has the value \"1e999\"; the numbers"},
		"no value":       {"1 1:\n", `:1: index 1 has the value "", which is not a number`},
		"underscore":     {"1 1:2 2:1_0\n", `:1: index 2 has the value "1_0", which is not a number`},
		"word":           {"1 1:2 2:x\n", `:1: index 2 has the value "x", which is not a number`},
		"space in pair":  {"1 1: 2\n", `:1: index 1 has the value ""`},
		"binary":         {"1 1:2\x00\n", "holds binary data"},
		"binary, line 2": {"1 1:2\n1 1:2\x00\n", "holds binary data"},
	} {
		_, err := libsvmOf(c.text)
		wantError(t, name, err, c.want)
	}
}

// What is written is read back, through several chunks.
func TestLIBSVMRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	var index []int32
	var values []float64
	var labels []string
	for i := range 6000 {
		labels = append(labels, strconv.Itoa(i)) // more than are shared
		text.WriteString(labels[i])
		for j := r.IntN(3); j < 40; j += 1 + r.IntN(5) {
			x := r.NormFloat64()
			fmt.Fprintf(&text, " %d:%v", j+1, x)
			index, values = append(index, int32(j)), append(values, x)
		}
		text.WriteString("\n")
	}
	d, err := libsvmOf(text.String())
	if err != nil {
		t.Fatal(err)
	}
	checkMatrix(t, d.X)
	if !slices.Equal(d.X.Index, index) || !slices.Equal(d.X.Values, values) || !slices.Equal(d.Labels, labels) {
		t.Error("another matrix comes back")
	}
}

func FuzzLIBSVM(f *testing.F) {
	for _, s := range []string{"+1 1:3 3:-1.5\n-1\n", "a 0:1e-5 # c\n", "1 qid:3 7:0x1p3\r\n", "1 2147483646:1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := readLIBSVM("-", bytes.NewReader(b), nil)
		if err != nil {
			oneLine(t, err)
			return
		}
		checkMatrix(t, d.X)
		if len(d.Labels) != d.X.Rows {
			t.Errorf("%d labels for %d rows", len(d.Labels), d.X.Rows)
		}
	})
}
