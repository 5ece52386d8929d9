package cli

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/selection"
)

// Decimals is a score with four decimals.
func Decimals(x float64) string { return decimal.Decimals(x) }

// A PathPoint is one λ of a path, as it is printed.
type PathPoint struct {
	Lambda float64 `json:"lambda"`
	*Optimum
	RelativeGap *float64 `json:"relative_gap,omitempty"`
	selection.Size
	Iterations int     `json:"iterations"` // of all folds, as the seconds
	Seconds    float64 `json:"seconds"`
	Status     string  `json:"status"`
	scores
	all      selection.Scores // as names and values
	StdErr   *float64         `json:"standard_error,omitempty"` // of the first score
	Selected []string         `json:"selected,omitempty"`       // the rules of --select that take it
	// on all points of a grid that was not finished: max_time or interrupted
	CutShort string     `json:"cut_short,omitempty"`
	Fold     *foldPoint `json:"fold,omitempty"` // of cv, which has no Optimum at its λ of the whole
	// of --coefficients: what of W is not 0
	Coefficients []coefficient `json:"coefficients,omitempty"`
}

// An Optimum is bracketed at the λ beside it.
type Optimum struct {
	Objective  float64  `json:"objective"`
	LowerBound *float64 `json:"lower_bound,omitempty"` // nil where time was over before any bound
	Gauge      float64  `json:"gauge"`
}

// A foldPoint is the fold whose gap, size and status a point of cv has.
type foldPoint struct {
	Lambda float64 `json:"lambda"` // that of the point, scaled where the loss is a sum
	Optimum
}

// scores are those that apply, by their names for scripts.
type scores struct {
	RMSE      *float64 `json:"rmse,omitempty"`
	MAE       *float64 `json:"mae,omitempty"`
	LogLoss   *float64 `json:"log_loss,omitempty"`
	Pinball   *float64 `json:"pinball,omitempty"`
	Deviance  *float64 `json:"deviance,omitempty"`
	ErrorRate *float64 `json:"error_rate,omitempty"`
	Misranked *float64 `json:"one_minus_ndcg,omitempty"`
	Unranked  *float64 `json:"one_minus_auc,omitempty"`
	Partial   *float64 `json:"partial_deviance,omitempty"`
	Discord   *float64 `json:"one_minus_concordance,omitempty"`
	HeldLoss  *float64 `json:"held_loss,omitempty"` // a mean over what was held out
}

func scoresFrom(all selection.Scores) (s scores) {
	at := map[string]**float64{"RMSE": &s.RMSE, "MAE": &s.MAE, "log loss": &s.LogLoss, "error rate": &s.ErrorRate,
		"1-NDCG": &s.Misranked, "1-AUC": &s.Unranked, "loss": &s.HeldLoss, "pinball loss": &s.Pinball,
		"deviance": &s.Deviance, "partial deviance": &s.Partial, "1-concordance": &s.Discord}
	for _, x := range all {
		*at[x.Name] = &x.Value
	}
	return s
}

// Brief is what predictions are worth, for progress lines.
func Brief(all selection.Scores) string {
	s := scoresFrom(all)
	switch {
	case s.Unranked != nil:
		return fmt.Sprintf("AUC %.4f", 1-*s.Unranked)
	case s.Discord != nil && s.Partial != nil:
		return fmt.Sprintf("concordance %.4f, partial deviance %s", 1-*s.Discord, Decimals(*s.Partial))
	case s.Discord != nil:
		return fmt.Sprintf("concordance %.4f", 1-*s.Discord)
	case s.Deviance != nil:
		return "deviance " + Decimals(*s.Deviance) + ", RMSE " + Decimals(*s.RMSE) + ", MAE " + Decimals(*s.MAE)
	case s.Pinball != nil:
		return "pinball loss " + Decimals(*s.Pinball) + ", RMSE " + Decimals(*s.RMSE) + ", MAE " + Decimals(*s.MAE)
	case s.MAE != nil && all[0].Name == "MAE":
		return "MAE " + Decimals(*s.MAE) + ", RMSE " + Decimals(*s.RMSE)
	case s.MAE != nil:
		return "RMSE " + Decimals(*s.RMSE) + ", MAE " + Decimals(*s.MAE)
	case s.Misranked != nil:
		return fmt.Sprintf("NDCG %.4f", 1-*s.Misranked)
	case s.ErrorRate == nil:
		return "RMSE " + Decimals(*s.RMSE)
	case s.LogLoss == nil:
		return fmt.Sprintf("accuracy %.4f", 1-*s.ErrorRate)
	}
	return fmt.Sprintf("accuracy %.4f, log loss %.4f", 1-*s.ErrorRate, *s.LogLoss)
}

// pointsOf are the points of a curve.
func pointsOf(f *RunFlags, c *selection.Curve) []PathPoint {
	f.leavesPoints(c)
	points, marked := make([]PathPoint, len(c.Points)), marks(c.Solved(), c.Folds)
	for i := range c.Points {
		p := &c.Points[i]
		q := &points[i]
		*q = PathPoint{Lambda: p.Lambda, Size: p.Size, Iterations: p.Iterations, Seconds: p.Time.Seconds(),
			Status: string(p.Status),
			scores: scoresFrom(p.Scores), all: p.Scores, CutShort: string(c.CutShort)}
		if i < len(marked) {
			q.Selected = marked[i]
		}
		at := Optimum{Objective: p.Cert.Objective, Gauge: p.Rho}
		at.LowerBound, q.RelativeGap = p.Cert.Bracket()
		if c.Folds > 0 {
			q.StdErr, q.Fold = &p.StdErr, &foldPoint{p.At, at}
		} else {
			q.Optimum = &at
		}
	}
	return points
}

// marks are the rules that take each of the points of a curve: min where there are errors, and 1se where there are folds, whose
// standard error it is of.
func marks(points []selection.Point, folds int) [][]string {
	all := make([][]string, len(points))
	if len(points) == 0 || points[0].Scores == nil {
		return all
	}
	rules := []selection.Rule{selection.Min}
	if folds > 0 {
		rules = append(rules, selection.OneStd)
	}
	for _, rule := range rules {
		if at, err := rule.Select(points); err == nil {
			all[at] = append(all[at], string(rule))
		}
	}
	return all
}

// gap is the relative gap, which may be infinite.
func (p *PathPoint) Gap() float64 {
	if p.RelativeGap == nil {
		return math.Inf(1)
	}
	return *p.RelativeGap
}

// gapText is a relative gap for people, where there is a bound.
func gapText(gap float64) string {
	if math.IsInf(gap, 0) {
		return "-"
	}
	return fmt.Sprintf("%.1e", gap)
}
