package class

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestIDs(t *testing.T) {
	for name, c := range map[string]struct {
		labels, names string
		ids           []int32
	}{
		"texts":        {"dog cat dog", "cat dog", []int32{1, 0, 1}},
		"numbers":      {"10 9 -1 10", "-1 9 10", []int32{2, 1, 0, 2}},
		"one text":     {"10 9 x", "10 9 x", []int32{0, 1, 2}},
		"signs":        {"+1 -1 1 1.0", "-1 +1", []int32{1, 0, 1, 1}},
		"long numbers": {"12345678901234568 12345678901234567 1", "1 12345678901234567 12345678901234568", []int32{2, 1, 0}},
		"infinite":     {"inf 10 9", "10 9 inf", []int32{2, 0, 1}},
		"one":          {"a a", "a", []int32{0, 0}},
	} {
		ids, names := IDs(strings.Fields(c.labels))
		if strings.Join(names, " ") != c.names || !slices.Equal(ids, c.ids) {
			t.Errorf("%s: %v, %q", name, ids, names)
		}
	}
	if ids, names := IDs(nil); len(ids) != 0 || len(names) != 0 {
		t.Errorf("%v, %v", ids, names)
	}
}

func TestSigns(t *testing.T) {
	at := func(e int) string { return strings.Repeat("i", e+1) }
	y, err := Signs([]string{"0", "1"}, []string{"1", "+1", "0", "", "1.0", "-0"}, at)
	if err != nil {
		t.Fatal(err)
	}
	for e, want := range []float64{1, 1, -1, math.NaN(), 1, -1} {
		if y[e] != want && !(math.IsNaN(y[e]) && math.IsNaN(want)) {
			t.Errorf("label %d has the sign %g, not %g", e, y[e], want)
		}
	}
	if _, err := Signs([]string{"no", "yes"}, []string{"yes", "maybe"}, at); err == nil || !strings.Contains(err.Error(),
		`ii: the label "maybe" does not occur in training; there are no and yes`) {
		t.Errorf("%v", err)
	}
}
