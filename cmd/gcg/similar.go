package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

type similarFlags struct {
	model, item, user, titles, format, output string
	top                                       int
}

func similarCommand() *cobra.Command {
	f := &similarFlags{}
	cmd := &cobra.Command{
		Use:   "similar --model FILE (--item ID | --user ID)",
		Short: "The items, or users, most like one, by the cosine of their factors",
		Example: `  gcg similar --model my.gcg --item 50 --titles items.csv
  gcg similar --model my.gcg --user 42 --top 5 --format jsonl`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cli.Bind(cmd, cmd.Name(), "", cli.Fields{"model": &f.model, "item": &f.item, "user": &f.user, "top": &f.top,
		"titles": &f.titles, "format": &f.format, "output": &f.output})
	return cmd
}

func (f *similarFlags) check() error {
	switch {
	case f.model == "":
		return cli.Usagef("gcg similar needs --model")
	case (f.item == "") == (f.user == ""):
		return cli.Usagef("gcg similar takes one of --item and --user")
	case f.user != "" && f.titles != "":
		return cli.Usagef("--titles: names items, and --user asks for users")
	}
	if _, table := dataset.RecordsFormatOf(f.output); table && f.format == "jsonl" {
		return cli.Usagef("--format %s: %s is a table by its name; leave --format out", f.format, f.output)
	}
	return cli.CheckOutput([]string{f.model, f.titles}, f.output)
}

func (f *similarFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	m, err := cli.UnlessInterrupted(cmd.Context(), func() (*model.Model, error) { return cli.LoadModel(f.model) })
	if err != nil {
		return err
	}
	if m.Problem != "completion" {
		return fmt.Errorf("%s: is a model of %s; similar items are those of one of completion", f.model, m.Problem)
	}
	titles := map[string]string{}
	if f.titles != "" {
		if titles, err = dataset.ReadTitles(f.titles); err != nil {
			return err
		}
	}
	what, id, ids, similar := "item", f.item, m.ColIDs, m.SimilarItems
	if f.user != "" {
		what, id, ids, similar = "user", f.user, m.RowIDs, m.SimilarUsers
	}
	at := dataset.NewIDs(ids).Find([]byte(id))
	if at < 0 {
		return fmt.Errorf("%s: %s %q is not in the model", f.model, what, id)
	}
	list := similar(int(at), f.top)
	if len(list) == 0 {
		return fmt.Errorf("%s: nothing is like %s %q, whose factor is 0: the model knows nothing of it but its mean", f.model, what, id)
	}
	if _, table := dataset.RecordsFormatOf(f.output); table || f.format == "csv" {
		return cli.WriteRecords(f.output, cmd.OutOrStdout(), similarRecords(what, id, ids, titles, list))
	}
	return cli.ToOutput(f.output, cmd.OutOrStdout(), func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := f.write(b, what, id, ids, titles, list); err != nil {
			return err
		}
		return b.Flush()
	})
}

// similarRecords are the list as a table; what says whether it is of items or users.
func similarRecords(what, id string, ids []string, titles map[string]string, list []model.Recommendation) dataset.Records {
	one, other := dataset.IDField(what, ids...), dataset.IDField("similar", ids...)
	fields := []dataset.Field{one, {Name: "rank", Kind: dataset.WholeField}, other,
		{Name: "similarity", Kind: dataset.NumberField, Text: decimal.Number}, {Name: "title", Null: true}}
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		for k, l := range list {
			name := ids[l.Item]
			if !yield([]dataset.Cell{one.ID(id), {Whole: int64(k + 1)}, other.ID(name), {Number: l.Score},
				{Text: titles[name], Null: titles[name] == ""}}, nil) {
				return
			}
		}
	}}
}

// write prints the list; what says whether it is of items or users.
func (f *similarFlags) write(out io.Writer, what, id string, ids []string, titles map[string]string,
	list []model.Recommendation) error {
	if f.format == "jsonl" {
		items := make([]map[string]any, len(list))
		for k, l := range list {
			one := ids[l.Item]
			if !utf8.ValidString(one) || !utf8.ValidString(id) {
				return fmt.Errorf("the id %q is no UTF-8 text, which JSON is made of: take --format csv", one)
			}
			items[k] = map[string]any{what: one, "similarity": l.Score}
			if titles[one] != "" {
				items[k]["title"] = titles[one]
			}
		}
		return cli.PrintJSON(out, map[string]any{what: id, what + "s": items})
	}
	fmt.Fprintln(out, strings.TrimSpace(what+" "+printable.Name(id)+"  "+printable.Name(titles[id])))
	for k, l := range list {
		line := fmt.Sprintf("%4d  %.3f  %s  %s", k+1, l.Score, printable.Name(ids[l.Item]), printable.Name(titles[ids[l.Item]]))
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
