package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/solver"
)

// Options are what a run of an experiment may be told.
type Options struct {
	Data  string  // the folder of real data; empty takes generated data
	Scale float64 // of the sizes of generated data; 0 is that of the experiment
	Seed  uint64
	Say   func(string) // of each case and solver, while it runs; nil for none
}

// built is a case whose data are there.
type built struct {
	contest *experiment.Contest
	// named makes a contender of a word; nil is experiment.Named.
	named   func(word string) (experiment.Contender, error)
	data    string             // what the data are, in words
	real    bool               // those of the paper
	score   string             // the test score that is shown, or ""
	numbers map[string]float64 // of the data, such as size, rows and cols
}

// place is where the data of a case come from.
type place struct {
	folder string
	scale  float64
	seed   uint64
}

// A builder makes the data and the problem of a case.
type builder func(ctx context.Context, c *Case, at place) (*built, error)

// builders are the kinds of experiments.
var builders map[string]builder

func init() {
	builders = map[string]builder{"completion": completion, "classes": classes, "tasks": tasks, "denoising": denoising,
		"faces": faces, "labels": labels, "recovery": entries, "components": components, "selection": selections}
}

// Raced is a case that was run.
type Raced struct {
	Case    *Case
	Data    string
	Real    bool
	Score   string
	Lambda  float64
	Numbers map[string]float64
	Runs    []experiment.Run
	ending  *ending
}

// A Report is what came out of an experiment.
type Report struct {
	Spec     *Spec
	Seed     uint64
	Scale    float64
	Cases    []*Raced
	Outcomes []Outcome
	Verdict  string
	Why      string
	Seconds  float64 // all in all
}

// Run runs an experiment. Where ctx ends it returns its error. A solver that fails costs its own rows.
func (s *Spec) Run(ctx context.Context, opt Options) (*Report, error) {
	began := time.Now()
	r := &Report{Spec: s, Seed: opt.Seed, Scale: opt.Scale}
	if r.Scale == 0 {
		r.Scale = s.Scale
	}
	at := place{opt.Data, r.Scale, opt.Seed}
	for i := range s.Cases {
		c := &s.Cases[i]
		k, err := s.race(ctx, c, at, opt.Say)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.ID, c.Name, err)
		}
		r.Cases = append(r.Cases, k)
	}
	for i := range s.Claims {
		r.Outcomes = append(r.Outcomes, s.Claims[i].judge(r.Cases))
	}
	r.Verdict, r.Why = s.verdict(r.Cases, r.Outcomes)
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// race builds a case and runs its solvers.
func (s *Spec) race(ctx context.Context, c *Case, at place, say func(string)) (*Raced, error) {
	b, err := builders[s.Kind](ctx, c, at)
	if err != nil {
		return nil, err
	}
	if len(c.Files) > 0 && at.folder != "" && strings.HasPrefix(b.data, "generated") {
		b.data += fmt.Sprintf(" (%s is not in %s)", c.wanted(), at.folder)
	}
	lambda := b.contest.Problem.Penalty.Deriv(1)
	k := &Raced{Case: c, Data: b.data, Real: b.real, Score: b.score, Numbers: b.numbers, Lambda: lambda}
	if b.contest.Run == nil {
		b.contest.Run = &report.Run{Data: c.Name, Lambda: &lambda}
	}
	named := b.named
	if named == nil {
		named = experiment.Named
	}
	var contenders []experiment.Contender
	for _, word := range s.solversOf(c) {
		x, err := named(word)
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, x)
	}
	if say != nil {
		say(fmt.Sprintf("%s: %s, %s", s.ID, c.Name, b.data))
	}
	seconds := s.Seconds
	if b.real && c.Seconds > 0 {
		seconds = c.Seconds
	}
	k.Runs, err = experiment.Race(ctx, b.contest, contenders, experiment.Limits{Tol: s.Tol, Seed: at.seed, MaxIter: s.Iter,
		MaxTime: time.Duration(seconds * float64(time.Second)), Repeat: s.Repeat, EveryStep: s.Every})
	if err != nil {
		return nil, err
	}
	k.ending = endingOf(k.Runs, b.score)
	return k, nil
}

// withPenalty gives a problem its λ: Case.Lambda of real data, or of any where the case has no ratio; else the ratio to the
// smallest λ with W = 0.
func (c *Case) lambdaOf(ctx context.Context, b *built, penalise func(lambda float64)) error {
	if c.Lambda > 0 && (b.real || c.Ratio == 0) {
		penalise(c.Lambda)
		return nil
	}
	penalise(1)
	top, err := solver.MaxLambda(ctx, b.contest.Problem)
	if err != nil {
		return err
	}
	if !(top > 0) || math.IsInf(top, 1) {
		return errors.New("each λ has the solution W = 0")
	}
	penalise(c.Ratio * top)
	return nil
}
