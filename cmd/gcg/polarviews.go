package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	multiview "github.com/seed-b18ef778/gcg/cmd/gcg/views"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/internal/gaugeword"
)

// polarFlags say at which gauge and matrix gcg polar is asked for.
type polarFlags struct {
	file, split, radius string
	asJSON              bool
	seed                uint64
	tol                 float64
}

// fields are where the values of flags are kept.
func (f *polarFlags) fields() cli.Fields {
	return cli.Fields{"matrix": &f.file, "split": &f.split, "radius": &f.radius, "tol": &f.tol, "seed": &f.seed, "json": &f.asJSON}
}

// A gaugeAt is a gauge once the matrix is known.
type gaugeAt func(m *dataset.Matrix) (gcg.Gauge, error)

// gauge reads the word of a gauge, and refuses flags that are of others.
func (f *polarFlags) gauge(word string) (gaugeAt, error) {
	if word == "multiview" || word == "views" {
		return f.views(word == "multiview")
	}
	parsed, err := gaugeword.Parse(word, true)
	switch {
	case err != nil:
		return nil, cli.Usage(fmt.Errorf("%w, multiview, views", err))
	case f.split != "" || f.radius != "":
		return nil, cli.Usagef("--split and --radius: are of the gauges multiview and views, not of %s", word)
	}
	return func(m *dataset.Matrix) (gcg.Gauge, error) { return parsed.On(nil, m.Rows, m.Cols) }, nil // a header names columns
}

// views is the gauge of two views with labels, or the convex model of any number.
func (f *polarFlags) views(two bool) (gaugeAt, error) {
	var sizes []int
	for _, word := range strings.Split(f.split, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || two && len(sizes) == 2 {
			return nil, cli.Usagef("--split %q: the number of rows of the first view, n₁, or n₁,n₂ where labels follow", f.split)
		}
		sizes = append(sizes, n)
	}
	count := len(sizes)
	if !two || count == 1 {
		count++
	}
	var radii []float64
	if f.radius != "" {
		var err error
		if radii, err = multiview.Radii(f.radius, count); err != nil {
			return nil, err
		}
	}
	return func(m *dataset.Matrix) (gcg.Gauge, error) {
		rest := m.Rows
		for _, n := range sizes {
			rest -= n
		}
		if rest < 0 || rest == 0 && count > len(sizes) {
			return nil, fmt.Errorf("%s: has %d rows, which --split %s leaves no view of: give fewer rows", f.file, m.Rows, f.split)
		}
		all := sizes
		if count > len(sizes) {
			all, rest = append(sizes[:len(sizes):len(sizes)], rest), 0
		}
		if !two {
			return views.Simplex{Sizes: all, Radii: radii}, nil
		}
		return views.Views{Sizes: all, Radii: radii, Labels: rest}, nil
	}, nil
}
