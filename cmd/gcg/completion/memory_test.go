package completion

import (
	"testing"

	"github.com/seed-b18ef778/gcg/task"
)

// What a run takes is predicted.
func TestPredictedMemory(t *testing.T) {
	need := task.CompletionMemory{Ratings: 1_000_000, Rows: 25_733, Cols: 179, Float32: true}
	n := needOf(need, "ratings", "")
	text, _ := n.Forecast()
	if text != "expect at most 0.28 GB at rank 32, 0.35 GB at rank 64, 0.59 GB at rank 179" { // 0.19 were seen
		t.Errorf("a million ratings of Netflix's shape: %s", text)
	}
	need = task.CompletionMemory{Ratings: 575_281, Rows: 6_040, Cols: 3_706, Clicks: true}
	n = needOf(need, "clicks", "")
	n.Sizes = []int{40, 475}
	text, _ = n.Forecast()
	if text != "expect at most 0.23 GB at rank 40, 1.3 GB at rank 475" { // 0.15 and 0.95 were seen
		t.Errorf("the clicks of MovieLens-1M: %s", text)
	}
}
