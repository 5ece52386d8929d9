package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/completion"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/download"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
)

func dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Get, list, generate, split and convert datasets",
		Example: `  gcg data get movielens-1m --output data
  gcg data list
  gcg data generate movielens-1m --seed 1 --output ratings.tsv
  gcg data generate classes-100 --output train.libsvm --test-output test.libsvm
  gcg data generate views --output noisy.npy --clean-output clean.npy
  gcg data split --train ratings.csv --split 0.75 --parts train.csv,test.csv
  gcg data convert --train u.data --output ratings.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("gcg data has get, list, generate, split and convert, not %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(dataGet(), dataList(), dataGenerate(), dataSplit(), dataConvert())
	return cmd
}

func dataList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "The shapes that can be generated", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, g := range dataset.Shapes {
				fmt.Fprintf(cmd.OutOrStdout(), "%-15s %9d × %-8d %11d ratings, rank %d, power laws %.1f and %.1f, noise %.1f\n",
					g.Name, g.Rows, g.Cols, g.N, g.Rank, g.RowExponent, g.ColExponent, g.Noise)
			}
			for _, g := range synthetic.Mixtures {
				fmt.Fprintf(cmd.OutOrStdout(), "%-15s %9d × %-8d %11d classes, correlation %.1f (%s)\n",
					g.Name, g.Rows(), g.Features, g.Classes, g.Correlation, g.Source)
			}
			v := synthetic.Denoising
			fmt.Fprintf(cmd.OutOrStdout(), "%-15s %9d × %-8d %11s rank %d, noise on %.0f %% of the entries (Yu et al. 2017)\n", viewsShape,
				v.Cols, v.Rows1+v.Rows2, "2 views,", v.Rank, 100*v.NoiseFraction)
			return nil
		}}
}

func dataGet() *cobra.Command {
	var folder string
	var names []string
	for _, d := range download.All {
		names = append(names, d.Name)
	}
	cmd := &cobra.Command{Use: "get NAME", Short: "Fetch data that their owner publishes, checked and unpacked",
		Long: "Fetch data that their owner publishes, after the licence is shown: " + strings.Join(names, ", ") +
			".\nA part that is there is gone on from, and the archive is checked by its checksum, and unpacked. Without a network\n" +
			"the error says which file to put where. gcg reproduce --data finds them in the folder."}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return cli.Usagef("gcg data get takes one name: %s", strings.Join(names, ", "))
		}
		if _, ok := download.Named(args[0]); !ok {
			return cli.Usagef("gcg data get: %q is not among %s", args[0], strings.Join(names, ", "))
		}
		return nil
	}
	cli.Bind(cmd, "data-get", "", cli.Fields{"output": &folder})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, _ := download.Named(args[0])
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n%s\n", d.Name, d.About, d.Licence)
		read, err := d.Get(cmd.Context(), folder)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s is there and checked: %s\n", d.Name, read)
		return nil
	}
	return cmd
}

func dataGenerate() *cobra.Command {
	var g dataset.Generator
	var c classFlags
	var v viewFlags
	var output string
	var about completion.FeatureFiles
	cmd := &cobra.Command{Use: "generate [SHAPE]", Short: "Ratings with a known low-rank truth, or rows of classes"}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return cli.Usagef("gcg data generate takes one shape; see gcg data list")
		}
		return nil
	}
	cli.Bind(cmd, "data-generate", "", about.Fields().And(c.fields()).And(v.fields()).And(cli.Fields{"output": &output,
		"seed": &g.Seed, "rows": &g.Rows, "cols": &g.Cols, "ratings": &g.N, "rank": &g.Rank, "noise": &g.Noise}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output == "" {
			return cli.Usagef("gcg data generate needs --output")
		}
		if m, ok := mixtureNamed(args); ok {
			m.Seed = g.Seed
			return c.generate(cmd, m, output)
		}
		if len(args) == 1 && args[0] == viewsShape {
			return v.generate(cmd, g, output)
		}
		shape, err := shapeOf(args, g, cmd.Flags().Changed)
		if err != nil {
			return err
		}
		if _, table := dataset.RecordsFormatOf(output); table {
			return cli.Usagef("%s: generated ratings are written as they are made, as text; gcg data convert makes a table of it", output)
		}
		if err := cli.CheckRatings(about.Files(), output); err != nil {
			return err
		}
		if err := writeFeatures(about, shape); err != nil {
			return err
		}
		if err := shape.Write(cmd.Context(), output); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d ratings, %d × %d, seed %d\n", output, shape.N, shape.Rows, shape.Cols, shape.Seed)
		return nil
	}
	return cmd
}

// writeFeatures writes what is known of generated users and items.
func writeFeatures(about completion.FeatureFiles, g dataset.Generator) error {
	for _, file := range []struct {
		name  string
		write func(io.Writer, dataset.Generator) error
	}{{about.Users, synthetic.WriteUsers}, {about.Items, synthetic.WriteItems}} {
		if file.name == "" {
			continue
		}
		if err := atomicfile.Write(file.name, func(w io.Writer) error { return file.write(w, g) }); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf is the named shape, or the first one, with what flags say of it.
func shapeOf(args []string, g dataset.Generator, changed func(string) bool) (shape dataset.Generator, err error) {
	shape = dataset.Shapes[0]
	if len(args) == 1 {
		if shape, err = completion.ShapeNamed(args[0]); err != nil {
			return shape, err
		}
	}
	if err := noneOf(changed, append(viewNames, classNames...), shape.Name); err != nil {
		return shape, err
	}
	for _, o := range []struct {
		name     string
		to, from *int
	}{{"rows", &shape.Rows, &g.Rows}, {"cols", &shape.Cols, &g.Cols}, {"ratings", &shape.N, &g.N}, {"rank", &shape.Rank,
		&g.Rank}} {
		if changed(o.name) {
			*o.to = *o.from
		}
	}
	if changed("noise") {
		shape.Noise = g.Noise
	}
	shape.Seed = g.Seed
	if err := shape.Check(); err != nil {
		return shape, cli.Usage(err)
	}
	return shape, nil
}

func dataSplit() *cobra.Command {
	f := &completion.Flags{}
	var parts string
	cmd := &cobra.Command{Short: "Write the parts of a split", Args: cli.NoArgs,
		Use: "split --train FILE (--split F | --split-per-user F | --split-last N | --split-time F) --parts TRAIN,TEST"}
	f.Cmd = cmd
	cli.Bind(cmd, "data-split", "", cli.Fields{"train": &f.Train, "columns": &f.Columns, "decimal": &f.Decimal, "split": &f.Split,
		"split-per-user": &f.SplitPerUser, "split-last": &f.SplitLast, "split-time": &f.SplitTime, "seed": &f.Seed,
		"parts": &parts})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		names := strings.Split(parts, ",")
		if err := checkDataSplit(f, names); err != nil {
			return err
		}
		return splitInto(cmd, f, names)
	}
	return cmd
}

// checkDataSplit refuses what cannot be split, before anything is read.
func checkDataSplit(f *completion.Flags, names []string) error {
	if err := f.CheckSplit(f.Cmd.Flags().Changed); err != nil {
		return err
	}
	if f.Train == "" || len(names) != 2 || names[0] == "" || names[1] == "" {
		return cli.Usagef("gcg data split needs --train and --parts TRAIN,TEST")
	}
	if f.Split == 0 && f.SplitPerUser == 0 && f.SplitLast == 0 && f.SplitTime == 0 {
		return cli.Usagef("gcg data split needs --split, --split-per-user, --split-last or --split-time")
	}
	if err := cli.CheckColumns(f.Columns, true); err != nil {
		return err
	}
	return cli.CheckRatings([]string{f.Train}, names...)
}

// splitInto writes the two parts into files of these names.
func splitInto(cmd *cobra.Command, f *completion.Flags, names []string) error {
	timed := f.SplitLast > 0 || f.SplitTime > 0
	r, err := readTimed(cmd, dataset.RatingsReader{Columns: f.Columns, Decimal: byte(f.Decimal), Times: timed,
		TimesOptional: !timed}, f.Train)
	if err != nil {
		return err
	}
	if _, err := r.Compress(dataset.RefuseDuplicates); err != nil { // an entry must not end up in both parts
		return err
	}
	first, second, err := dataset.Split{Fraction: f.Split, PerUser: f.SplitPerUser, Last: f.SplitLast, Time: f.SplitTime,
		Seed: f.Seed}.Parts(r)
	if err != nil {
		return err
	}
	for k, index := range [][]int32{first, second} {
		if err := dataset.WriteRatings(names[k], r.Subset(index)); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d ratings\n", names[k], len(index))
	}
	return nil
}

// readTimed reads ratings that are written again, and says why their times are not.
func readTimed(cmd *cobra.Command, reader dataset.RatingsReader, name string) (*dataset.Ratings, error) {
	r, err := cli.ReadRatings(cmd.Context(), reader, name)
	if err == nil && r.TimesLost != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s; times are left out\n", cli.ErrorText(r.TimesLost))
	}
	return r, err
}

func dataConvert() *cobra.Command {
	var train, columns, output string
	var decimal cli.Decimal
	cmd := &cobra.Command{Use: "convert --train FILE --output FILE", Short: "Rewrite ratings of any known format as CSV or tabs",
		Args: cli.NoArgs}
	cli.Bind(cmd, "data-convert", "", cli.Fields{"train": &train, "columns": &columns, "decimal": &decimal, "output": &output})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if train == "" || output == "" {
			return cli.Usagef("gcg data convert needs --train and --output")
		}
		if err := cli.CheckColumns(columns, true); err != nil {
			return err
		}
		if err := cli.CheckRatings([]string{train}, output); err != nil {
			return err
		}
		r, err := readTimed(cmd, dataset.RatingsReader{Columns: columns, Decimal: byte(decimal), TimesOptional: true}, train)
		if err != nil {
			return err
		}
		if err := dataset.WriteRatings(output, r); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d ratings\n", output, len(r.Values))
		return nil
	}
	return cmd
}
