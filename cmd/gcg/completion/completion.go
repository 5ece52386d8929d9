package completion

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A completion is the task that the flags of completion make of the files they name.
type job struct {
	*task.PreparedCompletion
	given   *task.Completion // what it is made of
	f       *Flags
	builtin bool
	alike   bool        // all ratings are the same
	came    string      // of an update: what is new, in words
	tried   []candidate // before a centre and weights were chosen

	rowIDs, colIDs *dataset.IDs // of training and of --also-seen, for files to measure on
}

// Load reads or generates the ratings, splits them, and keeps them by rows: in float32 or in float64.
func (f *Flags) Load() (cli.Job, error) {
	if f.implicit() {
		return f.loadClicks()
	}
	if f.forLists() {
		return f.loadLists()
	}
	c := &job{given: f.task(), f: f}
	if err := c.asChecked(); err != nil {
		return nil, err
	}
	if err := c.readParts(); err != nil {
		return nil, err
	}
	f.Own = ownRows(c.given.Train)
	x := c.given.Train.Values // which Prepare may take
	c.alike = len(x) > 0 && slices.Min(x) == slices.Max(x)
	var err error
	if c.PreparedCompletion, err = c.given.Prepare(); err != nil {
		return nil, f.worded(err)
	}
	c.tidy()
	return c, nil
}

// ownRows says whether a user is one of this rank, where ranks share the ratings; nil elsewhere.
func ownRows(train *dataset.Ratings) func(id []byte) bool {
	if train.Spread.Comm().Size() == 1 {
		return nil
	}
	lo, hi := train.Spread.OwnRows()
	return func(id []byte) bool {
		i := int(train.RowIDs.Find(id))
		return lo <= i && i < hi
	}
}

// worded is an error of the data with the flag that mends it.
func (f *Flags) worded(err error) error {
	var coarse *task.TooCoarseError
	switch {
	case errors.Is(err, dataset.ErrDuplicate):
		return fmt.Errorf("%w, or say --duplicates last or mean", err)
	case errors.Is(err, dataset.ErrUnrated):
		return fmt.Errorf("%w; clicks, which have no rating, are fitted with --implicit 40", err)
	case errors.Is(err, task.ErrOneClass):
		return fmt.Errorf("%w: add those of items that were not chosen, or fit clicks: --implicit 40", err)
	case errors.Is(err, task.ErrClasses):
		return fmt.Errorf("%w; numbers are fitted with --loss squared", err)
	case errors.As(err, &coarse):
		return fmt.Errorf("%s: --float32 rounds its ratings by %.2g of their standard deviation: "+
			"fit without it, or shift and scale them to about -10 to 10",
			coarse.Name, coarse.Rounding)
	}
	return err
}

func (c *job) Shared() *cli.RunFlags { return &c.f.RunFlags }

func (c *job) Noun() string { return "ratings" }

// readParts reads what to train, to test and to choose λ on.
func (c *job) readParts() error {
	f := c.f
	if err := c.readTrain(); err != nil {
		return f.worded(err)
	}
	err := c.readSide()
	if err != nil {
		return err
	}
	if err := c.readSeen(); err != nil {
		return err
	}
	if c.given.Test, err = c.readOther(f.test); err != nil {
		return err
	}
	if c.given.Valid, err = c.readOther(f.valid); err != nil {
		return err
	}
	if f.generate == "" { // otherwise before anything was generated
		_, most := f.Comm().Extremes(0, float64(c.given.Train.Len())) // of a rank
		err := c.foresee(c.given.Train.Name, int(most), c.rowIDs.Len(), c.colIDs.Len())
		if err = f.Comm().FirstError(err); err != nil {
			return err
		}
	}
	if f.splits() { // which may be that of the built-in data
		c.given.Split = dataset.Split{Fraction: f.Split, PerUser: f.SplitPerUser, Last: f.SplitLast, Time: f.SplitTime, Seed: f.Seed}
	}
	if len(f.ranking) > 0 && c.given.Test == nil && !f.splits() {
		return cli.Usagef("--ranking %d: needs ratings to test on; add --test FILE, or --split 0.9", f.ranking[0])
	}
	return nil
}

// splits says that a part of the ratings is set apart.
func (f *Flags) splits() bool {
	return f.Split != 0 || f.SplitPerUser != 0 || f.SplitLast != 0 || f.SplitTime != 0
}

// narrow says that the ratings are read or generated in float32 at once: a split needs them one by one.
func (f *Flags) narrow() bool { return f.float32 && !f.splits() }

func (c *job) readTrain() (err error) {
	f := c.f
	if f.update != nil {
		c.given.Labels = f.update.TwoLabels()
		r := dataset.RatingsReader{Columns: f.Columns, Decimal: byte(f.Decimal), Labels: f.labels()}
		c.given.Train, c.came, err = f.readUpdate(r, "ratings")
		return err
	}
	if f.generate != "" {
		g, err := f.generator()
		if err != nil {
			return err
		}
		if err := c.foresee(g.Title(), g.N, g.Rows, g.Cols); err != nil {
			return err
		}
		c.given.Train, err = f.generated(g)
		return err
	}
	if f.Train == "" {
		c.builtin = true
		g := dataset.Shapes[0]
		g.Seed = 1
		c.given.Train, err = f.generated(g)
		if !f.splits() && !f.CV() {
			f.Split = 0.9
		}
		return err
	}
	r := dataset.RatingsReader{Columns: f.Columns, Decimal: byte(f.Decimal), Times: f.SplitLast > 0 ||
		f.SplitTime > 0, Narrow: f.narrow(),
		Labels: f.labels(), Ranks: f.Comm()}
	c.given.Train, err = cli.ReadQueried(r, f.Train, f.query)
	return err
}

// generated is generated ratings, which the first of several ranks deals out.
func (f *Flags) generated(g dataset.Generator) (r *dataset.Ratings, err error) {
	switch {
	case f.Comm().Rank() > 0:
		r = &dataset.Ratings{}
	case f.narrow():
		r, err = g.Narrow()
	default:
		r, err = g.Ratings()
	}
	if f.Comm() == nil {
		return r, err
	}
	if err = f.Comm().FirstError(err); err != nil {
		return nil, err
	}
	return r.OverRanks(f.Comm(), nil)
}

// readOther reads ratings against the ids of the training file.
func (c *job) readOther(name string) (*dataset.Ratings, error) {
	if name == "" {
		return nil, nil
	}
	return cli.ReadQueried(dataset.RatingsReader{Columns: c.f.Columns, Decimal: byte(c.f.Decimal), RowIDs: c.rowIDs,
		ColIDs: c.colIDs, Labels: c.f.labels(), Ranks: c.f.Comm(), Rows: c.given.Train.Spread}, name, c.f.query)
}

// labels says that ratings are labels, any text.
func (f *Flags) labels() bool {
	l, err := f.loss()
	return err == nil && l.Signs()
}

// tidy gives back what is left of reading, or of choosing λ, and lets some 13 MB of garbage grow from then on.
func (c *job) tidy() {
	percent := max(5, min(20_000_000/max(c.Len(), 1), 100))
	switch {
	case c.given.Float32:
		cli.Thrifty(5)
	case c.Len() > 1_000_000:
		cli.Thrifty(percent)
	default:
		runtime.GC() // what is left is used again, before memory that the system has yet to find
		debug.SetGCPercent(percent)
	}
}

// Release drops what only the choice of λ needs.
func (c *job) Release() {
	if !c.given.Float32 {
		c.PreparedCompletion.Release()
		c.tidy()
	}
}

// Whole is measured in the words of scripts, which a trace has.
func (c *job) Whole() (*selection.Fitting, error) {
	t, err := c.PreparedCompletion.Whole()
	if err != nil || t.Measure == nil {
		return t, err
	}
	told := *t
	told.Measure = func(s *gcg.State) selection.Measured { return measuredOf(t.Measure(s).(*task.RatingScores)) }
	return &told, nil
}

// Validation names the flag that does without.
func (c *job) Validation() (*selection.Fitting, error) {
	t, err := c.PreparedCompletion.Validation()
	return t, cli.OrLambda(err)
}

func (c *job) Choosing() string {
	if c.Open() {
		return c.choosingMore()
	}
	if c.given.Valid != nil {
		return "choosing λ by a path on the training ratings, measured on " + c.given.Valid.Name + " (--lambda auto)"
	}
	return "choosing λ by a path on 90 % of the training ratings (--lambda auto)"
}

// Greet says what the data is.
func (c *job) Greet(show *cli.Progress) {
	if c.builtin {
		text := "no --train: a generated dataset of MovieLens-100k's shape (rank 5 truth, noise 0.7)"
		if c.Test() != nil {
			text += fmt.Sprintf(", %.0f %% held out for the test", 100*float64(c.Test().Total())/float64(c.Len()+c.Test().Total()))
		}
		show.Say(text)
		show.Say("for your own: gcg fit completion --train FILE, lines of user, item, rating")
	}
	cli.SayColumns(show, c.Train())
	if c.came != "" {
		show.Say(c.came)
	}
	if c.given.Rated == task.AutoRated && c.f.Cmd.Flags().Changed("rated") && !c.ListsOpen() {
		show.Say("--rated auto: no lists are tried; it tries them of 20,000 to 1,000,000 ratings, with squared loss and without " +
			"features: take both, users or items")
	}
	if _, chosen, _ := c.f.LambdaValue(); chosen && c.ListsLeft() {
		show.Say("lists of what was rated, which one process tries, are left out: ranks share the ratings")
	}
	for _, w := range c.Warnings() {
		show.Say("warning: " + c.words(w))
	}
}

// For is the same ratings for other flags of a solver.
func (c *job) For(l cli.Loader) (cli.Job, error) {
	f, same := l.(*Flags)
	if !same || f.implicit() {
		return nil, nil
	}
	other := *c
	other.f = f
	return &other, nil
}
