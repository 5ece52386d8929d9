// Package reproduce is gcg reproduce: flags, words and files around package internal/experiment/reproduce.
package reproduce

import (
	"fmt"
	"os"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/experiment/reproduce"
	"github.com/spf13/cobra"
)

// flags are those of the verb.
type flags struct {
	data, output string
	scale        float64
	seed         uint64
	every        bool // --all
	json, quiet  bool
}

// Command is gcg reproduce.
func Command() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{Use: "reproduce list | ID… | --all", Short: "Rerun tables and figures of the papers",
		Long: `Rerun tables and figures of the papers: what they compare, with the numbers that they print, and a verdict.
Data that --data does not have are generated, smaller than the paper's; the report says which. What each solver may take is
limited: all experiments take minutes.`,
		Example: `  gcg reproduce list
  gcg reproduce yu17-fig2
  gcg reproduce yu17-fig2 --data FOLDER --output report.html
  gcg reproduce --all --output FOLDER`,
		Args: cobra.ArbitraryArgs}
	cli.Bind(cmd, "reproduce", "", cli.Fields{"data": &f.data, "output": &f.output, "scale": &f.scale, "seed": &f.seed,
		"all": &f.every, "json": &f.json, "quiet": &f.quiet})
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.Usage(cli.FlagError(cmd, err)) })
	cmd.RunE = f.run
	return cmd
}

// run is the whole verb.
func (f *flags) run(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] == "list" {
		return f.list(cmd)
	}
	specs, err := f.chosen(args)
	if err != nil {
		return err
	}
	if f.data != "" {
		if info, err := os.Stat(f.data); err != nil || !info.IsDir() {
			return cli.Usagef("--data %s: is no folder", f.data)
		}
	}
	opt := reproduce.Options{Data: f.data, Scale: f.scale, Seed: f.seed}
	if !f.quiet {
		opt.Say = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	}
	var reports []*reproduce.Report
	for _, s := range specs {
		r, err := s.Run(cmd.Context(), opt)
		if err != nil {
			return err
		}
		if reports = append(reports, r); !f.json {
			if len(specs) > 1 {
				fmt.Fprintf(cmd.OutOrStdout(), "%-18s %-15s %s\n", s.ID, r.Verdict, r.Why)
			} else if err := r.Text(cmd.OutOrStdout()); err != nil {
				return err
			}
		}
	}
	if f.json {
		var one any = reports
		if len(specs) == 1 && !f.every {
			one = reports[0]
		}
		if err := cli.PrintJSON(cmd.OutOrStdout(), one); err != nil {
			return err
		}
	}
	if f.output == "" {
		return nil
	}
	return reproduce.Save(f.output, reports)
}

// chosen are the experiments that are named, or all.
func (f *flags) chosen(args []string) ([]*reproduce.Spec, error) {
	switch {
	case f.every && len(args) > 0:
		return nil, cli.Usagef("--all: takes no names of experiments")
	case f.every:
		return reproduce.List()
	case len(args) == 0:
		return nil, cli.Usagef("gcg reproduce takes list, names of experiments, or --all")
	}
	var specs []*reproduce.Spec
	for _, id := range args {
		s, err := reproduce.Find(id)
		if err != nil {
			return nil, cli.Usage(err)
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// A line is one experiment of the list.
type line struct {
	ID    string `json:"id"`
	Paper string `json:"paper"`
	What  string `json:"what"`
	Title string `json:"title"`
	Data  string `json:"data"`
}

// list prints all experiments.
func (f *flags) list(cmd *cobra.Command) error {
	specs, err := reproduce.List()
	if err != nil {
		return err
	}
	t := &experiment.Table{Heads: []string{"id", "paper", "what", "title", "data"}}
	var lines []line
	for _, s := range specs {
		lines = append(lines, line{s.ID, s.Paper, s.What, s.Title, s.Source()})
		t.Add(s.ID, s.Paper, s.What, s.Title, s.Source())
	}
	if f.json {
		return cli.PrintJSON(cmd.OutOrStdout(), lines)
	}
	return t.Text(cmd.OutOrStdout(), 0)
}
