package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

type recommendFlags struct {
	model, user, users, ratings, seen, titles, columns, format, output string
	all                                                                bool
	top                                                                int
}

func recommendCommand() *cobra.Command {
	f := &recommendFlags{}
	cmd := &cobra.Command{
		Use:   "recommend --model FILE (--user ID | --users FILE | --all | --ratings FILE)",
		Short: "The items with the highest predictions, for known users or for a new one",
		Example: `  gcg recommend --model my.gcg --user 42 --seen ratings.csv --titles items.csv
  gcg recommend --model my.gcg --all --top 5 --format csv --output top.csv
  gcg recommend --model my.gcg --ratings mine.csv      a new user: item,rating or user,item,rating`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.model, "model", "", "a fitted model")
	s.StringVar(&f.user, "user", "", "one user")
	s.StringVar(&f.users, "users", "", "a file of users, one a line, under a header or none")
	s.BoolVar(&f.all, "all", false, "all users of the model")
	s.StringVar(&f.ratings, "ratings", "", "the ratings of new users: item,rating or user,item,rating")
	s.IntVar(&f.top, "top", 10, "items for each user")
	s.StringVar(&f.seen, "seen", "", "ratings whose items are left out")
	s.StringVar(&f.titles, "titles", "", "a file of item and title: MovieLens' u.item, movies.dat or movies.csv, or other delimited text")
	s.StringVar(&f.columns, "columns", "", "columns of --seen and --ratings")
	s.StringVar(&f.format, "format", "text", "text, csv or jsonl")
	s.StringVar(&f.output, "output", "", "file to write (default: standard output)")
	return cmd
}

func (f *recommendFlags) run(ctx context.Context, out, log io.Writer) error {
	modes := 0
	for _, on := range []bool{f.user != "", f.users != "", f.all, f.ratings != ""} {
		if on {
			modes++
		}
	}
	switch {
	case f.model == "":
		return usagef("gcg recommend needs --model")
	case modes != 1:
		return usagef("gcg recommend takes one of --user, --users, --all and --ratings")
	case f.top < 1:
		return usagef("--top %d: at least 1", f.top)
	case !contains("text csv jsonl", f.format):
		return usagef("--format %q: text, csv or jsonl", f.format)
	}
	if err := checkColumns(f.columns, f.ratings != ""); err != nil {
		return err
	}
	if err := checkOutput([]string{f.model, f.users, f.ratings, f.seen, f.titles}, f.output); err != nil {
		return err
	}
	m, err := unlessInterrupted(ctx, func() (*model.Model, error) { return loadModel(f.model) })
	if err != nil {
		return err
	}
	if m.Problem != "completion" {
		return fmt.Errorf("%s: is a model of %s; recommendations come from one of completion, and predictions from gcg predict", f.model, m.Problem)
	}
	r := &recommender{ctx: ctx, f: f, m: m, log: log}
	if err := r.load(); err != nil {
		return err
	}
	return toOutput(f.output, out, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := r.write(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// A recommender writes the list of one user after the other, so that its memory does not grow with their number.
type recommender struct {
	ctx    context.Context // of the command
	f      *recommendFlags
	m      *model.Model
	log    io.Writer // what is doubtful
	rows   *dataset.IDs
	titles map[string]string
	seen   map[int][]int32  // columns of the model, ascending, by row of the model, or of fresh where there is one
	fresh  *dataset.Ratings // of new users, or nil
}

func (r *recommender) load() (err error) {
	r.rows = dataset.NewIDs(r.m.RowIDs)
	if r.f.titles != "" {
		if r.titles, err = unlessInterrupted(r.ctx, func() (map[string]string, error) { return dataset.ReadTitles(r.f.titles) }); err != nil {
			return err
		}
		r.warnUntitled()
	}
	if r.f.ratings != "" { // item,rating is of one user, who is called new
		if r.fresh, err = readRatings(r.ctx, dataset.RatingsReader{Columns: r.f.columns, OneUser: true}, r.f.ratings); err != nil {
			return err
		}
	}
	if r.f.seen == "" {
		return nil
	}
	return r.loadSeen()
}

// loadSeen reads what is left out of the lists of users of the model, or of the new ones.
func (r *recommender) loadSeen() error {
	data, err := readRatings(r.ctx, dataset.RatingsReader{Columns: r.f.columns, ValuesOptional: true}, r.f.seen)
	if err != nil {
		return err
	}
	users, whom := r.m.RowIDs, "user"
	if r.fresh != nil {
		users, whom = r.fresh.RowIDs.Texts(), "user of "+r.fresh.Name
	}
	rows, cols := translate(data.RowIDs, users), translate(data.ColIDs, r.m.ColIDs)
	r.seen = map[int][]int32{}
	for e := range data.Values {
		if i, j := rows[data.Rows[e]], cols[data.Cols[e]]; i >= 0 && j >= 0 {
			r.seen[i] = append(r.seen[i], int32(j))
		}
	}
	for i := range r.seen {
		slices.Sort(r.seen[i])
	}
	if len(r.seen) == 0 {
		r.warn("%s: has no %s with an item of the model, so nothing is left out; see --columns", data.Name, whom)
	}
	return nil
}

func (r *recommender) warn(format string, args ...any) {
	fmt.Fprintf(r.log, "warning: "+format+"\n", args...)
}

func (r *recommender) warnUntitled() {
	for _, id := range r.m.ColIDs {
		if _, ok := r.titles[id]; ok {
			return
		}
	}
	r.warn("%s: has no title for any item of the model", r.f.titles)
}

func (r *recommender) write(out io.Writer) error {
	if r.f.format == "csv" {
		w := newCSV(out)
		w.line("user", "rank", "item", "prediction", "title")
		if err := w.flush(); err != nil {
			return err
		}
	}
	switch {
	case r.f.all:
		return r.everybody(out)
	case r.f.user != "":
		return r.user(out, r.f.user, "")
	case r.f.users != "":
		lines := 0 // that say something
		return eachLine(r.f.users, func(line int, text string) error {
			if lines++; lines == 1 && r.rows.Find([]byte(text)) < 0 && dataset.NamesUsers(text) {
				return nil
			}
			return r.user(out, text, fmt.Sprintf("%s:%d: ", called(r.f.users), line))
		})
	}
	return r.foldIn(out)
}

// listsAtOnce is how many users get their lists at once, on all processors: few enough for interrupts and memory.
const listsAtOnce = 256

// everybody recommends to every user of the model.
func (r *recommender) everybody(out io.Writer) error {
	seen := func(i int) []int32 { return r.seen[i] }
	for lo := 0; lo < len(r.m.RowIDs); lo += listsAtOnce {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+listsAtOnce, len(r.m.RowIDs))
		for k, top := range r.m.Tops(lo, hi, r.f.top, seen) {
			if err := r.list(out, r.m.RowIDs[lo+k], top); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *recommender) user(out io.Writer, id, where string) error {
	i := int(r.rows.Find([]byte(id)))
	if i < 0 {
		return fmt.Errorf("%suser %q is not in the model; recommend from their ratings with --ratings FILE", where, id)
	}
	return r.list(out, id, r.m.Top(i, r.f.top, r.seen[i]))
}

// foldIn recommends for every user of a file of new ratings. Ratings of items that the model does not know teach it nothing, which is said once.
func (r *recommender) foldIn(out io.Writer) error {
	data := r.fresh
	s, err := data.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return err
	}
	cols := translate(data.ColIDs, r.m.ColIDs)
	used := 0
	for i := range s.M {
		var at []int32
		var values []float64
		for e := s.Ptr[i]; e < s.Ptr[i+1]; e++ {
			if j := cols[s.Cols[e]]; j >= 0 {
				at, values = append(at, int32(j)), append(values, s.Values[e])
			}
		}
		used += len(at)
		top, err := r.m.FoldIn(at, values, r.f.top, r.seen[i]...)
		if err != nil {
			return fmt.Errorf("%s: %w", r.f.model, err)
		}
		if len(at) == 0 {
			r.warn("%s: user %q has rated no item of the model; the list is what anybody would get", data.Name, data.RowIDs.Text(i))
		}
		if err := r.list(out, data.RowIDs.Text(i), top); err != nil {
			return err
		}
	}
	if n := len(s.Cols); used > 0 && used < n {
		r.warn("%s: %d of %d ratings are of items that the model does not know, and say nothing", data.Name, n-used, n)
	}
	return nil
}

// list prints one user's recommendations.
func (r *recommender) list(out io.Writer, user string, top []model.Recommendation) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	switch r.f.format {
	case "csv":
		w := newCSV(out)
		for k, t := range top {
			w.line(user, fmt.Sprint(k+1), r.m.ColIDs[t.Item], number(t.Score), r.titles[r.m.ColIDs[t.Item]])
		}
		return w.flush()
	case "jsonl":
		type item struct {
			Item       string  `json:"item"`
			Prediction float64 `json:"prediction"`
			Title      string  `json:"title,omitempty"`
		}
		items, ids := make([]item, len(top)), []string{user}
		for k, t := range top {
			id := r.m.ColIDs[t.Item]
			items[k], ids = item{id, t.Score, r.titles[id]}, append(ids, id)
		}
		if k := slices.IndexFunc(ids, func(id string) bool { return !utf8.ValidString(id) }); k >= 0 {
			return fmt.Errorf("the id %q is no UTF-8 text, which JSON is made of: take --format csv", ids[k])
		}
		return printJSON(out, struct {
			User  string `json:"user"`
			Items []item `json:"items"`
		}{user, items})
	}
	fmt.Fprintf(out, "user %s\n", user)
	for k, t := range top {
		id := r.m.ColIDs[t.Item]
		line := strings.TrimRight(fmt.Sprintf("%4d  %.3f  %s  %s", k+1, t.Score, id, r.titles[id]), " ")
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func eachLine(name string, f func(line int, text string) error) error {
	src, err := dataset.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	name = src.Name
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<24)
	line := 0
	for sc.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if text == "" {
			continue
		}
		if err := f(line, text); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s:%d: cannot be read: %w", name, line+1, err)
	}
	if line == 0 {
		return fmt.Errorf("%s: is empty", name)
	}
	return nil
}
