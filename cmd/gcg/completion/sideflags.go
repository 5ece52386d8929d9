package completion

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task/side"
)

// FeatureFiles are files of what is known of users and items.
type FeatureFiles struct{ Users, Items string }

// Fields are where the values of --user-features and --item-features are kept.
func (f *FeatureFiles) Fields() cli.Fields {
	return cli.Fields{"user-features": &f.Users, "item-features": &f.Items}
}

// given says that there is one of them.
func (f *FeatureFiles) given() bool { return f.Users != "" || f.Items != "" }

// Files are the names of those that are given.
func (f *FeatureFiles) Files() (names []string) {
	for _, name := range []string{f.Users, f.Items} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Describe makes the users and items of the files known to a model by their features. users does so for users.
func (f *FeatureFiles) Describe(m *model.Model, users func(*features.Table) (int, error)) error {
	for _, of := range []struct {
		name string
		by   *model.Features
		add  func(*features.Table) (int, error)
	}{{f.Users, m.RowFeatures, users}, {f.Items, m.ColFeatures, m.AddCols}} {
		if of.name == "" {
			continue
		}
		var r features.Reader
		if of.by != nil {
			r.Categories = of.by.Encoding.Categories()
		}
		t, err := r.Read(of.name)
		if err != nil {
			return err
		}
		if _, err := of.add(t); err != nil {
			return err
		}
	}
	return nil
}

// sideFlags are those of side information.
type sideFlags struct {
	FeatureFiles
	categories []string
	text       string  // of --feature-weight
	weight     float64 // η; 0 where it is to be chosen
}

// checkSide refuses values out of range, and flags that features do not go with.
func (f *Flags) checkSide() error {
	changed := f.Cmd.Flags().Changed
	switch s := &f.side; {
	case f.float32 && changed("rated") && f.rated != "none":
		return cli.Usagef("--rated %s: not with --float32, which keeps no lists of what was rated", f.rated)
	case !s.given() && changed("feature-weight") && f.seen.Name == "" && (f.rated == "none" || f.rated == "auto"):
		return cli.Usagef("--feature-weight: goes with --user-features, --item-features, --also-seen or --rated users, items or both")
	case !s.given() && !changed("feature-weight"):
		return nil
	case s.given() && f.Train == "" && f.data == "":
		return cli.Usagef("--user-features and --item-features: need --train FILE, of ratings by the ids of these files")
	}
	if text := f.side.text; text != "auto" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			return cli.Usagef("--feature-weight %q: auto, or a positive number", text)
		}
		f.side.weight = x
	}
	for _, name := range []string{"implicit", "float32", "generate"} {
		if s := &f.side; s.given() && changed(name) {
			return cli.Usagef("--%s: not with --user-features or --item-features", name)
		}
	}
	return nil
}

// readSide reads the features, and gives users and items that only they know numbers.
func (c *job) readSide() (err error) {
	f := &c.f.side
	if !f.given() {
		return nil
	}
	c.given.Side, c.given.RatedShare = &side.Information{Weight: f.weight}, 0
	if c.given.Side.Users, err = f.read(f.Users); err != nil {
		return err
	}
	if c.given.Side.Items, err = f.read(f.Items); err != nil {
		return err
	}
	for _, name := range f.categories {
		if !f.has(c.given.Side.Users, name) && !f.has(c.given.Side.Items, name) {
			return cli.Usagef("--categories %s: no file of features has such a column", name)
		}
	}
	return c.given.Side.Number(c.given.Train)
}

// read reads one file, of which the columns of --categories that it has are codes.
func (f *sideFlags) read(name string) (*features.Table, error) {
	if name == "" {
		return nil, nil
	}
	return features.Reader{Categories: f.categories}.Read(name)
}

func (f *sideFlags) has(t *features.Table, name string) bool {
	return t != nil && slices.ContainsFunc(t.Columns, func(c features.Column) bool { return c.Name == name })
}

// sideIdentity names the features for checkpoints; empty without any.
func (c *job) sideIdentity() string {
	if c.FeatureWeight() == 0 {
		return ""
	}
	text := fmt.Sprintf(" rated=%s feature-weight=%v", c.Lists(), c.FeatureWeight())
	if also := c.given.AlsoSeen; also != nil {
		text += " also-seen=" + also.Checksum
	}
	if c.given.Side == nil {
		return text
	}
	for side, t := range []*features.Table{c.given.Side.Users, c.given.Side.Items} {
		if t != nil {
			text += fmt.Sprintf(" %s=%s", []string{"user-features", "item-features"}[side], t.Checksum)
		}
	}
	if len(c.f.side.categories) > 0 {
		text += " categories=" + strings.Join(c.f.side.categories, ",")
	}
	return text
}

// featuresResult is what was made of the files, for scripts.
type featuresResult struct {
	Users  *sideResult `json:"users,omitempty"`
	Items  *sideResult `json:"items,omitempty"`
	Weight float64     `json:"weight"`
}

type sideResult struct {
	File     string   `json:"file"`
	Rows     int      `json:"rows"`
	Features int      `json:"features"` // without the constant one
	Unused   []string `json:"unused_columns,omitempty"`
	Without  int      `json:"without"` // users or items with ratings that the file does not have
}

// noteFeatures adds what was made of the files to the result.
func (c *job) noteFeatures(res *cli.Result) {
	all := c.Features()
	if all == nil {
		return
	}
	told := &featuresResult{Weight: c.FeatureWeight()}
	for _, of := range []struct {
		what string
		t    *features.Table
		by   *side.Learnt
		to   **sideResult
	}{{"users", c.given.Side.Users, &all.Users, &told.Users}, {"items", c.given.Side.Items, &all.Items, &told.Items}} {
		if of.t == nil {
			continue
		}
		r := &sideResult{of.t.Name, of.t.IDs.Len(), of.by.Rows.P - 1, of.by.Idle, of.by.Without}
		*of.to = r
		text := fmt.Sprintf("%s: %d features of %d %s", r.File, r.Features, r.Rows, of.what)
		if r.Without > 0 {
			text += fmt.Sprintf("; %d %s with ratings have none", r.Without, of.what)
		}
		res.Note("features", "%s", text)
		if len(r.Unused) > 0 {
			res.Warn(fmt.Sprintf("%s: of no use are its columns %s: they are constant or empty, or no two %s with ratings share a "+
				"word there",
				r.File, strings.Join(r.Unused, ", "), of.what))
		}
	}
	res.Features = told
}

// coldResult is what predictions of users or items without training ratings are worth.
type coldResult struct {
	RMSE       float64 `json:"rmse"`
	MAE        float64 `json:"mae"`
	N          int     `json:"observations"`
	GlobalMean float64 `json:"global_mean_rmse"`
	Biases     float64 `json:"biases_rmse"`
}
