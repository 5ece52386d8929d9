package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/spf13/cobra"
)

// viewsShape is the name of views in gcg data generate.
const viewsShape = "views"

// viewFlags are those of gcg data generate for two views.
type viewFlags struct {
	sizes, clean string
	fraction     float64
}

var viewNames = []string{"view-sizes", "clean-output", "noise-fraction"}

// fields are where the values of flags are kept.
func (v *viewFlags) fields() cli.Fields {
	return cli.Fields{"view-sizes": &v.sizes, "noise-fraction": &v.fraction, "clean-output": &v.clean}
}

// generate writes two views of samples, which share a few factors, with gross noise, and without: to NAME.1.ENDING and
// NAME.2.ENDING.
func (v *viewFlags) generate(cmd *cobra.Command, g dataset.Generator, to string) error {
	changed := cmd.Flags().Changed
	if err := noneOf(changed, append([]string{"rows", "ratings", "noise", "user-features", "item-features"}, classNames...),
		viewsShape); err != nil {
		return err
	}
	shape := synthetic.Denoising
	shape.Seed = g.Seed
	if changed("cols") {
		shape.Cols = g.Cols
	}
	if changed("rank") {
		shape.Rank = g.Rank
	}
	if changed("noise-fraction") {
		shape.NoiseFraction = v.fraction
	}
	if changed("view-sizes") {
		first, second, _ := strings.Cut(v.sizes, ",")
		var errs [2]error
		shape.Rows1, errs[0] = strconv.Atoi(first)
		shape.Rows2, errs[1] = strconv.Atoi(second)
		if errs[0] != nil || errs[1] != nil {
			return cli.Usagef("--view-sizes %q: two numbers of features, with a comma between", v.sizes)
		}
	}
	if err := shape.Check(); err != nil {
		return cli.Usage(err)
	}
	truth, noisy, err := shape.Generate()
	if err != nil {
		return err
	}
	for _, all := range []struct {
		name string
		w    []float64
	}{{to, noisy}, {v.clean, truth}} {
		if all.name == "" {
			continue
		}
		if err := writeViews(cmd, all.name, all.w, shape); err != nil {
			return err
		}
	}
	return nil
}

// writeViews writes the rows of each view as columns: samples are the rows of files.
func writeViews(cmd *cobra.Command, name string, w []float64, shape synthetic.MultiView) error {
	ending, from := filepath.Ext(name), 0
	for view, rows := range []int{shape.Rows1, shape.Rows2} {
		x := &dataset.Matrix{Rows: shape.Cols, Cols: rows, Dense: make([]float64, rows*shape.Cols)}
		for j := range rows {
			for i := range shape.Cols {
				x.Dense[i*rows+j] = w[(from+j)*shape.Cols+i]
			}
		}
		from += rows
		file := fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ending), view+1, ending)
		if err := cli.CheckArrays(nil, file); err != nil {
			return err
		}
		if err := output.Matrix(file, x); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d samples of %d features, rank %d, seed %d\n", file, x.Rows, x.Cols, shape.Rank,
			shape.Seed)
	}
	return nil
}
