package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
)

// checkScale refuses what --generate and --float32 cannot do.
func (f *completionFlags) checkScale() error {
	_, auto, _ := f.lambdaValue()
	switch {
	case f.generate != "" && f.train != "":
		return usagef("--generate: instead of --train")
	case f.float32 && (f.improve == "corrective" || f.step != "line-search"):
		return usagef("--float32: keeps no predictions; it has --step line-search, and --improve local or none")
	case f.float32 && auto && f.resume == "":
		return usagef("--float32: give --lambda, --lambda-ratio (try 0.1) or --constrain; λ is chosen by validation without --float32 only")
	case f.float32 && f.ranking > 0:
		return usagef("--ranking: not with --float32")
	}
	if f.generate != "" {
		_, err := f.generator()
		return err
	}
	return nil
}

// generator is the dataset that --generate names.
func (f *completionFlags) generator() (dataset.Generator, error) {
	name, size, sized := strings.Cut(f.generate, ":")
	g, err := shapeNamed(name)
	if err != nil {
		return g, err
	}
	g.Seed = f.seed
	if sized {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return g, usagef("--generate %q: SHAPE:N with N ratings, such as netflix:1000000", f.generate)
		}
		g = g.Sized(n)
	}
	if err := g.Check(); err != nil {
		return g, usageError{err}
	}
	return g, nil
}

func shapeNamed(name string) (dataset.Generator, error) {
	for _, g := range dataset.Shapes {
		if g.Name == name {
			return g, nil
		}
	}
	return dataset.Generator{}, usagef("unknown shape %q; see gcg data list", name)
}

// ratioOf is --lambda-ratio times the smallest λ for which W = 0 is a solution.
func ratioOf(ctx context.Context, f *runFlags, p gcg.Problem, show *progress) (float64, error) {
	p.Penalty = gauge.Linear{Lambda: 1}
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil {
		return 0, err
	}
	if !(top > 0) {
		return 0, fmt.Errorf("--lambda-ratio: every λ gives W = 0 on this data; use --lambda")
	}
	show.say(fmt.Sprintf("λ = %.6g, %v of the smallest with W = 0", f.lambdaRatio*top, f.lambdaRatio))
	return f.lambdaRatio * top, nil
}
