package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// groupsOf reads groups of a file with that text.
func groupsOf(t *testing.T, text string, features []string, rows int) ([][]int32, []float64) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "groups")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	groups, weights, err := ReadGroups(name, features, rows, false)
	if err != nil {
		t.Fatal(err)
	}
	return groups, weights
}

// A byte order mark is no part of the first name.
func TestGroupsAfterAByteOrderMark(t *testing.T) {
	groups, weights := groupsOf(t, "\ufeffa\nb\na\n", nil, 3)
	if len(groups) != 2 || !slices.Equal(groups[0], []int32{0, 2}) || !slices.Equal(groups[1], []int32{1}) || weights != nil {
		t.Errorf("groups %v, weights %v", groups, weights)
	}
}

// Names of features that hold what separates words stand in quotes, as in the header they come from.
func TestGroupsOfQuotedNames(t *testing.T) {
	groups, weights := groupsOf(t, "2: \"height, cm\",age\n\"5\"\" screen\" 3\n",
		[]string{"age", "height, cm", "plain", `5" screen`}, 4)
	if len(groups) != 2 || !slices.Equal(groups[0], []int32{1, 0}) || !slices.Equal(groups[1], []int32{3, 2}) ||
		!slices.Equal(weights, []float64{2, 1}) {
		t.Errorf("groups %v, weights %v", groups, weights)
	}
}
