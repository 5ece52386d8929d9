package synthetic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// largestTruth is the number of numbers that a truth may have, which are kept while data is generated.
const largestTruth = 1 << 33

// Gaussians makes rows of features from classes that overlap: a row of class c is normal with
//
//	mean μ_c ∈ {-1, 1}^Signal × {0}^(Features-Signal), chosen uniformly,   covariance Σ_ij = σ²·Correlation^|i-j|,
//
// rounded to six decimals, PerClass rows of each class. σ is Deviation, or where Separation is set such that the average
// distance between the means of two classes is Separation·σ. The synthetic problems of [Zhang12 §5] and [Dudik12 §4.1].
type Gaussians struct {
	Name                  string
	Features, Signal      int
	Classes, PerClass     int
	Correlation           float64 // -1 < ρ < 1
	Deviation, Separation float64
	Seed                  uint64
	Source                string
}

// Mixtures are those of the papers.
var Mixtures = []Gaussians{
	{Name: "classes-100", Features: 250, Signal: 50, Classes: 100, PerClass: 10, Correlation: 0.5, Deviation: 2,
		Source: "Zhang, Yu and Schuurmans 2012, §5"},
	{Name: "classes-500", Features: 250, Signal: 50, Classes: 500, PerClass: 10, Correlation: 0.1, Separation: 3,
		Source: "Dudik, Harchaoui and Malick 2012, §4.1"},
}

// Rows is the number of rows.
func (g Gaussians) Rows() int { return g.Classes * g.PerClass }

// Check says what is wrong with the sizes.
func (g Gaussians) Check() error {
	switch {
	case g.Features < 1 || g.Classes < 2 || g.PerClass < 1 || g.Signal < 1 || g.Signal > g.Features:
		return fmt.Errorf("generated classes need features, some with a mean, two classes and a row of each, not %d, %d, %d and %d",
			g.Features, g.Signal, g.Classes, g.PerClass)
	case g.Features > 1<<24 || g.Classes > 1<<24 || g.PerClass > 1<<24 || float64(g.Classes)*float64(g.PerClass) > math.MaxInt32:
		return fmt.Errorf("generated classes have at most 2²⁴ features and classes, and 2³¹-1 rows")
	case float64(g.Classes)*float64(g.Signal) > largestTruth:
		return fmt.Errorf("generated classes have means of at most 2³³ numbers, not %d for each of %d classes", g.Signal, g.Classes)
	case !(math.Abs(g.Correlation) < 1):
		return fmt.Errorf("neighbouring features have a correlation between -1 and 1, not %v", g.Correlation)
	}
	return nil
}

// Each generates the rows, class after class; x is valid until f returns. Another sample of the same classes has another number.
func (g Gaussians) Each(sample uint64, f func(class int, x []float64) error) error {
	if err := g.Check(); err != nil {
		return err
	}
	means := g.means()
	sigma := g.Deviation
	if g.Separation > 0 {
		sigma = g.distance(means) / g.Separation
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0xc1a55e5+1+sample))
	fresh := math.Sqrt(1 - g.Correlation*g.Correlation)
	x := make([]float64, g.Features)
	for i := range g.Rows() {
		mean := means[i/g.PerClass*g.Signal:][:g.Signal]
		noise := rng.NormFloat64()
		for j := range x {
			if j > 0 {
				noise = g.Correlation*noise + fresh*rng.NormFloat64() // covariance ρ^|i-j|
			}
			at := sigma * noise
			if j < g.Signal {
				at += float64(mean[j])
			}
			x[j] = math.Round(at*1e6) / 1e6
		}
		if err := f(i/g.PerClass, x); err != nil {
			return err
		}
	}
	return nil
}

// means are the first Signal entries of μ_c, class by class.
func (g Gaussians) means() []int8 {
	rng := rand.New(rand.NewPCG(g.Seed, 0xc1a55e5))
	means := make([]int8, g.Classes*g.Signal)
	for i := range means {
		means[i] = int8(2*rng.IntN(2) - 1)
	}
	return means
}

// distance is the average of ‖μ_c - μ_d‖ over the pairs of classes, of the first 1,000.
func (g Gaussians) distance(means []int8) float64 {
	count := min(g.Classes, 1000)
	var sum float64
	for c := range count {
		for d := range c {
			var differ int
			for j := range g.Signal {
				if means[c*g.Signal+j] != means[d*g.Signal+j] {
					differ++
				}
			}
			sum += 2 * math.Sqrt(float64(differ))
		}
	}
	return sum / float64(count*(count-1)/2)
}

// Samples are the features, row-major, and the class of each row.
func (g Gaussians) Samples(sample uint64) (x []float64, class []int32, err error) {
	err = g.Each(sample, func(c int, row []float64) error {
		class = append(class, int32(c))
		x = append(x, row...)
		return nil
	})
	return x, class, err
}

// Write writes a sample in LIBSVM's format; classes and features count from 1.
func (g Gaussians) Write(ctx context.Context, name string, sample uint64) error {
	file, err := atomicfile.Create(name)
	if err != nil {
		return err
	}
	defer file.Abort()
	var line []byte
	err = g.Each(sample, func(class int, x []float64) error {
		line = strconv.AppendInt(line[:0], int64(class)+1, 10)
		for j, v := range x {
			line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
			line = strconv.AppendFloat(append(line, ':'), v, 'g', -1, 64)
		}
		_, err := file.Write(append(line, '\n'))
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return fmt.Errorf("%s: not written: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return file.Commit()
}
