package views

import (
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// flags are the flags of multiview.
type flags struct {
	cli.RunFlags
	table                            cli.TableFlags
	views, losses, weights, denoised []string
	labels, radius, scale, picture   string
	images                           cli.ImageFlags
}

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	f.Init(cmd, "multiview", []cli.Method{
		{Name: "splitting", About: "without labels", New: splitting},
		{Name: "bcd", About: "block coordinate descent at rank 10, or --max-rank", New: descent}}, nil)
	return f
}

// Fields are where the values of flags are kept.
func (f *flags) Fields() cli.Fields {
	return f.RunFlags.Fields().And(f.table.Fields()).And(f.images.Fields()).And(cli.Fields{
		"view": &f.views, "labels": &f.labels, "radius": &f.radius,
		"weight": &f.weights, "scale": &f.scale, "loss": &f.losses, "denoised": &f.denoised, "picture": &f.picture})
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	switch {
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

// checkDenoised refuses files that no view is written to.
func (f *flags) checkDenoised() error {
	files, err := outputsOf(f.denoised, f.views)
	if err != nil {
		return err
	}
	for _, o := range files {
		if err := f.images.Check(o.file); err != nil {
			return err
		}
	}
	if f.images.Set() && len(files) == 0 {
		return cli.Usagef("--image-size: goes with --denoised FILE.png")
	}
	return nil
}

// Outputs is the picture.
func (f *flags) Outputs() []string { return []string{f.picture} }

// Arrays are the denoised views.
func (f *flags) Arrays() (names []string) {
	files, _ := outputsOf(f.denoised, f.views) // which Check has looked at
	for _, o := range files {
		names = append(names, o.file)
	}
	return names
}
