package recovery

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
)

// Ranked is how well links stand above other pairs that are no edges: AUC is the probability that a link has the larger score of
// the two, ties counting one half.
type Ranked struct {
	AUC   float64 `json:"auc"`
	Links int     `json:"links"`
}

// Scores is what is left of the AUC to 1.
func (r Ranked) Scores() selection.Scores { return selection.Scores{{Name: "1-AUC", Value: 1 - r.AUC}} }

// rank measures the scores of X on links.
func (p *PreparedGraph) rank(w *gcg.Iterate, links [][2]int32) Ranked {
	r := Ranked{AUC: math.NaN(), Links: len(links)}
	if len(links) == 0 {
		return r
	}
	known := p.edges()
	for _, pair := range links {
		known[pair] = true
	}
	n := p.Nodes.Len()
	row, others, own := make([]float64, n), []float64{}, make([]float64, len(links))
	at := map[[2]int32]int{}
	for e, pair := range links {
		at[pair] = e
	}
	for i := range n {
		scoresOf(row, w, i)
		for j := i + 1; j < n; j++ {
			pair := [2]int32{int32(i), int32(j)}
			if e, ok := at[pair]; ok {
				own[e] = row[j]
			} else if !known[pair] {
				others = append(others, row[j])
			}
		}
	}
	r.AUC = metric.Above(own, others)
	return r
}
