package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CheckColumns says what is wrong with RatingsReader.Columns before anything is read: these are three names or numbers from
// 1, with commas between, or four with a time; two may do where ratings are not needed. "" is nothing wrong.
func CheckColumns(columns string, ratings bool) error {
	if columns == "" {
		return nil
	}
	names := strings.Split(columns, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
		if names[i] != "" && slices.Contains(names[:i], names[i]) {
			return fmt.Errorf("%s is there twice", names[i])
		}
		if v, err := strconv.Atoi(names[i]); err == nil && v < 1 {
			return errors.New("numbers of columns start at 1")
		}
	}
	if len(names) == 2 && !ratings && !slices.Contains(names, "") {
		return nil
	}
	if len(names) < 3 || len(names) > 4 || slices.Contains(names, "") {
		return errors.New("a user, an item and a rating column, and perhaps a time, with commas between")
	}
	return nil
}
