package dataset

import (
	"testing"
)

// Two columns will do where no ratings are needed, and no other number does but three and four; no column is there twice.
func TestCheckColumns(t *testing.T) {
	for columns, want := range map[string][2]bool{"": {true, true}, "user,item": {true, false}, "u,i,r": {true, true},
		"1, 2,3,4": {true, true}, "1,2,3,4,5": {false, false},
		"user": {false, false}, "u,,r": {false, false}, ",": {false, false}, "0,1,2": {false, false}, "u,i,u": {false, false}} {
		for k, ratings := range []bool{false, true} {
			if err := CheckColumns(columns, ratings); (err == nil) != want[k] {
				t.Errorf("%q, ratings %v: %v", columns, ratings, err)
			}
		}
	}
}
