package completion

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// A clickJob is the task of implicit feedback on the user's files.
type clickJob struct {
	*implicit.Prepared
	given *implicit.Task // what it is made of
	f     *Flags
	came  string // of an update: what is new, in words
}

// timeShare is what a split by time trains on where lists are to be measured and nothing says on what.
const timeShare = 0.9

// loadClicks reads the clicks, and splits them.
func (f *Flags) loadClicks() (cli.Job, error) {
	c := &clickJob{given: f.clicks(), f: f}
	r := dataset.RatingsReader{Columns: f.Columns, ValuesOptional: true, Times: f.SplitLast > 0 || f.SplitTime > 0,
		Ranks: f.Comm()}
	r.TimesOptional = !r.Times
	var err error
	if f.update != nil {
		c.given.Train, c.came, err = f.readUpdate(r, "clicks")
	} else {
		c.given.Train, err = cli.ReadQueried(r, f.Train, f.query)
	}
	if err != nil {
		return nil, err
	}
	f.Own = ownRows(c.given.Train)
	r.Times, r.TimesOptional, r.RowIDs, r.ColIDs = false, false, c.given.Train.RowIDs, c.given.Train.ColIDs
	r.Rows = c.given.Train.Spread
	for _, other := range []struct {
		name string
		to   **dataset.Ratings
	}{{f.test, &c.given.Test}, {f.valid, &c.given.Valid}} {
		if other.name == "" {
			continue
		}
		if *other.to, err = cli.ReadQueried(r, other.name, f.query); err != nil {
			return nil, err
		}
	}
	if err := c.foresee(); err != nil {
		return nil, err
	}
	switch {
	case f.splits():
		c.given.Split = dataset.Split{Fraction: f.Split, PerUser: f.SplitPerUser, Last: f.SplitLast, Time: f.SplitTime, Seed: f.Seed}
	case len(f.ranking) > 0 && c.given.Test == nil && len(c.given.Train.Times) > 0 && f.update == nil && f.Comm() == nil:
		f.SplitTime = timeShare
		c.given.Split = dataset.Split{Time: timeShare}
	case len(f.ranking) > 0 && c.given.Test == nil:
		return nil, cli.Usagef("--ranking %d: needs clicks to test on; add --test FILE, or --split-per-user 0.9", f.ranking[0])
	}
	if c.Prepared, err = c.given.Prepare(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *clickJob) Shared() *cli.RunFlags { return &c.f.RunFlags }

func (c *clickJob) Noun() string { return "clicks" }

// Release has nothing to do: clicks are few beside what they are solved with.
func (c *clickJob) Release() {}

// Greet says what was set apart where no flag did, and what is doubtful.
func (c *clickJob) Greet(show *cli.Progress) {
	cli.SayColumns(show, c.Train())
	if c.given.Split.Time > 0 && !c.f.Cmd.Flags().Changed("split-time") {
		show.Say(fmt.Sprintf("the clicks have times: lists are measured on the last %.0f %% of them (--split-time %v)",
			100*(1-timeShare),
			timeShare))
	}
	if c.came != "" {
		show.Say(c.came)
	}
	for _, w := range c.Warnings() {
		show.Say("warning: " + c.clickWords(w))
	}
}

func (c *clickJob) Choosing() string {
	if c.Open() {
		return usualLambda
	}
	how := "those of each user that are held out"
	switch {
	case c.given.Valid != nil:
		return "choosing λ by a path, measured by the NDCG of lists on " + c.given.Valid.Name + " (--lambda auto)"
	case len(c.Train().Times) > 0:
		how = "the last ones by time"
	}
	return "choosing λ by a path on 90 % of the training clicks, measured by the NDCG of lists on " + how + " (--lambda auto)"
}

// Validation names the flag that does without.
func (c *clickJob) Validation() (*selection.Fitting, error) {
	t, err := c.Prepared.Validation()
	return t, cli.OrLambda(err)
}

// usualLambda is what λ is where no clicks can be held out.
var usualLambda = fmt.Sprintf("there are too few clicks to choose λ by: "+
	"it is %v of the smallest one with W = 0 (--lambda-ratio %[1]v)", implicit.UsualRatio)

// Whole is measured in the words of scripts, which a trace has.
func (c *clickJob) Whole() (*selection.Fitting, error) {
	t, err := c.Prepared.Whole()
	if err != nil || t.Measure == nil {
		return t, err
	}
	told := *t
	told.Measure = func(s *gcg.State) selection.Measured {
		lists := t.Measure(s).(implicit.Scores)
		return &clickScores{Lists: listsOf(lists.Lists), all: lists.Scores()}
	}
	return &told, nil
}

// clickScores are what lists are worth on the way, for a trace.
type clickScores struct {
	Lists listsScores `json:"model"`
	all   selection.Scores
}

func (s *clickScores) Scores() selection.Scores { return s.all }

// A clickTest is what is measured on test clicks.
type clickTest struct {
	N       int `json:"observations"`
	Unknown int `json:"unknown"` // clicks of users or items that were not in training
	rankingResult
	all selection.Scores
}

func (t *clickTest) Scores() selection.Scores { return t.all }

// Identity names all that must be the same for a checkpoint to be continued.
func (c *clickJob) Identity(lambda float64) string {
	f := c.f
	return fmt.Sprintf("implicit data=%s n=%d split=%+v λ=%.17g ζ=%.17g %s weights=%s α=%.17g w₀=%.17g positive=%.17g columns=%s",
		c.Train().Checksum, c.Len(), c.given.Split, lambda, f.Constrain, f.Penalty, f.weights, c.given.Alpha,
		c.given.Background, c.given.Positive, f.Columns)
}

// Start is where a model is on the problem.
func (c *clickJob) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	return c.Prepared.Start(m)
}

// Answer makes the model and measures its lists.
func (c *clickJob) Answer(t *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f, m := c.f, c.Model(t, r)
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	res.Weights, res.N = m.Info.Weights, c.Len()
	res.Implicit, res.Background = &c.given.Alpha, &c.given.Background
	res.Data, res.Normed = fmt.Sprintf("%d clicks, %d × %d", res.N, res.Rows, res.Cols), "trace norm"
	if n := c.Dropped(); n > 0 && c.given.Positive != 0 {
		res.Data += fmt.Sprintf("; %d ratings below %v are none", n, c.given.Positive)
	}
	if _, auto, _ := f.LambdaValue(); auto && c.Open() {
		res.Warn(usualLambda)
	}
	if within := m.ScoresWithin(); m.Info.LowerBound != nil {
		res.ScoresWithin = &within
		res.Note("scores", "within %.3g of the optimum's (√(2 gap/w₀)); gcg recommend --certified says what that is worth",
			within)
	}
	if m.Rank == 0 {
		res.Note("lists", "are of the most popular items, the same for all users, as W is 0")
	}
	for _, w := range c.Warnings() {
		res.Warn(c.clickWords(w))
	}
	ranked := c.Ranked(m)
	if ranked != nil {
		t := &clickTest{N: c.Test().Total(), Unknown: c.Test().Unknown(), rankingResult: rankingOf(ranked, nil)}
		res.Test = t
		t.note(res, "clicks")
	}
	for _, w := range task.RankingWarnings(ranked) {
		res.Warn(c.clickWords(w))
	}
	return m
}

// clickWords are those of a warning, with the flags that mend what it doubts.
func (c *clickJob) clickWords(w task.Warning) string {
	switch w.(type) {
	case warning.LooksLikeRatings:
		return w.String() + "; --positive N takes ratings from N on as clicks"
	case warning.Unpopular:
		return w.String() + ": " + c.f.TryOr(c.betterClicks())
	}
	return w.String()
}

// betterClicks are flags that may lead to better lists than those of the most popular items. Counts of many sizes weigh a few
// clicks much more than all others, and another α hardly mends that.
func (c *clickJob) betterClicks() (list []string) {
	if c.given.Positive == 0 && slices.ContainsFunc(c.Train().Values, func(x float64) bool { return x > 1 }) {
		list = append(list, "--positive 1, which takes each count for one click")
	}
	if c.given.Weights.Rule == task.AutoWeights {
		list = append(list, "--weights power:0.5")
	}
	return list
}
