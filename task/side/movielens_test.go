package side_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/side"
)

// genres writes the years and genres of MovieLens-100k's items as features.
func genres(t *testing.T, items string) *features.Table {
	t.Helper()
	in, err := os.Open(items)
	if err != nil {
		t.Skip("MovieLens-100k is not there")
	}
	defer in.Close()
	text := "item,year,genre\n"
	for lines := bufio.NewScanner(in); lines.Scan(); {
		f := strings.Split(lines.Text(), "|")
		var list []string
		for g, flag := range f[5:] {
			if flag == "1" {
				list = append(list, fmt.Sprint("g", g))
			}
		}
		_, year, _ := strings.Cut(f[2], "-")
		_, year, _ = strings.Cut(year, "-")
		text += f[0] + "," + year + "," + strings.Join(list, "|") + "\n"
	}
	return tableOf(t, text)
}

// Items of MovieLens-100k that training does not rate are predicted better by their years and genres than by the biases of users,
// and the others better than without features. Centre, weights and λ are those that a choice comes to, which takes ten times as
// long, and is tested on generated data.
func TestNewItemsOfMovieLens(t *testing.T) {
	if testing.Short() {
		t.Skip("a real dataset")
	}
	folder := filepath.Join("..", "..", "..", "shared", "data", "movielens-100k")
	items := genres(t, filepath.Join(folder, "u.item"))
	all, err := dataset.RatingsReader{}.ReadRatings(filepath.Join(folder, "u.data"))
	if err != nil {
		t.Fatal(err)
	}
	var rest, cold []int32
	for e, j := range all.Cols {
		if strings.HasSuffix(all.ColIDs.Text(int(j)), "0") {
			cold = append(cold, int32(e))
		} else {
			rest = append(rest, int32(e))
		}
	}
	weights := task.Weights{Rule: task.Power, Alpha: 0.5}
	c := &task.Completion{Train: all.Subset(rest), Test: all.Subset(cold), Center: dataset.RowMeans, Weights: weights,
		Side: &side.Information{Items: items, Weight: 0.25}}
	r, err := c.Fit(context.Background(), task.Options{Lambda: 440})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Scores
	if r.Result.Status != solver.Converged || s.Cold == nil || s.Cold.N() != len(cold) ||
		s.Cold.RMSE() > 0.96*s.Cold.Trivial.Biases {
		t.Errorf("%s, %+v", r.Result.Status, s)
	}
	error80 := func(center dataset.Centring, lambda float64, about *side.Information) float64 {
		c := &task.Completion{Train: all, Split: dataset.Split{Fraction: 0.8, Seed: 1}, Center: center, Weights: weights, Side: about,
			Seed: 1}
		r, err := c.Fit(context.Background(), task.Options{Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		return r.Scores.RMSE()
	}
	with := error80(dataset.RowMeans, 406, &side.Information{Items: items, Weight: 0.25})
	if without := error80(dataset.ShrunkMeans, 419, nil); with > 0.99*without {
		t.Errorf("RMSE %v with features, %v without", with, without)
	}
}
