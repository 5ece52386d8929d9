package task

import (
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/metric"
	"gonum.org/v1/gonum/stat"
)

// RankingWarnings warns of lists that lose to the most popular items; r may be nil.
func RankingWarnings(r *metric.Ranked) (list []Warning) {
	if r != nil && r.Model.Users > 0 && r.Loses() {
		last := len(r.Model.At) - 1
		list = append(list, warning.Unpopular{Length: r.Model.Lengths[last], Model: r.Model.At[last].NDCG(),
			Popular: r.Popular.At[last].NDCG()})
	}
	return list
}

// fewOfEach warns of ratings that are as many as their users or items, or nil.
func fewOfEach(r *dataset.Ratings) Warning {
	for side, what := range []string{"users", "items"} {
		if n := r.Total(); n > 1 && r.Shape[side] == n {
			return warning.AsManyIDs{Name: r.Name, What: what, N: n}
		}
	}
	return nil
}

// Warnings warns of the ratings themselves.
func (p *PreparedCompletion) Warnings() (list []Warning) {
	if list = p.strangers(); p.few != nil {
		list = append(list, p.few)
	}
	s, wide := p.data.(*dataset.Sparse)
	switch {
	case !wide:
	case p.two != nil:
		list = append(list, loneLabel(p.task.Train.Name, s.Values, p.two, s.Spread.Comm())...)
	default:
		list = append(list, narrowLoss(p.task.loss(), func() float64 {
			if s.Spread == nil {
				return stat.PopStdDev(s.Values, nil)
			}
			return metric.Fitted(dataset.Centre(s, dataset.GlobalMean).At, s).RMSE()
		})...)
	}
	return list
}

// strangers warns of what is to be measured on where training knows nothing of it.
func (p *PreparedCompletion) strangers() (list []Warning) {
	for _, r := range []*dataset.Ratings{p.task.Test, p.task.Valid} {
		if r == nil {
			continue
		}
		if n := r.Total(); n > 0 && r.Unknown() == n {
			list = append(list, warning.NoneKnown{Name: r.Name, N: n, SetApart: r == p.task.Test && p.task.splits()})
		}
	}
	return list
}

// WarningsOf warns of a model with scores, fitted to a relative gap.
func (p *PreparedCompletion) WarningsOf(scores *RatingScores, tol float64) (list []Warning) {
	if scores.Labels == nil {
		return p.warnings(scores.RMSE(), tol)
	}
	if w := p.constant.Worse(scores.Labels); w != nil {
		return []Warning{w}
	}
	return nil
}

// warnings warns of a model with an RMSE, fitted to a relative gap.
func (p *PreparedCompletion) warnings(rmse, tol float64) (list []Warning) {
	s := p.made()
	if p.rounding > math.Min(coarse, tol) {
		list = append(list, warning.Rounded{By: p.rounding})
	}
	if tol < s.floor {
		list = append(list, warning.BelowFloor{Floor: s.floor, Tol: tol})
	}
	numbers := p.task.Own == nil && p.task.loss().Kind != Quantile // neither is of the mean
	if than := p.trivial.Better(rmse); numbers && than != metric.NothingBetter {
		list = append(list, warning.Worse{RMSE: rmse, Than: than, Trivial: *p.trivial})
	}
	if s.Lo == s.Hi {
		list = append(list, warning.AllEqual{Value: s.Lo})
	}
	return list
}
