// Package gaugeword reads gauges by their names, as the command line and models have them.
package gaugeword

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
)

// A Word is a gauge by its name.
type Word struct {
	Gauge gcg.Gauge
	File  string // of groups or weights, which need the shape of W, or ""
	Norm  string // what κ is called
}

var plainGauges = map[string]Word{
	"l1":            {Gauge: gauge.L1{}, Norm: "ℓ1 norm"},
	"positive-l1":   {Gauge: gauge.PositiveL1{}, Norm: "sum"},
	"simplex":       {Gauge: gauge.Simplex{}, Norm: "sum"},
	"group":         {Gauge: gauge.Group{}, Norm: "group norm of rows"},
	"columns":       {Gauge: gauge.Group{ByColumns: true}, Norm: "group norm of columns"},
	"group-inf":     {Gauge: gauge.Group{Inner: gauge.LInf}, Norm: "group ℓ∞ norm of rows"},
	"trace":         {Gauge: gauge.Trace{}, Norm: "trace norm"},
	"rows-columns":  {Gauge: rowscolumns.Gauge{}, Norm: "largest entries of rows and columns"},
	"psd-trace":     {Gauge: gauge.PSDTrace{}, Norm: "trace"},
	"spectrahedron": {Gauge: gauge.Spectrahedron{}, Norm: "trace"},
}

// All lists what Parse reads.
func All() []string {
	return []string{"l1", "l1:WEIGHTS", "positive-l1", "simplex (constrained)",
		"group (rows of W)", "columns", "group-inf", "group:FILE", "group-inf:FILE", "group:FILE,by-size", "overlap-inf:FILE",
		"rows-columns", "trace", "schatten:p", "lp:p", "factor:c,r (c and r are 1, 2 or inf)"}
}

// squareGauges are of symmetric matrices, which W is not.
var squareGauges = []string{"psd-trace", "spectrahedron"}

// Parse reads a word of All, or with square psd-trace or spectrahedron, too.
func Parse(word string, square bool) (Word, error) {
	if g, ok := plainGauges[word]; ok && (square || !slices.Contains(squareGauges, word)) {
		return g, nil
	}
	name, value, has := strings.Cut(word, ":")
	if has && value != "" {
		switch name {
		case "l1":
			return Word{gauge.L1{}, value, "weighted ℓ1 norm"}, nil
		case "group", "group-inf":
			return parseGroups(name, value)
		case "overlap-inf":
			return Word{&rowscolumns.Groups{}, value, "ℓ∞ norm of overlapping groups"}, nil
		case "schatten", "lp":
			return parseP(name, value)
		case "factor":
			return parseFactor(value)
		}
	}
	allowed := All()
	if square {
		allowed = append(allowed, squareGauges...)
	}
	return Word{}, fmt.Errorf("gauge %q: there are %s", word, strings.Join(allowed, ", "))
}

// parseGroups is a norm of groups in a file, weighted by the roots of their sizes where by-size follows.
func parseGroups(name, value string) (Word, error) {
	file, bySize := strings.CutSuffix(value, ",by-size")
	if file == "" {
		return Word{}, fmt.Errorf("gauge %s:%s: a file of groups, such as %s:FILE,by-size", name, value, name)
	}
	k := plainGauges[name].Gauge.(gauge.Group)
	k.BySize = bySize
	return Word{k, file, strings.TrimSuffix(plainGauges[name].Norm, " of rows")}, nil
}

// parseP is the exponent of a Schatten or an ℓp norm.
func parseP(name, value string) (Word, error) {
	p, err := strconv.ParseFloat(value, 64)
	if err != nil || !(p >= 1) {
		return Word{}, fmt.Errorf("gauge %s:%s: p is a number from 1 on, or inf", name, value)
	}
	switch {
	case name == "schatten" && p == 1:
		return plainGauges["trace"], nil
	case name == "schatten":
		return Word{Gauge: gauge.SchattenP{P: p}, Norm: "Schatten-" + exponent(p) + " norm"}, nil
	case p == 1:
		return plainGauges["l1"], nil
	}
	return Word{Gauge: gauge.Lp{P: p}, Norm: "ℓ" + exponent(p) + " norm"}, nil
}

func exponent(p float64) string {
	if math.IsInf(p, 1) {
		return "∞"
	}
	return strconv.FormatFloat(p, 'g', -1, 64)
}

// parseFactor is the pair of norms of a factor gauge; the pairs that have a closed form are that.
func parseFactor(value string) (Word, error) {
	norms := map[string]float64{"1": 1, "2": 2, "inf": math.Inf(1)}
	c, r, _ := strings.Cut(value, ",")
	k := gauge.Factor{C: norms[strings.TrimSpace(c)], R: norms[strings.TrimSpace(r)]}
	if k.C == 0 || k.R == 0 {
		return Word{}, fmt.Errorf("gauge factor:%s: two norms, each 1, 2 or inf, such as factor:inf,2", value)
	}
	g := Word{Gauge: k, Norm: "factor norm"}
	if plain := k.Plain(); plain != nil {
		g.Gauge = plain
	}
	return g, nil
}

// On is the gauge of a features × outputs W: groups, of features by these names, and weights are read from File now that the
// shape is known.
func (g Word) On(features []string, rows, cols int) (gcg.Gauge, error) {
	if g.File == "" {
		return g.Gauge, nil
	}
	switch k := g.Gauge.(type) {
	case gauge.Group:
		groups, weights, err := dataset.ReadGroups(g.File, features, rows, false)
		if err != nil {
			return nil, err
		}
		if k.Index, err = gauge.EntriesOfRows(groups, rows, cols); err != nil {
			return nil, fmt.Errorf("%s: %w", dataset.Called(g.File), err)
		}
		k.Weights = weights
		return k, nil
	case *rowscolumns.Groups:
		groups, weights, err := dataset.ReadGroups(g.File, features, rows, true)
		if err != nil {
			return nil, err
		}
		return overlapping(dataset.Called(g.File), groups, weights, features, rows, cols)
	case gauge.L1:
		weights, err := dataset.ReadWeights(g.File, rows, cols)
		k.Weights = weights
		return k, err
	}
	return g.Gauge, nil
}

// overlapping is the sum of the largest entries of groups of rows, which together have every feature.
func overlapping(file string, groups [][]int32, weights []float64, features []string, rows, cols int) (gcg.Gauge, error) {
	has := make([]bool, rows)
	for _, group := range groups {
		for _, i := range group {
			has[i] = true
		}
	}
	if i := slices.Index(has, false); i >= 0 {
		name := strconv.Itoa(i + 1)
		if i < len(features) {
			name = strconv.Quote(features[i])
		}
		return nil, fmt.Errorf("%s: no group has feature %s, of which the norm says nothing then: give it a line of its own", file,
			name)
	}
	index, err := gauge.EntriesOfRows(groups, rows, cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	k, err := rowscolumns.NewGroups(rows, cols, index, weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// Normed is what κ is called, of the gauge that On gave.
func (g Word) Normed(k gcg.Gauge) string {
	if group, ok := k.(gauge.Group); ok && (group.BySize || group.Weights != nil) {
		return "weighted " + g.Norm
	}
	return g.Norm
}

// Checksum tells apart the groups or weights that gauges have from their files.
func Checksum(k gcg.Gauge) string {
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	add := func(x any) { _ = binary.Write(sum, binary.LittleEndian, x) } // a hash takes everything
	groups := func(index [][]int32, weights []float64) {
		for _, group := range index {
			add(int64(len(group)))
			add(group)
		}
		add(weights)
	}
	switch k := k.(type) {
	case gauge.Group:
		groups(k.Index, k.Weights)
	case *rowscolumns.Groups:
		groups(k.Given())
	case gauge.L1:
		add(k.Weights)
	}
	return strconv.FormatUint(sum.Sum64(), 16)
}
