package task_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// Pairs are predicted by their ids, whoever numbered them: unknown ones by the centre, and measured where a rating is known.
func TestPredictRatings(t *testing.T) {
	m := &model.Model{Problem: "completion", Rows: 2, Cols: 2, Rank: 1, U: []float64{1, 0}, V: []float64{0.6, 0.8}, S: []float64{5},
		Global: 1, RowIDs: []string{"ann", "bob"}, ColIDs: []string{"tea", "rum"}}
	pairs, err := dataset.FromSlice([]dataset.Rating{{User: "bob", Item: "rum", Value: 3}, {User: "ann", Item: "tea", Value: 4},
		{User: "cid", Item: "tea", Value: 1}, {User: "ann", Item: "rum", Value: 9}})
	if err != nil {
		t.Fatal(err)
	}
	pairs.Values[3] = math.NaN()
	p := task.PredictRatings(m, pairs)
	var b strings.Builder
	if err := p.Records().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if want := "user,item,prediction\nbob,rum,1\nann,tea,4\ncid,tea,1\nann,rum,5\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if p.Unknown != 1 || p.Errors.N() != 3 || math.Abs(p.Errors.RMSE()-math.Sqrt(4.0/3)) > 1e-12 {
		t.Errorf("%d unknown, RMSE %v of %d", p.Unknown, p.Errors.RMSE(), p.Errors.N())
	}
}
