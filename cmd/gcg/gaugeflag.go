package main

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
)

// A gaugeWord is a parsed --gauge.
type gaugeWord struct {
	gauge gcg.Gauge
	file  string // of groups or weights, which need the shape of W
	norm  string // what κ is called
}

var plainGauges = map[string]gaugeWord{
	"l1":            {gauge: gauge.L1{}, norm: "ℓ1 norm"},
	"positive-l1":   {gauge: gauge.PositiveL1{}, norm: "sum"},
	"simplex":       {gauge: gauge.Simplex{}, norm: "sum"},
	"group":         {gauge: gauge.Group{}, norm: "group norm of rows"},
	"columns":       {gauge: gauge.Group{ByColumns: true}, norm: "group norm of columns"},
	"group-inf":     {gauge: gauge.Group{Inner: gauge.LInf}, norm: "group ℓ∞ norm of rows"},
	"trace":         {gauge: gauge.Trace{}, norm: "trace norm"},
	"psd-trace":     {gauge: gauge.PSDTrace{}, norm: "trace"},
	"spectrahedron": {gauge: gauge.Spectrahedron{}, norm: "trace"},
}

// gaugeWords lists what --gauge allows.
func gaugeWords() []string {
	return []string{"l1", "l1:WEIGHTS", "positive-l1", "simplex (constrained)",
		"group (rows of W)", "columns", "group-inf", "group:FILE", "group-inf:FILE", "group:FILE,by-size",
		"trace", "schatten:p", "lp:p", "factor:c,r (c and r are 1, 2 or inf)"}
}

// squareGauges are of symmetric matrices, which W is not.
var squareGauges = []string{"psd-trace", "spectrahedron"}

// parseGauge reads a word of gaugeWords, or with square one of squareGauges too.
func parseGauge(word string, square bool) (gaugeWord, error) {
	if g, ok := plainGauges[word]; ok && (square || !slices.Contains(squareGauges, word)) {
		return g, nil
	}
	name, value, has := strings.Cut(word, ":")
	if has && value != "" {
		switch name {
		case "l1":
			return gaugeWord{gauge.L1{}, value, "weighted ℓ1 norm"}, nil
		case "group", "group-inf":
			return parseGroups(name, value)
		case "schatten", "lp":
			return parseP(name, value)
		case "factor":
			return parseFactor(value)
		}
	}
	allowed := gaugeWords()
	if square {
		allowed = append(allowed, squareGauges...)
	}
	return gaugeWord{}, usagef("gauge %q: there are %s", word, strings.Join(allowed, ", "))
}

// parseGroups is a norm of groups in a file, weighted by the roots of their sizes where by-size follows.
func parseGroups(name, value string) (gaugeWord, error) {
	file, bySize := strings.CutSuffix(value, ",by-size")
	if file == "" {
		return gaugeWord{}, usagef("gauge %s:%s: a file of groups, such as %s:FILE,by-size", name, value, name)
	}
	k := plainGauges[name].gauge.(gauge.Group)
	k.BySize = bySize
	return gaugeWord{k, file, strings.TrimSuffix(plainGauges[name].norm, " of rows")}, nil
}

// parseP is the exponent of a Schatten or an ℓp norm.
func parseP(name, value string) (gaugeWord, error) {
	p, err := strconv.ParseFloat(value, 64)
	if err != nil || !(p >= 1) {
		return gaugeWord{}, usagef("gauge %s:%s: p is a number from 1 on, or inf", name, value)
	}
	switch {
	case name == "schatten" && p == 1:
		return plainGauges["trace"], nil
	case name == "schatten":
		return gaugeWord{gauge: gauge.SchattenP{P: p}, norm: "Schatten-" + exponent(p) + " norm"}, nil
	case p == 1:
		return plainGauges["l1"], nil
	}
	return gaugeWord{gauge: gauge.Lp{P: p}, norm: "ℓ" + exponent(p) + " norm"}, nil
}

func exponent(p float64) string {
	if math.IsInf(p, 1) {
		return "∞"
	}
	return strconv.FormatFloat(p, 'g', -1, 64)
}

// parseFactor is the pair of norms of a factor gauge; the pairs that have a closed form are that.
func parseFactor(value string) (gaugeWord, error) {
	norms := map[string]float64{"1": 1, "2": 2, "inf": math.Inf(1)}
	c, r, _ := strings.Cut(value, ",")
	k := gauge.Factor{C: norms[strings.TrimSpace(c)], R: norms[strings.TrimSpace(r)]}
	if k.C == 0 || k.R == 0 {
		return gaugeWord{}, usagef("gauge factor:%s: two norms, each 1, 2 or inf, such as factor:inf,2", value)
	}
	g := gaugeWord{gauge: k, norm: "factor norm"}
	if plain := k.Plain(); plain != nil {
		g.gauge = plain
	}
	return g, nil
}

// gaugeFile is the file that --gauge names, or none.
func (f *runFlags) gaugeFile() string {
	word, _ := parseGauge(f.gauge, false)
	return word.file
}

// on completes the gauge for a features × outputs W: groups and weights are read now that the shape is known.
func (g gaugeWord) on(features []string, rows, cols int) (gcg.Gauge, error) {
	if g.file == "" {
		return g.gauge, nil
	}
	switch k := g.gauge.(type) {
	case gauge.Group:
		groups, weights, err := dataset.ReadGroups(g.file, features, rows)
		if err != nil {
			return nil, err
		}
		if k.Index, err = gauge.EntriesOfRows(groups, rows, cols); err != nil {
			return nil, fmt.Errorf("%s: %w", dataset.Called(g.file), err)
		}
		k.Weights = weights
		return k, nil
	case gauge.L1:
		weights, err := dataset.ReadWeights(g.file, rows, cols)
		k.Weights = weights
		return k, err
	}
	return g.gauge, nil
}

// normed is what κ is called, of the gauge that on gave.
func (g gaugeWord) normed(k gcg.Gauge) string {
	if group, ok := k.(gauge.Group); ok && (group.BySize || group.Weights != nil) {
		return "weighted " + g.norm
	}
	return g.norm
}

// fileChecksum tells apart the groups or weights that a gauge has from its file.
func fileChecksum(k gcg.Gauge) string {
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	add := func(x any) { _ = binary.Write(sum, binary.LittleEndian, x) } // a hash takes everything
	switch k := k.(type) {
	case gauge.Group:
		for _, group := range k.Index {
			add(int64(len(group)))
			add(group)
		}
		add(k.Weights)
	case gauge.L1:
		add(k.Weights)
	}
	return strconv.FormatUint(sum.Sum64(), 16)
}
