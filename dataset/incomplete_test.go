package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Missing entries of text and arrays are NaN; words and infinities are still refused.
func TestReadIncomplete(t *testing.T) {
	array := string(npy(1, header("<f8", false, "(2, 2)"), []float64{1, math.NaN(), 3, 4}, binary.LittleEndian))
	for text, want := range map[string]string{
		"a,b,c\n1,,3\nNA,5,nan\n": "[1 NaN 3 NaN 5 NaN]",
		"1\t\t3\n4\t5\t?\n":       "[1 NaN 3 4 5 NaN]",
		"1,2,\n3,4,5\n":           "[1 2 NaN 3 4 5]",
		"1 NaN\n3 4\n":            "[1 NaN 3 4]",
		array:                     "[1 NaN 3 4]",
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 7\n": "[0 7 0 0]",
	} {
		m, err := ReadIncomplete("-", strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := fmt.Sprint(m.Dense); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"a,b\n1,two\n": `standard input:2: column 2 ("b") is "two", not a number`,
		"a,b\n1,inf\n": `standard input:2: column 2 ("b") is "inf"; the numbers must be finite`,
		"1,2\n3\n":     "standard input:2: has 1 column where line 1 has 2",
	} {
		if _, err := ReadIncomplete("-", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Missing features are counted, so that one sees at once how many there are, and where; one alone is named.
func TestMissingFeatures(t *testing.T) {
	for text, want := range map[string]string{
		"age,income\n1,2\n,NA\nnan,3\n,4\n": `standard input:3: has the first of 4 missing fields of 8: 3 in column "age", ` +
			`1 in column "income"; fill them in`,
		"age,income\n1,2\n3,NA\n": `standard input:3: column 2 ("income") is "NA", a missing value; fill it in or leave the line out`,
	} {
		_, err := readBytes([]byte(text))
		wantError(t, text, err, want)
	}
}
