package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/completion"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/sql"
	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

type recommendFlags struct {
	model, user, users, ratings, seen, titles, columns, format, output string
	table, query, only, without                                        string
	decimal                                                            cli.Decimal
	features                                                           completion.FeatureFiles
	also                                                               completion.SeenFile
	all, certified, explain                                            bool
	top                                                                int
}

func recommendCommand() *cobra.Command {
	f := &recommendFlags{}
	cmd := &cobra.Command{
		Use:   "recommend --model FILE (--user ID | --users FILE | --all | --ratings FILE)",
		Short: "The items with the highest predictions, for known users or for a new one",
		Example: `  gcg recommend --model my.gcg --user 42 --seen ratings.csv --titles items.csv
  gcg recommend --model my.gcg --all --top 5 --format csv --output top.csv
  gcg recommend --model my.gcg --ratings mine.csv      a new user: item,rating or user,item,rating
  gcg recommend --model my.gcg --user new --user-features new.csv   a new user without any, of a model with features`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.Bind(cmd, cmd.Name(), "", f.features.Fields().And(f.also.Fields()).And(cli.Fields{
		"model": &f.model, "user": &f.user, "users": &f.users,
		"all": &f.all, "ratings": &f.ratings, "top": &f.top, "seen": &f.seen, "titles": &f.titles, "columns": &f.columns,
		"decimal": &f.decimal, "certified": &f.certified, "explain": &f.explain, "format": &f.format, "output": &f.output,
		"table": &f.table, "query": &f.query, "only-items": &f.only, "without-items": &f.without}))
	return cmd
}

func (f *recommendFlags) run(ctx context.Context, out, log io.Writer) error {
	ranks := cli.RanksOf(ctx)
	if err := cmp.Or(f.check(), f.checkRanks(ranks)); err != nil {
		return err
	}
	if err := cli.CheckOutput([]string{f.model, f.users, f.ratings, f.seen, f.titles, f.features.Users, f.features.Items,
		f.also.Name, f.only, f.without}, f.file()); err != nil {
		return err
	}
	m, err := cli.UnlessInterrupted(ctx, func() (*model.Model, error) { return cli.LoadModel(f.model) })
	if err != nil {
		return err
	}
	if m.Problem != "completion" {
		return fmt.Errorf("%s: is a model of %s; recommendations come from one of completion, and predictions from gcg predict",
			f.model, m.Problem)
	}
	if err := f.checkCertified(m); err != nil {
		return err
	}
	if err := (&completion.FeatureFiles{Items: f.features.Items}).Describe(m, nil); err != nil {
		return err
	}
	r := &recommender{Recommender: model.NewRecommender(m, f.top), ctx: ctx, f: f, log: log}
	r.Ranks = cli.CommOf(ctx)
	if err := cli.CheckColumns(f.columns, f.ratings != "" && !r.clicks()); err != nil {
		return err
	}
	if err := (&completion.FeatureFiles{Users: f.features.Users}).Describe(m, r.AddUsers); err != nil {
		return err
	}
	if err := f.also.Check(m); err != nil {
		return err
	}
	if err := f.also.Describe(ctx, f.columns, f.decimal, f.query, r.AddSeen); err != nil {
		return err
	}
	if f.certified {
		r.Top++ // what the last of a list is to be told from
	}
	if err := r.load(); err != nil {
		return err
	}
	if err := r.write(out); err != nil {
		return err
	}
	r.sayCertified()
	printable.Line(log, completion.BasedOn(m))
	return nil
}

// check refuses flags that do not go together, before anything is read.
func (f *recommendFlags) check() error {
	modes := 0
	for _, on := range []bool{f.user != "", f.users != "", f.all, f.ratings != ""} {
		if on {
			modes++
		}
	}
	switch {
	case f.model == "":
		return cli.Usagef("gcg recommend needs --model")
	case modes != 1:
		return cli.Usagef("gcg recommend takes one of --user, --users, --all and --ratings")
	case sql.IsPostgres(f.output) != (f.table != ""):
		return cli.Usagef("--output postgres://… and --table go together: the lists replace the rows of that table")
	case sql.IsSQLite(f.output):
		return cli.Usagef("--output: lists are written to files and to databases of PostgreSQL, not to one of SQLite")
	case f.table != "" && (f.explain || f.certified || f.format != "text"):
		return cli.Usagef("--table: holds lists alone; leave --format, --explain and --certified out")
	case f.isTable() && f.format != "text" && f.format != "csv":
		return cli.Usagef("--format %s: %s is a table by its name; leave --format out", f.format, f.output)
	case f.explain && f.seen == "" && f.ratings == "":
		return cli.Usagef("--explain needs the ratings of the users: give them with --seen, or of new users with --ratings")
	case f.ratings != "" && dataset.WeighsColumns(f.columns):
		return cli.Usagef("--columns: the ratings of new users count alike; leave weights and offsets out")
	}
	if err := cli.CheckQuery(f.query, f.seen, f.ratings, f.also.Name); err != nil {
		return err
	}
	return cli.CheckColumns(f.columns, false)
}

// checkRanks refuses what several ranks do not do together, and leaves what is written to the first of them.
func (f *recommendFlags) checkRanks(r *cli.Ranks) error {
	switch {
	case r == nil || r.Size() == 1:
	case !f.all:
		return cli.Usagef("gcg recommend: %d ranks were started; they make the lists of --all users together", r.Size())
	case r.Rank() > 0:
		f.output, f.table, f.format = "", "", "text"
	}
	return nil
}

// file is where the lists go if that is no database.
func (f *recommendFlags) file() string {
	if f.table != "" {
		return ""
	}
	return f.output
}

// isTable says that the lists go to a file of a format of tables, such as Parquet.
func (f *recommendFlags) isTable() bool {
	_, is := dataset.RecordsFormatOf(f.output)
	return is
}

// A recommender writes the list of one user after the other, so that its memory does not grow with their number.
type recommender struct {
	*model.Recommender
	ctx    context.Context // of the command
	f      *recommendFlags
	log    io.Writer // what is doubtful
	titles map[string]string
	fresh  *dataset.Ratings // of new users, or nil
	users  []string         // of --users
	known  certifiedCount   // of --certified
}

// clicks says that the model is of clicks, which may stand without a count.
func (r *recommender) clicks() bool { return r.Model.Info.Background > 0 }

func (r *recommender) load() (err error) {
	if r.f.titles != "" {
		read := func() (map[string]string, error) { return dataset.ReadTitles(r.f.titles) }
		if r.titles, err = cli.UnlessInterrupted(r.ctx, read); err != nil {
			return err
		}
		r.warnUntitled()
	}
	if r.f.ratings != "" { // item,rating is of one user, who is called new
		if r.fresh, err = r.read(dataset.RatingsReader{OneUser: true, ValuesOptional: r.clicks()}, r.f.ratings); err != nil {
			return err
		}
	}
	if err := r.restrict(); err != nil {
		return err
	}
	if r.f.users != "" { // before anything is written: one of them may be unknown
		if r.users, err = cli.UnlessInterrupted(r.ctx, r.readUsers); err != nil {
			return err
		}
	}
	if r.f.seen == "" {
		return nil
	}
	seen, err := r.read(dataset.RatingsReader{ValuesOptional: true}, r.f.seen)
	if err != nil {
		return err
	}
	var users *dataset.IDs // of the model
	whom := "user"
	if r.fresh != nil {
		users, whom = r.fresh.RowIDs, "user of "+r.fresh.Name
	}
	if r.LeaveOut(seen, users) == 0 {
		r.warn("%s: has no %s with an item of the model, so nothing is left out; see --columns", seen.Name, whom)
	}
	return nil
}

// readUsers are the users of a file, all of whom the model must know.
func (r *recommender) readUsers() (users []string, err error) {
	lines := 0 // that say something
	err = dataset.EachLine(r.f.users, func(line int, text string) error {
		if lines++; lines == 1 && !r.Knows(text) && dataset.NamesUsers(text) {
			return nil
		}
		if !r.Knows(text) {
			return fmt.Errorf("%s:%d: %w", dataset.Called(r.f.users), line, r.unknown(text))
		}
		users = append(users, text)
		return nil
	})
	return users, err
}

// restrict reads the items that lists may have, and those that they may not.
func (r *recommender) restrict() error {
	if r.f.only == "" && r.f.without == "" {
		return nil
	}
	var lists [2]*dataset.IDs
	for k, name := range []string{r.f.only, r.f.without} {
		if name == "" {
			continue
		}
		ids, err := cli.UnlessInterrupted(r.ctx, func() (*dataset.IDs, error) { return readItems(name) })
		if err != nil {
			return err
		}
		lists[k] = ids
		if completion.Unmet(ids, r.Items()) == ids.Len() {
			r.warn("%s: has no item of the model", name)
		}
	}
	if r.Restrict(lists[0], lists[1]) == 0 {
		return fmt.Errorf("%s: no item of the model is left to recommend", cmp.Or(r.f.only, r.f.without))
	}
	return nil
}

// readItems are the ids of a file, one a line, under a header or none.
func readItems(name string) (*dataset.IDs, error) {
	var all []string
	err := dataset.EachLine(name, func(_ int, text string) error {
		all = append(all, text)
		return nil
	})
	return dataset.NewIDs(all), err
}

// read reads ratings from a file or a database.
func (r *recommender) read(by dataset.RatingsReader, name string) (*dataset.Ratings, error) {
	by.Columns, by.Decimal, by.Labels = r.f.columns, byte(r.f.decimal), r.Model.TwoLabels() != nil
	return cli.UnlessInterrupted(r.ctx, func() (*dataset.Ratings, error) { return cli.ReadQueried(by, name, r.f.query) })
}

func (r *recommender) warn(format string, args ...any) {
	fmt.Fprintf(r.log, "warning: "+format+"\n", args...)
}

func (r *recommender) warnUntitled() {
	for _, id := range r.Model.ColIDs {
		if _, ok := r.titles[id]; ok {
			return
		}
	}
	r.warn("%s: has no title for any item of the model", r.f.titles)
}

// A list is what one user gets.
type list struct {
	user    string
	top     []model.Recommendation
	known   *model.Certified // with --certified
	because [][]reason       // of each item, with --explain
}

// write writes all lists: to a table, as records or line by line.
func (r *recommender) write(out io.Writer) error {
	switch {
	case r.f.table != "":
		// A table without ranks and scores is not one of lists: perhaps it is that of the ratings, which would be lost.
		rows, err := sql.Replace(r.ctx, r.f.output, r.f.table, r.records(), "user", "item", "rank|prediction")
		if err == nil {
			fmt.Fprintf(r.log, "table %s has %d rows now\n", r.f.table, rows)
		}
		return err
	case r.f.format == "csv" || r.f.isTable():
		return cli.WriteRecords(r.f.output, out, r.records())
	}
	return cli.ToOutput(r.f.output, out, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		one := r.text
		if r.f.format == "jsonl" {
			one = r.json
		}
		if err := r.each(func(l list) error { return one(b, l) }); err != nil {
			return err
		}
		return b.Flush()
	})
}

// records are the lists as rows of a table.
func (r *recommender) records() dataset.Records {
	users := r.Model.RowIDs
	if r.fresh != nil {
		users = r.fresh.RowIDs.Texts()
	}
	user, item := dataset.IDField("user", users...), dataset.IDField("item", r.Model.ColIDs...)
	fields := []dataset.Field{user, {Name: "rank", Kind: dataset.WholeField}, item,
		{Name: "prediction", Kind: dataset.NumberField, Text: decimal.Number}, {Name: "title", Null: true}}
	if r.f.certified {
		fields = append(fields, dataset.Field{Name: "certified", Kind: dataset.BoolField})
	}
	if r.f.explain {
		fields = append(fields, dataset.Field{Name: "because"})
	}
	enough := errors.New("no more rows are wanted")
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		var row []dataset.Cell
		err := r.each(func(l list) error {
			for k, t := range l.top {
				id := r.Model.ColIDs[t.Item]
				title := r.titles[id]
				row = append(row[:0], user.ID(l.user), dataset.Cell{Whole: int64(k + 1)}, item.ID(id), dataset.Cell{Number: t.Score},
					dataset.Cell{Text: title, Null: title == ""})
				if l.known != nil {
					row = append(row, dataset.Cell{Bool: l.known.Known[k]})
				}
				if r.f.explain {
					row = append(row, dataset.Cell{Text: inWords(l.because[k])})
				}
				if !yield(row, nil) {
					return enough
				}
			}
			return nil
		})
		if err != nil && err != enough {
			yield(nil, err)
		}
	}}
}

// each calls f with the list of each user that was asked for.
func (r *recommender) each(f func(list) error) error {
	switch {
	case r.f.all:
		return r.Everybody(r.ctx, func(user string, top []model.Recommendation) error { return r.ofKnown(f, user, top) })
	case r.f.user != "":
		return r.user(f, r.f.user)
	case r.f.users != "":
		for _, id := range r.users {
			if err := r.user(f, id); err != nil {
				return err
			}
		}
		return nil
	}
	return r.foldIn(f)
}

func (r *recommender) user(f func(list) error, id string) error {
	if !r.Knows(id) {
		return r.unknown(id)
	}
	top, err := r.User(id)
	if err != nil {
		return err
	}
	return r.ofKnown(f, id, top)
}

// unknown is the error of a user that the model does not have.
func (r *recommender) unknown(id string) error {
	mend := "recommend from their ratings with --ratings FILE"
	if r.Model.DescribesUsers() {
		mend += ", or from their features with --user-features FILE"
	}
	if r.Model.RowRated != nil {
		mend += ", or from what they have seen with --also-seen FILE"
	}
	return fmt.Errorf("user %q is not in the model; %s", id, mend)
}

// ofKnown hands on the list of a user of the model.
func (r *recommender) ofKnown(f func(list) error, id string, top []model.Recommendation) error {
	if !r.f.explain {
		return r.list(f, id, top, nil)
	}
	why, err := r.ExplainUser(id, top)
	if err != nil {
		return fmt.Errorf("--explain: %w", err)
	}
	return r.list(f, id, top, why)
}

// foldIn recommends for every user of a file of new ratings. Ratings of items that the model does not know teach it nothing,
// which is said once.
func (r *recommender) foldIn(f func(list) error) error {
	users, err := r.NewUsers(r.fresh)
	if err != nil {
		return err
	}
	used, unknown := 0, 0
	for _, u := range users {
		used, unknown = used+len(u.Cols), unknown+u.Unknown
		top, err := r.FoldIn(u)
		if err != nil {
			return fmt.Errorf("%s: %w", r.f.model, err)
		}
		if len(u.Cols) == 0 {
			r.warn("%s: user %q has rated no item of the model; the list is what anybody would get", r.fresh.Name, u.ID)
		}
		var why [][]model.Contribution
		if r.f.explain {
			if why, err = r.Explain(u, top); err != nil {
				return fmt.Errorf("%s: %w", r.f.model, err)
			}
		}
		if err := r.list(f, u.ID, top, why); err != nil {
			return err
		}
	}
	if used > 0 && unknown > 0 {
		r.warn("%s: %d of %d ratings are of items that the model does not know, and say nothing", r.fresh.Name, unknown,
			used+unknown)
	}
	return nil
}

// list hands on one user's recommendations, with what carries each of them where that is asked for.
func (r *recommender) list(f func(list) error, user string, top []model.Recommendation, why [][]model.Contribution) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	l := list{user: user}
	l.top, l.known = r.certify(top)
	l.because = make([][]reason, len(l.top))
	for k := range l.because[:min(len(why), len(l.top))] {
		l.because[k] = r.reasons(why[k])
	}
	return f(l)
}

// json writes a list as a line of JSON.
func (r *recommender) json(out io.Writer, l list) error {
	type item struct {
		Item       string   `json:"item"`
		Prediction float64  `json:"prediction"`
		Title      string   `json:"title,omitempty"`
		Certified  *bool    `json:"certified,omitempty"`
		Because    []reason `json:"because,omitempty"`
	}
	items, ids := make([]item, len(l.top)), []string{l.user}
	for k, t := range l.top {
		id := r.Model.ColIDs[t.Item]
		items[k], ids = item{Item: id, Prediction: t.Score, Title: r.titles[id], Because: l.because[k]}, append(ids, id)
		for _, b := range l.because[k] {
			ids = append(ids, b.Item)
		}
		if l.known != nil {
			items[k].Certified = &l.known.Known[k]
		}
	}
	if k := slices.IndexFunc(ids, func(id string) bool { return !utf8.ValidString(id) }); k >= 0 {
		return fmt.Errorf("the id %q is no UTF-8 text, which JSON is made of: take --format csv", ids[k])
	}
	return cli.PrintJSON(out, struct {
		User  string `json:"user"`
		Items []item `json:"items"`
	}{l.user, items})
}

// text writes a list for people.
func (r *recommender) text(out io.Writer, l list) error {
	fmt.Fprintf(out, "user %s\n", printable.Name(l.user))
	for k, t := range l.top {
		id := r.Model.ColIDs[t.Item]
		line := fmt.Sprintf("%4d%s  %.3f  %s  %s", k+1, mark(l.known, k), t.Score, printable.Name(id), printable.Name(r.titles[id]))
		line = strings.TrimRight(line, " ")
		if len(l.because[k]) > 0 {
			line += "\n      because of " + printable.Name(inWords(l.because[k]))
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// A reason is a rated item and what it adds to a score.
type reason struct {
	Item         string  `json:"item"`
	Contribution float64 `json:"contribution"`
	Title        string  `json:"title,omitempty"`
}

// reasons names the rated items that carry a recommendation, the first of all.
func (r *recommender) reasons(why []model.Contribution) []reason {
	const most = 3
	named := make([]reason, min(most, len(why)))
	for k := range named {
		id := r.Model.ColIDs[why[k].Item]
		named[k] = reason{id, why[k].Value, r.titles[id]}
	}
	return named
}

// inWords is the reasons for people.
func inWords(reasons []reason) string {
	var words []string
	for _, w := range reasons {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s", w.Item, w.Title))+fmt.Sprintf(" (%+.3f)", w.Contribution))
	}
	return strings.Join(words, ", ")
}
