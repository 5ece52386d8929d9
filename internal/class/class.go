// Package class tells classes by the texts of their labels: numbers that are equal are one label, however they are written.
package class

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// IDs numbers the classes of labels: names[ids[i]] is labels[i], names ascending by number if all labels are finite
// numbers, else by text. Numbers of up to 15 characters that are equal are one class, as +1 and 1 are; it has the name
// that occurs first.
func IDs(labels []string) (ids []int32, names []string) {
	classes := map[string]*class{} // by text, several texts to a class
	var distinct []*class
	numeric := true
	for _, s := range labels {
		if classes[s] == nil {
			x, ok := text.WholeNumber([]byte(s))
			numeric = numeric && ok && text.Finite(x)
			c := &class{name: s, value: x}
			classes[s] = c
			distinct = append(distinct, c)
		}
	}
	if numeric {
		distinct = mergeEqual(distinct, classes)
	}
	slices.SortFunc(distinct, func(a, b *class) int {
		if numeric && a.value != b.value {
			return cmp.Compare(a.value, b.value)
		}
		return strings.Compare(a.name, b.name)
	})
	for i, c := range distinct {
		c.id = int32(i)
		names = append(names, c.name)
	}
	ids = make([]int32, len(labels))
	for i, s := range labels {
		ids[i] = classes[s].id
	}
	return ids, names
}

type class struct {
	name  string
	value float64
	id    int32
}

// mergeEqual makes one class of equal numbers. Longer ones may differ beyond the digits of a float64, and stay apart.
func mergeEqual(distinct []*class, classes map[string]*class) []*class {
	byValue := map[float64]*class{}
	kept := distinct[:0]
	for _, c := range distinct {
		if first := byValue[c.value]; first != nil && len(c.name) <= 15 {
			classes[c.name] = first
			continue
		}
		if len(c.name) <= 15 {
			byValue[c.value] = c
		}
		kept = append(kept, c)
	}
	return kept
}

// Two names the two classes of labels, the smaller number or the first text as the negative one, and makes signs of the
// labels. Of numbers that are equal, as +1 and 1, the name is the plain one. ok says whether there are two; else names are all.
func Two(labels []string) (names []string, signs []float64, ok bool) {
	ids, names := IDs(labels)
	for i, name := range names {
		if x, number := text.WholeNumber([]byte(name)); number && text.Finite(x) && len(name) <= 15 {
			names[i] = Label(x)
		}
	}
	if len(names) != 2 {
		return names, nil, false
	}
	signs = make([]float64, len(ids))
	for i, id := range ids {
		signs[i] = float64(2*id - 1)
	}
	return names, signs, true
}

// Label is a number as a label.
func Label(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Among is the index of a label among names, or -1. Numbers match however they are written: 1 and +1 are one label.
func Among(names []string, label string) int {
	if at := slices.Index(names, label); at >= 0 {
		return at
	}
	ids, distinct := IDs(append(slices.Clone(names), label))
	if len(distinct) > len(names) {
		return -1
	}
	return slices.Index(ids, ids[len(names)])
}

// Signs are the labels as -1 and 1, the first and the second of two; a label "" is missing, and has NaN. An error names the first
// label that is neither; at is its place.
func Signs(two, labels []string, at func(e int) string) ([]float64, error) {
	y, signs := make([]float64, len(labels)), map[string]float64{"": math.NaN()}
	for e, label := range labels {
		sign, met := signs[label]
		if !met {
			id := Among(two, label)
			if id < 0 {
				return nil, fmt.Errorf("%s: the label %q does not occur in training; there are %s", at(e), label,
					strings.Join(two, " and "))
			}
			sign = float64(2*id - 1)
			signs[label] = sign
		}
		y[e] = sign
	}
	return y, nil
}
