package completion

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
	"github.com/seed-b18ef778/gcg/task/ranking"
)

// A listJob is the task of --for ranking. Once it has chosen a model it is the job of that.
type listJob struct {
	*ranking.Prepared
	cli.Job // the ratings at first, then that of the model that was chosen
	given   *task.Completion
	f       *Flags
	tried   []listCandidate
}

// A listCandidate is a model that was tried, for scripts.
type listCandidate struct {
	Name    string           `json:"name"`
	Lambda  float64          `json:"lambda"`
	NDCG    float64          `json:"ndcg"` // of lists for the ratings that λ was chosen by
	Seconds float64          `json:"seconds"`
	Tried   []cli.TriedPoint `json:"tried"`
}

// forLists says that the model is chosen by its lists.
func (f *Flags) forLists() bool { return f.purpose == "ranking" }

// checkPurpose refuses flags that say what --for ranking chooses, or what its lists have no use for.
func (f *Flags) checkPurpose() error {
	if !f.forLists() {
		return nil
	}
	for _, name := range []string{"lambda", "lambda-ratio", "constrain", "implicit", "positive", "background", "center", "rated",
		"weights", "loss", "normalize", "penalty", "float32", "generate", "user-features", "item-features", "also-seen",
		"feature-weight", "checkpoint", "resume", "warm", "solver", "improve", "step", "exact-certificate"} {
		if f.Cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: not with --for ranking, which chooses the model and λ by its lists", name)
		}
	}
	if f.Train == "" {
		return cli.Usagef("--for ranking: needs --train FILE, of ratings")
	}
	return nil
}

// loadLists reads the ratings, and splits them.
func (f *Flags) loadLists() (cli.Job, error) {
	of := &job{given: f.task(), f: f}
	if err := of.readParts(); err != nil {
		return nil, err
	}
	p, err := (&ranking.Task{Ratings: of.given}).Prepare()
	if err != nil {
		return nil, f.worded(err)
	}
	return &listJob{Prepared: p, given: of.given, Job: of, f: f}, nil
}

func (j *listJob) Noun() string { return "ratings" }

func (j *listJob) Choosing() string {
	on := "a tenth of each user's ratings that is held out"
	if j.given.Valid != nil {
		on = j.given.Valid.Name
	}
	return fmt.Sprintf("choosing a model and λ by the NDCG@%d of lists on %s; relevant are ratings from %v on (--for ranking)",
		ranking.UsualLength, on, j.Relevant())
}

// Choose chooses the model, whose job this is from then on.
func (j *listJob) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	c, err := j.Prepared.Choose(ctx, opt)
	if c == nil {
		return nil, err
	}
	for i := range c.Candidates {
		x := &c.Candidates[i]
		j.tried = append(j.tried, listCandidate{x.Name, x.Lambda, 1 - x.Scores.First(), x.Time.Seconds(),
			cli.TriedOf(&x.Curve, c.Fitting.Share)})
	}
	c.Candidates = nil // their names say what they are, and no flag leaves one out
	switch {
	case j.Feedback() != nil:
		form := j.Form()
		given := &implicit.Task{Alpha: form.Alpha, Background: 1, Positive: form.Positive, Weights: form.Weights}
		j.Job = &clickJob{Prepared: j.Feedback(), given: given, f: j.f}
	default:
		j.Job = &job{PreparedCompletion: j.Completion(), given: j.given, f: j.f}
	}
	return c, err
}

// Whole, Validation and Fold are those of the model.
func (j *listJob) Whole() (*selection.Fitting, error) { return j.Job.Whole() }

func (j *listJob) Validation() (*selection.Fitting, error) { return j.Job.Validation() }

func (j *listJob) Fold(k, n int) (*selection.Fitting, error) { return j.Job.Fold(k, n) }

func (j *listJob) Shared() *cli.RunFlags { return &j.f.RunFlags }

// Greet says what was read.
func (j *listJob) Greet(show *cli.Progress) { cli.SayColumns(show, j.given.Train) }

// Answer adds to that of the model what was chosen, and how good the others were.
func (j *listJob) Answer(t *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	m := j.Job.Answer(t, r, res)
	m.Info.For = j.f.purpose
	res.For, res.Chosen, res.Candidates = j.f.purpose, j.Form().String(), j.tried
	var list []string
	for _, x := range j.tried {
		list = append(list, fmt.Sprintf("%s %.4f", x.Name, x.NDCG))
	}
	res.Note("chosen", "%s", j.Form())
	res.Note("candidates", "validation NDCG@%d of most popular %.4f; %s", ranking.UsualLength, j.Popular(), strings.Join(list, "; "))
	return m
}

// clicksOfRatings says of which ratings a model of clicks was made.
func clicksOfRatings(i *model.Info) string {
	if i.Positive != 0 {
		return fmt.Sprintf("of ratings from %v on", i.Positive)
	}
	return "by their counts or ratings"
}

// BasedOn says what lists of a model are based on.
func BasedOn(m *model.Model) string {
	i := &m.Info
	switch {
	case i.Background > 0 && m.Rank == 0:
		return "lists are of the most popular items, the same for all: the model says no more"
	case i.Background > 0 && i.For != "":
		return "lists are by what people took to, " + clicksOfRatings(i) + "; the model was chosen for its lists"
	case i.Background > 0:
		return "lists are by what people took to, " + clicksOfRatings(i)
	case i.For != "":
		return "lists are by predicted ratings; the model was chosen for its lists"
	}
	return "lists are by predicted ratings; for what people take to next, gcg fit completion --for ranking is usually better"
}
