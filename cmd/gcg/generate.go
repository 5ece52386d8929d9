package main

import (
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
)

// registerScale adds the flags of data of any size.
func (f *completionFlags) registerScale() {
	s := f.cmd.Flags()
	s.StringVar(&f.generate, "generate", "",
		"train on generated ratings of this shape (gcg data list), or SHAPE:N for N ratings with rows and columns in proportion")
	s.BoolVar(&f.float32, "float32", false, "keep ratings in float32 and no predictions: 12 bytes a rating")
}

// checkScale refuses values out of range, and what --float32 cannot do.
func (f *completionFlags) checkScale() error {
	_, auto, err := f.lambdaValue()
	switch {
	case err != nil:
		return err
	case f.generate != "" && f.train != "":
		return usagef("--generate: instead of --train")
	case f.float32 && (f.solver != "gcg" || f.improve == "corrective" || f.step != "line-search"):
		return usagef("--float32: keeps no predictions; it has --solver gcg, --step line-search, and --improve local or none")
	case f.float32 && auto && f.resume == "":
		return usagef("--float32: give --lambda, --lambda-ratio (try 0.1) or --constrain; " +
			"λ is chosen by validation without --float32 only")
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
		small := g.Sized(n)
		if least := g.LeastSized(); n < least && small.Check() != nil {
			return g, usagef("--generate %q: %v; %s takes N from %d on", f.generate, small.Check(), name, least)
		}
		g = small
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
