package warning

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/metric"
)

// AsManyIDs warns of ratings that are as many as their users or items, as where the first column of a file numbers its lines.
type AsManyIDs struct {
	Name, What string // What is users or items
	N          int
}

func (w AsManyIDs) String() string {
	return fmt.Sprintf("%s: has as many %s as ratings, %d, and no more to learn of each", w.Name, w.What, w.N)
}

// NoneKnown warns of ratings to measure on of which none is of a user and an item of training.
type NoneKnown struct {
	Name     string
	N        int
	SetApart bool // from the training ratings, not in a file of their own
}

func (w NoneKnown) String() string {
	whose := "its %d ratings"
	if w.SetApart {
		whose = "the %d ratings set apart"
	}
	return fmt.Sprintf("%s: none of "+whose+" is of a user and an item of training, so all are predicted by the centre", w.Name,
		w.N)
}

// Worse warns of a model that loses to a prediction that needs none.
type Worse struct {
	RMSE    float64
	Than    metric.Better
	Trivial metric.Trivial
}

func (w Worse) String() string {
	than, rmse := "the global mean", w.Trivial.GlobalMean
	if w.Than == metric.BiasesBetter {
		than, rmse = "row and column biases", w.Trivial.Biases
	}
	return fmt.Sprintf("the model's RMSE on the %s ratings, %s, is worse than that of %s, %s", w.Trivial.On(),
		decimal.Decimals(w.RMSE), than, decimal.Decimals(rmse))
}

// Unpopular warns of lists that are worse than those of the most popular items.
type Unpopular struct {
	Length         int
	Model, Popular float64 // NDCG
}

func (w Unpopular) String() string {
	return fmt.Sprintf("the model ranks worse than the most popular items do: NDCG@%d %.4f, theirs is %.4f", w.Length, w.Model,
		w.Popular)
}

// AllEqual warns of ratings that are all the same.
type AllEqual struct{ Value float64 }

func (w AllEqual) String() string {
	return fmt.Sprintf("all ratings are %.7g, which tells no items apart: add ratings of items that were not chosen, such as 0",
		w.Value)
}

// Rounded warns of a bracket that is narrower than what float32 rounds the ratings by: the optimum of the ratings themselves
// may be outside of it.
type Rounded struct{ By float64 }

func (w Rounded) String() string {
	return fmt.Sprintf("float32 rounds the ratings by %.2g of their standard deviation, "+
		"and the objective and its bound are of the rounded ones; without it they are exact", w.By)
}

// BelowFloor warns of a tolerance that no certificate from ratings in float32 reaches.
type BelowFloor struct{ Floor, Tol float64 }

func (w BelowFloor) String() string {
	return fmt.Sprintf("ratings in float32 allow no certified gap far below %.1g; the tolerance %v asks for it", w.Floor, w.Tol)
}
