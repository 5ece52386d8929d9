package views

import (
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	multiview "github.com/seed-b18ef778/gcg/task/views"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flags are the flags of multiview.
type flags struct {
	cli.RunFlags
	views, losses, weights, denoised []string
	labels, radius, scale            string
	images                           cli.ImageFlags
}

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringArrayVar(&f.views, "view", nil,
		"a `FILE` of features, a row for each sample: CSV, Matrix Market, .npy or .npz; two or more, of the same samples in one "+
			"order; "+
			"empty fields, NA and NaN are missing")
	s.StringVar(&f.labels, "labels", "", "labels of the samples: a column of classes, or several of 0 and 1; NA is not known")
	s.StringVar(&f.radius, "radius", "", "the largest norms `β,γ` of a dictionary's column in each view (default 1 each)")
	s.StringArrayVar(&f.weights, "weight", nil,
		"`VIEW=W`: the weight of a view's loss (default 1); VIEW is a file, or a number from 1")
	s.StringVar(&f.scale, "scale", "none",
		"features: none, center (less their means), or standardize; the mean is a median for huber")
	f.Register(cmd, cli.RunDefaults{Problem: "multiview", Loss: "squared", Gauge: "multiview", Normalize: "sum", Improve: "auto",
		Norm:   "the gauge of views",
		Gauges: "multiview (of two views), views (the convex model of any number), or trace", Observations: "entries that are not " +
			"missing",
		Points: 20, Ratio: 0.01, Methods: []cli.Method{
			{Name: "splitting", About: "without labels", New: splitting},
			{Name: "bcd", About: "block coordinate descent at rank 10, or --max-rank", New: descent}}})
	s.Lookup("intercept").Hidden = true
	f.registerLosses(s)
	s.StringArrayVar(&f.denoised, "denoised", nil,
		"write W, which is the views without noise: to `FILE` with the view's number before its ending, or VIEW=FILE for one view; "+
			".csv, .tsv, .npy, and .png or .pgm with --image-size")
	f.images.Register(s, "a view's images")
	return f
}

// registerLosses makes --loss a list.
func (f *flags) registerLosses(s *pflag.FlagSet) {
	list := pflag.NewFlagSet("", pflag.ContinueOnError)
	list.StringArrayVar(&f.losses, "loss", nil, "")
	flag := s.Lookup("loss")
	flag.Value, flag.DefValue = list.Lookup("loss").Value, "[]"
	flag.Usage = "`LOSS`, or VIEW=LOSS for one view: squared (the default), huber:μ or logistic; VIEW is a file, a number from " +
		"1, or labels"
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

func (f *flags) FoldsBy() (usual, allowed, meaning string) {
	return "entry", "entry", "folds hold out entries of the views"
}

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	switch {
	case f.Intercept:
		return cli.Usagef("--intercept: use --scale center, which takes the means of the features off")
	case len(f.views) == 0:
		return cli.Usagef("%s needs --view FILE, twice or more", f.Cmd.CommandPath())
	case len(f.views) == 1:
		return cli.Usagef("--view: one view has nothing to share; give two or more")
	case f.labels != "" && len(f.views) > 2:
		return cli.Usagef("--labels: go with two views; give them as a --view, of which there are %d", len(f.views))
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	if err := f.checkGauge(); err != nil {
		return err
	}
	if err := cli.OneOf([][3]string{{"scale", f.scale, strings.Join(multiview.Scalings, " ")},
		{"improve", f.Improve, "auto none corrective local proximal"}}); err != nil {
		return err
	}
	if err := f.chooseSolver(); err != nil {
		return err
	}
	if _, err := f.settings(); err != nil {
		return err
	}
	return f.checkDenoised()
}

// checkGauge refuses gauges that the views do not have.
func (f *flags) checkGauge() error {
	if err := cli.OneOf([][3]string{{"gauge", f.Gauge, "multiview views trace"}}); err != nil {
		return err
	}
	if f.Gauge == "multiview" && len(f.views) > 2 {
		if f.Cmd.Flags().Changed("gauge") {
			return cli.Usagef("--gauge multiview: is of two views, not of %d; take views", len(f.views))
		}
		f.Gauge = "views"
	}
	if f.Gauge != "multiview" && f.labels != "" {
		return cli.Usagef("--labels: go with --gauge multiview")
	}
	if f.Gauge == "trace" && f.radius != "" {
		return cli.Usagef("--radius: --gauge trace has none")
	}
	return nil
}

// checkDenoised refuses files that cannot be written.
func (f *flags) checkDenoised() error {
	files, err := outputsOf(f.denoised, f.views)
	if err != nil {
		return err
	}
	names := make([]string, len(files))
	for i, o := range files {
		names[i] = o.file
		if err := f.images.Check(o.file); err != nil {
			return err
		}
	}
	if f.images.Set() && len(names) == 0 {
		return cli.Usagef("--image-size: goes with --denoised FILE.png")
	}
	return cli.CheckArrays(append(f.views, f.labels), names...)
}
