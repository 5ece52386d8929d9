package completion

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

const updateExamples = `  gcg update --model my.gcg --train ratings.csv --data new.csv --check          how far from the optimum?
  gcg update --model my.gcg --train ratings.csv --data new.csv --output my.gcg  refit it from there
  gcg update --model my.gcg --data all.csv --output my.gcg                      all.csv has the old ratings, too`

// UpdateCommand is gcg update.
func UpdateCommand() *cobra.Command {
	return cli.UpdateCommand(updateExamples, func(cmd *cobra.Command) cli.Updater {
		return updateFlags{NewFlags(cmd)}
	})
}

// updateFlags are the flags of update.
type updateFlags struct{ *Flags }

func (f updateFlags) New() string { return f.data }

// Adopt takes over λ or ζ, the kind of the penalty, the loss or what clicks weigh, the centre, the weights and how predictions
// are clipped.
func (f updateFlags) Adopt(m *model.Model) error {
	i := &m.Info
	switch {
	case i.Zeta > 0:
		f.Constrain = i.Zeta
	case i.Lambda > 0:
		f.Lambda = strconv.FormatFloat(i.Lambda, 'g', -1, 64)
	default:
		return errors.New("says neither λ nor ζ: fit again")
	}
	if dataset.WeighsColumns(f.Columns) {
		return errors.New("is not updated: update has no weights and offsets of ratings; use gcg fit with --warm")
	}
	f.feedback = feedbackFlags{alpha: i.Alpha, background: i.Background, positive: i.Positive}
	if i.Loss != "" {
		f.Loss = i.Loss
	}
	if err := cmp.Or(f.adoptFeatures(m), f.adoptSeen(m)); err != nil {
		return err
	}
	if i.Penalty != "" {
		f.Penalty = i.Penalty
	}
	f.Normalize, f.center, f.weights = word(i.Normalize, "sum"), word(i.Center, "none"), word(i.Weights, "none")
	f.rated = word(i.Rated, "none")
	if !f.Cmd.Flags().Changed("clip") {
		switch {
		case !m.Clip:
			f.clip = "none"
		case m.Lo < m.Hi:
			f.clip = strconv.FormatFloat(m.Lo, 'g', -1, 64) + "," + strconv.FormatFloat(m.Hi, 'g', -1, 64)
		}
	}
	f.update = m
	return nil
}

// adoptFeatures takes over how features were used, and asks for the files of sides that have some.
func (f updateFlags) adoptFeatures(m *model.Model) error {
	s := &f.side
	s.categories, s.weight = nil, m.Info.FeatureWeight
	for _, of := range []struct {
		flag, file string
		has        bool
		by         *model.Features
	}{{"--user-features", s.Users, m.DescribesUsers(), m.RowFeatures}, {"--item-features", s.Items, m.DescribesItems(),
		m.ColFeatures}} {
		switch {
		case of.has && of.file == "":
			return fmt.Errorf("was fitted with %s: give that file, too", of.flag)
		case !of.has && of.file != "":
			return fmt.Errorf("was fitted without %s: use gcg fit with --warm", of.flag)
		case of.has:
			s.categories = append(s.categories, of.by.Encoding.Categories()...)
		}
	}
	return nil
}

// word is a word of a model, or what older models that lack it mean.
func word(text, usual string) string {
	if text == "" {
		return usual
	}
	return text
}

// readUpdate reads the ratings of the model and those that came in, and says what is new.
func (f *Flags) readUpdate(r dataset.RatingsReader, noun string) (all *dataset.Ratings, news string, err error) {
	m := f.update
	if f.Train != "" {
		if all, err = cli.ReadQueried(r, f.Train, f.query); err != nil {
			return nil, "", err
		}
	}
	came, err := cli.ReadQueried(r, f.data, f.query)
	if err != nil {
		return nil, "", err
	}
	users, items := dataset.NewIDs(m.RowIDs), dataset.NewIDs(m.ColIDs)
	news = fmt.Sprintf("%s: %d %s, %d new users, %d new items", came.Name, came.Len(), noun, Unmet(came.RowIDs, users),
		Unmet(came.ColIDs, items))
	switch {
	case f.Train == "" && came.Len() < m.Info.Observations:
		return nil, "", fmt.Errorf("%s: has %d %s, and the model was fitted to %d: give those with --train", came.Name, came.Len(),
			noun, m.Info.Observations)
	case f.Train == "":
		came.Later = came.Len() - m.Info.Observations // if new ones are appended
		return came, news, nil
	case Unmet(users, all.RowIDs) == users.Len() || Unmet(items, all.ColIDs) == items.Len():
		return nil, "", fmt.Errorf("%s: has no user or no item of the model %s; see --columns", f.Train, f.Warm)
	case all.NoValues != came.NoValues:
		return nil, "", fmt.Errorf("%s: of it and %s one has counts of clicks; give them in both, or in none", f.data, f.Train)
	case m.Info.Checksum != "" && m.Info.Checksum != all.Checksum:
		news += fmt.Sprintf("; %s is not the file that the model was fitted to", f.Train)
	}
	return all.With(came), news, nil
}

// Unmet is how many ids others do not have.
func Unmet(ids, others *dataset.IDs) (count int) {
	for _, at := range ids.In(others) {
		if at < 0 {
			count++
		}
	}
	return count
}
