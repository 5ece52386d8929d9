package model

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// A Kind is what a bound is worth, numbered in files by its place in kinds. A certificate without a bound has kind 0 in older
// files, which is of no consequence.
type Kind gcg.Kind

// kinds are in the order of their numbers in files.
var kinds = []gcg.Kind{gcg.Proven, gcg.Probable, gcg.Approximate, gcg.Unbounded}

// MarshalJSON writes the number of the kind, -1 for none of them, which Write refuses.
func (k Kind) MarshalJSON() ([]byte, error) { return json.Marshal(slices.Index(kinds, gcg.Kind(k))) }

// UnmarshalJSON reads the number of a kind.
func (k *Kind) UnmarshalJSON(text []byte) error {
	var number int
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	if number < 0 || number >= len(kinds) {
		return fmt.Errorf("it holds a certificate of unknown kind %d", number)
	}
	*k = Kind(kinds[number])
	return nil
}
