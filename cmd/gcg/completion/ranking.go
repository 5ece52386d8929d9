package completion

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/metric"
)

// rankingResult is what lists are worth. Recall and NDCG are of the longest.
type rankingResult struct {
	Recall   *float64       `json:"recall,omitempty"`
	NDCG     *float64       `json:"ndcg,omitempty"`
	RankingN int            `json:"ranking_n,omitempty"`
	Ranking  *rankingScores `json:"ranking,omitempty"`

	of *metric.Ranked
}

// rankingScores are the lists of a model beside those that need none.
type rankingScores struct {
	RelevantFrom *float64    `json:"relevant_from,omitempty"` // test ratings from here on are; left out of clicks and labels
	Relevant     string      `json:"relevant,omitempty"`      // the label that is
	Users        int         `json:"users"`                   // with something relevant
	Model        listsScores `json:"model"`
	Popular      listsScores `json:"most_popular"`
	Biases       listsScores `json:"biases,omitzero"`
}

// listsScores are those of lists of several lengths.
type listsScores struct {
	AUC   float64      `json:"auc"`
	Lists []listScores `json:"lists"`
}

// listScores are those of lists of N items.
type listScores struct {
	N          int     `json:"n"`
	Recall     float64 `json:"recall"`
	Precision  float64 `json:"precision"`
	NDCG       float64 `json:"ndcg"`
	MAP        float64 `json:"map"`
	MRR        float64 `json:"mrr"`
	HitRate    float64 `json:"hit_rate"`
	Coverage   float64 `json:"coverage"`   // of all items
	Popularity float64 `json:"popularity"` // mean fraction of users who have an item of a list in training
}

// rankingOf is what was measured for scripts; nothing where r is nil, or of no user. two are the labels of ratings, or nil.
func rankingOf(r *metric.Ranked, two []string) rankingResult {
	if r == nil || r.Model.Users == 0 {
		return rankingResult{of: r}
	}
	all := &rankingScores{Users: r.Model.Users, Model: listsOf(r.Model), Popular: listsOf(r.Popular), Biases: listsOf(r.Biases)}
	switch {
	case two != nil:
		all.Relevant = two[1]
	case r.Threshold != 0:
		all.RelevantFrom = &r.Threshold
	}
	last := &all.Model.Lists[len(all.Model.Lists)-1]
	return rankingResult{&last.Recall, &last.NDCG, last.N, all, r}
}

func listsOf(l *metric.Lists) (s listsScores) {
	if l == nil {
		return s
	}
	s.AUC = l.AUC
	for k := range l.At {
		a := &l.At[k]
		s.Lists = append(s.Lists, listScores{l.Lengths[k], a.Recall(), a.Precision(), a.NDCG(), a.MAP(), a.MRR(), a.HitRate(),
			a.Coverage,
			a.Popularity})
	}
	return s
}

// note says what lists are worth, and what was relevant among the test observations.
func (t *rankingResult) note(r *cli.Result, noun string) {
	s := t.Ranking
	if s == nil {
		if t.of != nil {
			r.Note("ranking", "not measured: no user of training has a relevant one among the test %s", noun)
		}
		return
	}
	for _, l := range s.Model.Lists {
		r.Note("ranking", "recall@%d %.4f, NDCG@%d %.4f, precision %.4f, MAP %.4f, MRR %.4f, hit rate %.4f", l.N, l.Recall, l.N,
			l.NDCG,
			l.Precision, l.MAP, l.MRR, l.HitRate)
	}
	last := s.Model.Lists[len(s.Model.Lists)-1]
	r.Note("lists", "AUC %.4f, they have %.1f %% of all items; an item of a list was in training for %.1f %% of the users",
		s.Model.AUC,
		100*last.Coverage, 100*last.Popularity)
	for _, b := range []struct {
		name string
		listsScores
	}{{"most popular", s.Popular}, {"biases", s.Biases}} {
		if b.Lists != nil {
			l := b.Lists[len(b.Lists)-1]
			r.Note(b.name, "recall@%d %.4f, NDCG@%d %.4f, AUC %.4f", l.N, l.Recall, l.N, l.NDCG, b.AUC)
		}
	}
	what := "test " + noun
	switch {
	case s.Relevant != "":
		what += " of " + s.Relevant
	case s.RelevantFrom != nil:
		what += fmt.Sprintf(" of at least %.6g", *s.RelevantFrom)
	}
	r.Note("relevant", "%s, of %d users; what a user has in training is left out of the list", what, s.Users)
}

// checkRanking refuses lengths of lists below 1, and puts them in order.
func (f *Flags) checkRanking() error {
	if len(f.ranking) == 1 && f.ranking[0] == 0 { // none, as without the flag
		f.ranking = nil
	}
	slices.Sort(f.ranking)
	f.ranking = slices.Compact(f.ranking)
	if len(f.ranking) > 0 && f.ranking[0] < 1 {
		return cli.Usagef("--ranking %d: lists have at least 1 item", f.ranking[0])
	}
	return nil
}

// betterLists are flags that lead to better lists than those of a model of ratings that loses to the most popular items.
func (f *Flags) betterLists() []string {
	return []string{"--for ranking, which chooses a model by its lists"}
}
