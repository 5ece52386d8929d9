package dataset

import (
	"cmp"
	"slices"
	"strings"
)

// LabelIDs numbers the classes of labels: names[ids[i]] is labels[i], names ascending by number if all labels are finite
// numbers, else by text. Numbers of up to 15 characters that are equal are one class, as +1 and 1 are; it has the name
// that occurs first.
func LabelIDs(labels []string) (ids []int32, names []string) {
	classes := map[string]*class{} // by text, several texts to a class
	var distinct []*class
	numeric := true
	for _, s := range labels {
		if classes[s] == nil {
			x, ok := wholeNumber([]byte(s))
			numeric = numeric && ok && finite(x)
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
