package main

import (
	"slices"
	"testing"
)

// A byte order mark is no part of the first name, and entries that int32 does not number are refused, not taken for others.
func TestGroupsOfOddFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"bom": "\ufeffa\nb\na\n", "last": "2097152\n"})
	groups, err := readGroups("bom", nil, 3, 2)
	if err != nil || len(groups) != 2 || !slices.Equal(groups[0], []int32{0, 1, 4, 5}) {
		t.Errorf("a byte order mark: %v, %v", groups, err)
	}
	if groups, err := readGroups("last", nil, 1<<21, 1<<10+1); err == nil {
		t.Errorf("2³¹ entries and more: the last row is %v", groups)
	}
}
