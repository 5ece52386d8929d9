package completion

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// A SeenFile has pairs of users and items, which join the lists of what was rated; empty for none.
type SeenFile struct{ Name string }

// Fields is where the value of --also-seen is kept.
func (s *SeenFile) Fields() cli.Fields { return cli.Fields{"also-seen": &s.Name} }

func (s *SeenFile) files() []string {
	if s.Name == "" {
		return nil
	}
	return []string{s.Name}
}

// Read reads the pairs, by the first two of --columns, which name users and items.
func (s *SeenFile) Read(columns string, decimal cli.Decimal, query string) (*dataset.Ratings, error) {
	names := strings.Split(columns, ",")
	if columns = ""; len(names) > 1 { // one word stands for a table
		columns = strings.Join(names[:2], ",")
	}
	r := dataset.RatingsReader{Columns: columns, Decimal: byte(decimal), ValuesOptional: true}
	return cli.ReadQueried(r, s.Name, query)
}

// Check refuses a model without lists.
func (s *SeenFile) Check(m *model.Model) error {
	if s.Name != "" && m.RowRated == nil && m.ColRated == nil {
		return cli.Usagef("--also-seen: the model was fitted without lists of what was rated; gcg fit takes it with --rated both")
	}
	return nil
}

// Describe reads the pairs, if any, and makes their users and items known: add is AddSeen of a model or of what recommends by it.
func (s *SeenFile) Describe(ctx context.Context, columns string, decimal cli.Decimal, query string,
	add func(*dataset.Ratings) (users, items int, err error)) error {
	if s.Name == "" {
		return nil
	}
	read := func() (*dataset.Ratings, error) { return s.Read(columns, decimal, query) }
	pairs, err := cli.UnlessInterrupted(ctx, read)
	if err != nil {
		return err
	}
	_, _, err = add(pairs)
	return err
}

// checkSeen refuses flags that pairs without ratings do not go with.
func (f *Flags) checkSeen() error {
	if f.seen.Name == "" {
		return nil
	}
	switch changed := f.Cmd.Flags().Changed; {
	case f.rated == "none" && changed("rated"):
		return cli.Usagef("--also-seen: joins lists of what was rated, and --rated none has none: take both, users or items")
	case f.float32:
		return cli.Usagef("--also-seen: not with --float32, which keeps no lists of what was rated")
	case f.implicit():
		return cli.Usagef("--also-seen: not with --implicit, whose clicks are in --train")
	case f.Train == "" && f.data == "":
		return cli.Usagef("--also-seen: needs --train FILE, of ratings by the ids of its file")
	}
	return nil
}

// adoptSeen asks for the pairs again where a model had some, and refuses them where it has no lists.
func (f updateFlags) adoptSeen(m *model.Model) error {
	switch {
	case m.Info.AlsoSeen > 0 && f.seen.Name == "":
		return errors.New("was fitted with --also-seen: give that file, too, or one that has its pairs")
	case m.Info.Rated == "" && f.seen.Name != "":
		return errors.New("was fitted without lists of what was rated, which --also-seen joins: use gcg fit with --warm")
	}
	return nil
}

// readSeen reads the pairs, and gives users and items that only they have places among those of the files to measure on.
func (c *job) readSeen() (err error) {
	c.rowIDs, c.colIDs = c.given.Train.RowIDs, c.given.Train.ColIDs
	if c.f.seen.Name == "" {
		return nil
	}
	if c.given.AlsoSeen, err = c.f.seen.Read(c.f.Columns, c.f.Decimal, c.f.query); err != nil {
		return err
	}
	all := c.given.Train.Share()
	if err := all.Know(c.given.AlsoSeen.RowIDs, c.given.AlsoSeen.ColIDs); err != nil {
		return err
	}
	c.rowIDs, c.colIDs = all.RowIDs, all.ColIDs
	return nil
}

// seenResult is what became of the pairs, for scripts.
type seenResult struct {
	File   string `json:"file"`
	Pairs  int    `json:"pairs"`
	Joined int    `json:"joined"`
	Rated  int    `json:"rated"`
	Held   int    `json:"held_out"`
	Users  int    `json:"new_users"`
	Items  int    `json:"new_items"`
}

// noteSeen adds what became of the pairs to the result.
func (c *job) noteSeen(res *cli.Result) {
	n := c.AlsoSeen()
	if n == nil {
		return
	}
	name := c.given.AlsoSeen.Name
	res.AlsoSeen = &seenResult{name, n.Pairs, n.Joined, n.Rated, n.Held, n.Users, n.Items}
	text := fmt.Sprintf("%s: %d of %d pairs joined the lists, of %d users and %d items without ratings", name, n.Joined, n.Pairs,
		n.Users, n.Items)
	if n.Rated > 0 {
		text += fmt.Sprintf("; %d have ratings", n.Rated)
	}
	if n.Held > 0 {
		text += fmt.Sprintf("; %d are held out", n.Held)
	}
	res.Note("also seen", "%s", text)
	if n.Joined == 0 {
		res.Warn(name + ": none of its pairs joined the lists of what was rated, as all have ratings or are held out")
	}
}

// listsGiven are --rated, which pairs without ratings make both where nothing is said.
func (f *Flags) listsGiven() task.Rated {
	r, _ := task.ParseRated(f.rated)
	switch {
	case r == task.AutoRated && f.seen.Name != "":
		return task.RatedBoth
	case r == task.AutoRated && !f.Cmd.Flags().Changed("rated") && !f.triesLists():
		return task.NoRated
	}
	return r
}
