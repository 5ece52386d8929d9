package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/model"
)

// checkCertified refuses models whose gap says nothing of single predictions.
func (f *recommendFlags) checkCertified(m *model.Model) error {
	switch {
	case !f.certified:
		return nil
	case f.ratings != "":
		return cli.Usagef("--certified: is of users of the model; a new one with --ratings is no part of the optimum")
	case m.Info.Background == 0:
		return fmt.Errorf("%s: --certified takes a model of fit completion --implicit; "+
			"of observed ratings alone the gap bounds the fit, and no single prediction", f.model)
	case m.Rank == 0:
		return fmt.Errorf("%s: --certified has nothing to certify: W is 0, and lists are of the most popular items; "+
			"fit with a smaller --lambda", f.model)
	case math.IsInf(m.ScoresWithin(), 1):
		return fmt.Errorf("%s: has no bound of its optimum, as its fit ended before any; fit again", f.model)
	}
	return nil
}

// certifiedCount counts what --certified found.
type certifiedCount struct {
	lists, listed, known int
	differences          []float64 // of successive predictions
}

// certify cuts the list to its length, and says which of its places are known; nil without --certified.
func (r *recommender) certify(top []model.Recommendation) ([]model.Recommendation, *model.Certified) {
	if !r.f.certified {
		return top, nil
	}
	next := math.Inf(-1)
	if len(top) > r.f.top {
		next, top = top[r.f.top].Score, top[:r.f.top]
	}
	c := r.Model.Certify(top, next)
	r.known.lists++
	r.known.listed += len(top)
	r.known.known += c.Count()
	for k := 1; k < len(top) && len(r.known.differences) < mostDifferences; k++ {
		r.known.differences = append(r.known.differences, top[k-1].Score-top[k].Score)
	}
	return top, c
}

// mostDifferences are enough for their median.
const mostDifferences = 10_000

// mark is what stands behind a place that is known, in lists that have marks.
func mark(c *model.Certified, k int) string {
	switch {
	case c == nil:
		return ""
	case c.Known[k]:
		return "="
	}
	return " "
}

// sayCertified says what the marks mean, or why there are none.
func (r *recommender) sayCertified() {
	if !r.f.certified || r.known.lists == 0 {
		return
	}
	m, k := r.Model, r.known
	what := fmt.Sprintf("predictions are within %.3g of the optimum's, and two are in its order that differ by more than %.3g",
		m.ScoresWithin(), math.Sqrt2*m.ScoresWithin())
	if k.known == 0 {
		text := "no place is certified: " + what
		if typical := linalg.UpperMedian(k.differences); typical > 0 {
			text += fmt.Sprintf("; in these lists it is %.2g, which fit --tol %.0e would tell", typical, m.ToleranceFor(typical))
		}
		fmt.Fprintln(r.log, text)
		return
	}
	certain := "with the bound of the fit, which is " + m.Info.Certificate
	fmt.Fprintf(r.log, "%d of %d places are certified (=), %s: %s\n", k.known, k.listed, certain, what)
}
