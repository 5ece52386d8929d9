package dataset_test

import (
	"os"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// The fields of a first line are those that the readers of tables see: without quotes, byte order mark and comments before it.
func TestReadFields(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string][]string{
		"a,b\n1,2\n":                         {"a", "b"},
		"\ufeff\"a, b\";\"c \"\"d\"\"\" ; e": {"a, b", `c "d"`, "e"},
		"# said before\n\nx|y z\n":           {"x", "y z"},
		"  x y\r\n":                          {"x", "y"},
		"one":                                {"one"},
		"":                                   nil,
		"\"a,b\n":                            nil,
	} {
		if err := os.WriteFile("f", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := dataset.ReadFields("f"); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}
