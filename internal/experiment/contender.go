package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/baseline"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/cur"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// A Contender is a solver by its name.
type Contender struct {
	Name string
	Ball bool // it solves κ ≤ ζ only
	Run  func(ctx context.Context, p *gcg.Problem, opt solver.Options) (*solver.Result, error)
}

// Method is a contender that is a method and an improver, nil for none.
func Method(name string, build func(p *gcg.Problem) (solver.Method, solver.Improver)) Contender {
	return Contender{Name: name, Run: func(ctx context.Context, p *gcg.Problem, opt solver.Options) (*solver.Result, error) {
		m, im := build(p)
		if im == nil {
			return solver.Run(ctx, p, m, opt)
		}
		opt.Improver = im
		return solver.Approach{Method: func() solver.Method { m, _ := build(p); return m }}.Run(ctx, p, opt)
	}}
}

// Named is a contender by a word: gcg, with words of an improver and of a step rule behind colons where they are not the usual
// ones, as gcg:none:open-loop; atomdescent, contr1d, sliding, sliding-refined; and the baselines of package baseline.
func Named(name string) (Contender, error) {
	words := strings.Split(name, ":")
	if r, is := baseline.Named(words[0]); is && len(words) == 1 {
		c := Method(name, r.New)
		c.Ball = r.Ball
		return c, nil
	}
	switch words[0] {
	case "gcg":
		return conditionalGradient(name, words[1:])
	case "atomdescent":
		return Method(name, func(*gcg.Problem) (solver.Method, solver.Improver) { return &support.AtomDescent{}, nil }), nil
	case "contr1d":
		return Contender{Name: name, Run: func(ctx context.Context, p *gcg.Problem, opt solver.Options) (*solver.Result, error) {
			return solver.Continuation{Descent: support.AtomDescent{}}.Run(ctx, p, opt)
		}}, nil
	case "working-set":
		return Method(name, func(*gcg.Problem) (solver.Method, solver.Improver) { return &cur.WorkingSet{}, nil }), nil
	}
	return Contender{}, fmt.Errorf("experiment: no solver is called %q", name)
}

// conditionalGradient is generalized conditional gradient with the improver and the step rule of some words; without any that of
// solver.For.
func conditionalGradient(name string, words []string) (Contender, error) {
	rule, improve, one := conditional.LineSearch, "auto", false
	for _, w := range words {
		switch w {
		case "none", "corrective", "local":
			improve = w
		case "one":
			one = true
		case "open-loop":
			rule = conditional.OpenLoop
		case "quadratic-bound":
			rule = conditional.QuadraticBound
		default:
			return Contender{}, fmt.Errorf("experiment: gcg has no improver or step rule %q", w)
		}
	}
	return Method(name, func(p *gcg.Problem) (solver.Method, solver.Improver) {
		var m solver.Method
		var im solver.Improver
		switch improve {
		case "none":
			m = &conditional.GCG{}
		case "corrective":
			m, im = &conditional.GCG{}, &solver.Corrective{}
		case "local":
			m, im = &conditional.GCG{OutsideW: true}, &fixedrank.Local{}
		default:
			m, im, _ = solver.For(p)
		}
		if g, is := m.(*conditional.GCG); is {
			if g.Rule = rule; one {
				g.Atoms = 1
			}
		}
		return m, im
	}), nil
}
