package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// Features that are hardly correlated take no eigenvectors, on whatever scales they are, and those that are alike do.
func TestUncorrelatedFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 11))
	x := normal(rng, 200, 20)
	by := make([]float64, x.Stride)
	for c := range by {
		by[c] = math.Pow(10, float64(c%4))
	}
	x.ScaleColumns(by)
	gram := gcg.TMul(x, x)
	l := new(model.Basis).SpectrumOf(gram)
	if l.Vectors != nil {
		t.Error("eigenvectors of independent features")
	}
	for c, d := range gram.Diagonal() {
		if l.Values[c] != d {
			t.Errorf("value %d is %v, not %v", c, l.Values[c], d)
		}
	}
	for i := range x.Rows {
		for c := range 8 {
			x.Row(i)[c] += 1e3 * x.Row(i)[19]
		}
	}
	if new(model.Basis).SpectrumOf(gcg.TMul(x, x)).Vectors == nil {
		t.Error("no eigenvectors of features that are alike")
	}
}
