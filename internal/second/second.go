// Package second reads second penalties of regression from words, such as fused:0.1.
package second

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver/structured"
)

// A Word is a penalty on the weights of features by its name, beside their ℓ1 norm.
type Word struct {
	Order  int // of differences of neighbours, 0 for groups
	Weight float64
	File   string // of groups, or ""
}

// Words are what Parse reads.
const Words = "fused:W, trend:W, trend2:W, trend3:W and groups:FILE,W"

// most is the largest degree of a trend.
const most = 3

// Parse reads a word of Words; W is its weight. It is not one where the name is another: ok is false then.
func Parse(word string) (w Word, ok bool, err error) {
	name, value, has := strings.Cut(word, ":")
	switch {
	case name == "fused":
		w.Order = 1
	case name == "trend":
		w.Order = 2
	case strings.HasPrefix(name, "trend"):
		degree, err := strconv.Atoi(name[len("trend"):])
		if err != nil || degree < 1 || degree > most {
			return w, true, fmt.Errorf("%q: trends have a degree from 1, straight lines, to %d", word, most)
		}
		w.Order = degree + 1
	case name == "groups":
		if at := strings.LastIndexByte(value, ','); at > 0 {
			w.File, value = value[:at], value[at+1:]
		}
		if w.File == "" {
			return w, true, fmt.Errorf("%q: a file of groups and a weight, such as groups:groups.csv,0.5", word)
		}
	default:
		return w, false, nil
	}
	w.Weight, err = strconv.ParseFloat(value, 64)
	if !has || err != nil || !(w.Weight > 0) || math.IsInf(w.Weight, 1) {
		return w, true, fmt.Errorf("%q: its weight is a positive number, such as %s:0.1", word, name)
	}
	return w, true, nil
}

// On is the penalty of so many features, with names or none: groups are read now.
func (w Word) On(features []string, p int) (structured.Penalty, error) {
	if w.File == "" {
		g := &structured.Differences{P: p, Order: w.Order, Weight: w.Weight}
		return g, g.Check()
	}
	members, weights, err := dataset.ReadGroups(w.File, features, p, true)
	if err != nil {
		return nil, err
	}
	g := &structured.Groups{P: p, Member: members, Weight: make([]float64, len(members))}
	for k := range members {
		g.Weight[k] = w.Weight
		if weights != nil {
			g.Weight[k] *= weights[k]
		}
	}
	return g, g.Check()
}
