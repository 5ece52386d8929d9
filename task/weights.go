package task

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/model"
)

// Weights are those of the weighted trace norm ‖diag(√p) X diag(√q)‖, with p and q the weights of rows and columns. A row
// with n of N ratings, of m rows, has by its rule
//
//	NoWeights  1
//	Empirical  n/N                     [Srebro10]
//	Power      (n/N)^Alpha
//	Smoothed   (1-Alpha)·n/N + Alpha/m [Foygel11]
//
// A row without ratings is 0 in any solution; it gets the weight of a row with one.
type Weights struct {
	Rule  WeightRule
	Alpha float64 // of Power and Smoothed, from 0 to 1
}

// A WeightRule makes weights of numbers of ratings.
type WeightRule int

const (
	AutoWeights WeightRule = iota // 1, or what is chosen with λ
	NoWeights                     // 1
	Empirical                     // n/N
	Power                         // (n/N)^Alpha
	Smoothed                      // (1-Alpha)·n/N + Alpha/m
)

var weightRules = []string{"auto", "none", "empirical", "power", "smoothed"}

// String is what ParseWeights reads: auto, none, empirical, power:α or smoothed:α.
func (w Weights) String() string {
	if w.Rule == Power || w.Rule == Smoothed {
		return weightRules[w.Rule] + ":" + strconv.FormatFloat(w.Alpha, 'g', -1, 64)
	}
	return weightRules[w.Rule]
}

// ParseWeights reads auto, none, empirical, power:α or smoothed:α, with α from 0 to 1.
func ParseWeights(text string) (Weights, error) {
	name, alpha, parametrised := strings.Cut(text, ":")
	for rule, known := range weightRules {
		w := Weights{Rule: WeightRule(rule)}
		if name != known || parametrised != (w.Rule == Power || w.Rule == Smoothed) {
			continue
		}
		var err error
		if parametrised {
			w.Alpha, err = strconv.ParseFloat(alpha, 64)
		}
		if err == nil && w.Check() == nil {
			return w, nil
		}
	}
	return Weights{}, fmt.Errorf("task: weights %q: auto, none, empirical, power:α or smoothed:α with α from 0 to 1", text)
}

// Check is an error where there is no such rule, or it cannot have such an Alpha.
func (w Weights) Check() error {
	switch err := enum.Check("task: Weights.Rule", w.Rule, "AutoWeights", "NoWeights", "Empirical", "Power", "Smoothed"); {
	case err != nil:
		return err
	case !(w.Alpha >= 0 && w.Alpha <= 1):
		return fmt.Errorf("task: Weights.Alpha is %v; it is from 0 to 1", w.Alpha)
	case w.Alpha != 0 && w.Rule != Power && w.Rule != Smoothed:
		return fmt.Errorf("task: Weights.Alpha is %v, which only the rules Power and Smoothed read", w.Alpha)
	}
	return nil
}

// Scales turns the numbers of ratings of one side, in place, into the scales 1/√p of the change of variable that makes the
// weighted norm a plain one; total is the number of all ratings.
func (w Weights) Scales(counts []float64, total int) []float64 { return w.scales(counts, total) }

// Note keeps what folding in a new row needs, of a fit to so many ratings in so many rows.
func (w Weights) Note(info *model.Info, total, rows int) {
	if info.Weights = w.String(); w.Rule != NoWeights {
		f := w.formula(total, rows)
		info.RowWeight, info.RowPower, info.RowFloor = f.factor, f.power, f.floor
	}
}

// A weightFormula is p = (n·factor)^power + floor: what folding in a new row with n ratings needs.
type weightFormula struct{ factor, power, floor float64 }

// formula is that of one side, of total ratings in some rows (or columns).
func (w Weights) formula(total, rows int) weightFormula {
	switch w.Rule {
	case Power:
		return weightFormula{1 / float64(total), w.Alpha, 0}
	case Smoothed:
		return weightFormula{(1 - w.Alpha) / float64(total), 1, w.Alpha / float64(rows)}
	}
	return weightFormula{1 / float64(total), 1, 0}
}

// scales turns the numbers of ratings of one side into 1/√p, in place: the change of variable that makes the norm a plain one.
func (w Weights) scales(counts []float64, total int) []float64 {
	f := w.formula(total, len(counts))
	for i, n := range counts {
		counts[i] = 1 / math.Sqrt(math.Pow(math.Max(n, 1)*f.factor, f.power)+f.floor)
	}
	return counts
}
