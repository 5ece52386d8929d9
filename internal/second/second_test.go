package second_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/second"
	"github.com/seed-b18ef778/gcg/solver/structured"
)

func TestParse(t *testing.T) {
	for word, want := range map[string]second.Word{"fused:0.1": {Order: 1, Weight: 0.1}, "trend:2": {Order: 2, Weight: 2},
		"trend3:1e-2": {Order: 4, Weight: 0.01}, "groups:a,b.csv,3": {File: "a,b.csv", Weight: 3}} {
		if got, ok, err := second.Parse(word); err != nil || !ok || got != want {
			t.Errorf("%s: %+v, %v, %v", word, got, ok, err)
		}
	}
	for _, word := range []string{"fused", "fused:", "fused:-1", "fused:inf", "trend0:1", "trend9:1", "groups:1", "groups:f.csv",
		"groups:f,x"} {
		if _, ok, err := second.Parse(word); err == nil || !ok {
			t.Errorf("%s is not refused", word)
		}
	}
	for _, word := range []string{"linear", "square"} {
		if _, ok, _ := second.Parse(word); ok {
			t.Errorf("%s is taken for a second penalty", word)
		}
	}
}

// Groups may overlap, and have weights of their own.
func TestGroups(t *testing.T) {
	name := filepath.Join(t.TempDir(), "groups.csv")
	if err := os.WriteFile(name, []byte("a,b,c\n2: c,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := second.Word{File: name, Weight: 3}.On([]string{"a", "b", "c", "d"}, 4)
	if err != nil {
		t.Fatal(err)
	}
	k := g.(*structured.Groups)
	if len(k.Member) != 2 || k.Member[1][1] != 3 || k.Weight[0] != 3 || k.Weight[1] != 6 || k.Norm2() != 2 {
		t.Errorf("%+v", k)
	}
	if _, err := (second.Word{Order: 3, Weight: 1}).On(nil, 3); err == nil {
		t.Error("differences of order 3 of 3 features are not refused")
	}
}
