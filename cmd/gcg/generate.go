package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
)

// registerScale adds the flags of data that is generated in memory, and of a λ that suits data of any size.
func (f *completionFlags) registerScale() {
	s := f.cmd.Flags()
	s.StringVar(&f.generate, "generate", "", "train on generated ratings of this shape (gcg data list), or SHAPE:N for N ratings with rows and columns in proportion")
	s.Float64Var(&f.lambdaRatio, "lambda-ratio", 0, "λ as a part of the smallest λ with W = 0, instead of --lambda")
}

// checkScale refuses values out of range, and what --float32 cannot do.
func (f *completionFlags) checkScale(changed func(string) bool) error {
	_, auto, err := f.lambdaValue()
	switch {
	case err != nil:
		return err
	case changed("lambda-ratio") && !(f.lambdaRatio > 0 && f.lambdaRatio < 1):
		return usagef("--lambda-ratio %v: between 0 and 1", f.lambdaRatio)
	case f.lambdaRatio > 0 && (changed("lambda") || changed("constrain") || f.penalty != "linear"):
		return usagef("--lambda-ratio: instead of --lambda and --constrain, with --penalty linear")
	case f.generate != "" && f.train != "":
		return usagef("--generate: instead of --train")
	case f.float32 && (f.improve == "corrective" || f.step != "line-search"):
		return usagef("--float32: keeps no predictions; it has --step line-search, and --improve local or none")
	case f.float32 && auto && f.lambdaRatio == 0 && f.constrain == 0 && f.resume == "":
		return usagef("--float32: give --lambda, --lambda-ratio (try 0.1) or --constrain; λ is chosen by validation without --float32 only")
	case f.float32 && f.ranking > 0:
		return usagef("--ranking: not with --float32")
	}
	if f.generate != "" {
		_, err = f.generator()
	}
	return err
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

// ratioOf is --lambda-ratio times the smallest λ for which W = 0 is a solution, σ₁ of the centred ratings.
func (c *completion) ratioOf(ctx context.Context, s *setup, show *progress) (float64, error) {
	p := *s.problem
	p.Penalty = gauge.Linear{Lambda: 1}
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil {
		return 0, err
	}
	if top == 0 {
		return 0, fmt.Errorf("%s: all ratings are at the centre: every λ gives W = 0; use --lambda", c.train.Name)
	}
	show.say(fmt.Sprintf("λ = %.6g, %v of the smallest with W = 0", c.f.lambdaRatio*top, c.f.lambdaRatio))
	return c.f.lambdaRatio * top, nil
}
