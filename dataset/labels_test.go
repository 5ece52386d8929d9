package dataset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

func TestLabels(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want int
		got  string
	}{
		"plain":          {"cat\ndog\ncat\n", 3, "cat/dog/cat"},
		"unknown":        {"class\ncat\ndog", 0, "class/cat/dog"},
		"header":         {"class\ncat\ndog\n\n\n", 2, "cat/dog"},
		"numbers":        {"2\n1\n", 2, "2/1"},
		"number above":   {"0\ncat\ndog\n", 2, "cat/dog"},
		"header, crlf":   {"\xef\xbb\xbfy\r\n1\r\n2\r\n", 2, "1/2"},
		"blanks inside":  {"new york\n san jose \n", 2, "new york/san jose"},
		"quoted":         {"\"a, b\"\n\"c \"\"d\"\"\"\n", 0, `a, b/c "d"`},
		"quoted blanks":  {"\" a\"\n \"a\" \n\"a \"\n", 0, " a/a/a "},
		"bars":           {"a|b\nc\n", 0, "a|b/c"},
		"row names":      {",class\n0,cat\n\"1, or 2\",\"a;b\"\n3, dog\n", 3, "cat/a;b/dog"},
		"row names of R": {"\"\"\t\"x\"\r\n\"1\"\t\"new york\"\r\n\"2\"\t7\r\n\r\n", 0, "new york/7"},
		"npy": {string(npy(1, header("<i8", false, "(3,)"), []int64{3, -1, 1 << 40}, binary.LittleEndian)), 3,
			"3/-1/1099511627776"},
		"market": {"%%MatrixMarket matrix array integer general\n2 1\n4\n5\n", 2, "4/5"},
	} {
		got, err := ReadLabels("-", strings.NewReader(c.text), c.want)
		if err != nil || strings.Join(got, "/") != c.got {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, c := range map[string]struct {
		text string
		want int
		err  string
	}{
		"empty":       {"", 0, "standard input: is empty"},
		"blank":       {"\n\n", 0, "standard input: is empty"},
		"too few":     {"a\nb\n", 3, "has 2 labels for 3 rows"},
		"too many":    {"a\nb\nc\nd\n", 2, "has 4 labels for 2 rows"},
		"one more":    {"a\nb\na\n", 2, "has 3 labels for 2 rows"},
		"number more": {"3\n1\n2\n", 2, "has 3 labels for 2 rows"},
		"gap":         {"a\n\nb\n", 0, ":2: has no label"},
		"quoted gap":  {"a\n\" \"\nb\n", 0, ":2: has no label"},
		"quoted nan":  {"1\n\" nan\"\n", 0, ":2: the label is"},
		"two columns": {"id,class\n1,a\n", 0, ":1: has more than one column"},
		"row alone":   {",class\n0,a\n1\n", 0, ":3: has 1 column where line 1 has 2"},
		"row empty":   {",class\n0,\n1,b\n", 0, ":2: has no label"},
		"row of two":  {",class\n0,a,b\n", 0, ":2: has more than one column"},
		"unnamed":     {",\n0,a\n", 0, ":1: has more than one column"},
		"tabs":        {"a\n1\ta\n", 0, ":2: has more than one column"},
		"missing":     {"1\nNaN\n", 0, `:2: the label is "NaN"`},
		"binary":      {"a\x00\n", 0, "holds binary data"},
		"open quote":  {"\"a\n", 0, ":1: a quote is not closed"},
		"matrix":      {string(npy(1, header("|u1", false, "(1, 2)"), []uint8{1, 2}, binary.LittleEndian)), 0, "labels are one column"},
	} {
		_, err := ReadLabels("-", bytes.NewReader([]byte(c.text)), c.want)
		wantError(t, name, err, c.err)
	}
}
