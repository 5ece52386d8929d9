package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// biasedRatings have row and column biases of given spreads on the given part of a matrix, and noise of spread 1.
func biasedRatings(t *testing.T, m, n int, part, rows, cols float64) (train, test *Sparse) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	r, c := make([]float64, m), make([]float64, n)
	for i := range r {
		r[i] = rows * rng.NormFloat64()
	}
	for j := range c {
		c[j] = cols * rng.NormFloat64()
	}
	var lists [2][]Rating
	for i := range m {
		for j := range n {
			if k := rng.Float64(); k < 2*part {
				which := 0
				if k > part {
					which = 1
				}
				lists[which] = append(lists[which], Rating{User: strconv.Itoa(i), Item: strconv.Itoa(j),
					Value: 3 + r[i] + c[j] + rng.NormFloat64()})
			}
		}
	}
	all := make([]*Sparse, 2)
	var ids *Ratings
	for k, list := range lists {
		x, err := FromSlice(list)
		if err == nil && k == 1 {
			x = x.By(ids.RowIDs, ids.ColIDs)
			x = x.Subset(knownOnly(x))
		} else {
			ids = x
		}
		if err == nil {
			all[k], err = x.Compress(RefuseDuplicates)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all[0], all[1]
}

// knownOnly are the ratings whose row and column are known.
func knownOnly(r *Ratings) (keep []int32) {
	for e := range r.Values {
		if r.Rows[e] >= 0 && r.Cols[e] >= 0 {
			keep = append(keep, int32(e))
		}
	}
	return keep
}

func squaredError(o *Offsets, s *Sparse) float64 {
	total := 0.0
	s.Entries(func(i, j int, x float64) { total += (x - o.At(i, j)) * (x - o.At(i, j)) })
	return total / float64(len(s.Values))
}

// Shrunk means are the ridge biases of their own variances: the gradient of the ridge objective is 0 at them, for some ratio of
// the variances near the true one, and they predict new ratings better than means where rows have few, as well where many.
func TestShrunkMeansAreRidgeBiases(t *testing.T) {
	for _, c := range []struct {
		m, n                   int
		part, rows, cols, gain float64
	}{{2000, 1000, 0.002, 0.5, 0.7, 0.9}, {400, 200, 0.2, 0.5, 0.7, 1.001}, {400, 200, 0.05, 0, 0, 0.95}} {
		train, test := biasedRatings(t, c.m, c.n, c.part, c.rows, c.cols)
		shrunk, means := Centre(train, ShrunkMeans), Centre(train, BothMeans)
		if a, b := squaredError(shrunk, test), squaredError(means, test); a > c.gain*b {
			t.Errorf("%+v: squared error %v, of means %v", c, a, b)
		}
		// Σ_j (y - μ - r_i - c_j) = k r_i for all i, with one k
		rest := make([]float64, train.M)
		train.Entries(func(i, j int, x float64) { rest[i] += x - shrunk.At(i, j) })
		var xy, xx, yy float64
		for i, r := range shrunk.Row {
			xy += rest[i] * r
			xx += r * r
			yy += rest[i] * rest[i]
		}
		if k := xy / xx; c.rows > 0 && (yy-k*xy > 1e-3*yy || math.Abs(math.Log(k*c.rows*c.rows)) > math.Log(2)) {
			t.Errorf("%+v: residuals of rows are %v times their biases but for %v of them, want about %v", c, k, 1-k*xy/yy,
				1/(c.rows*c.rows))
		}
	}
}

// Entries that are all the same have no biases, and a row without any has none.
func TestShrunkMeansOfNothing(t *testing.T) {
	s := &Sparse{M: 3, N: 2, Ptr: []int64{0, 2, 2, 3}, Cols: []int32{0, 1, 1}, Values: []float64{4, 4, 4}}
	if o := Centre(s, ShrunkMeans); o.Global != 4 || o.At(0, 0) != 4 || o.At(1, 1) != 4 {
		t.Errorf("%+v", o)
	}
	s.Values = []float64{4, 1, 3}
	if o := Centre(s, ShrunkMeans); o.Row[1] != 0 || math.IsNaN(o.Global) || math.IsNaN(o.Row[0]+o.Col[0]+o.Col[1]) {
		t.Errorf("%+v", o)
	}
}

// Weights that are all scaled alike change nothing, weights of 1 are none, and entries of more weight count for more.
func TestShrunkMeansByWeights(t *testing.T) {
	s, _ := biasedRatings(t, 60, 40, 0.2, 0.5, 0.7)
	plain := Centre(s, ShrunkMeans)
	uneven := make([]float64, len(s.Values))
	for e := range uneven {
		uneven[e] = float64(1 + e%3)
	}
	far := func(a, b *Offsets) (most float64) {
		for i := range s.M {
			for j := range s.N {
				most = math.Max(most, math.Abs(a.At(i, j)-b.At(i, j)))
			}
		}
		return most
	}
	weighed := *s
	weighed.Omega = uneven
	known := Centre(&weighed, ShrunkMeans)
	for _, c := range []float64{1e-6, 0.1, 1, 30} {
		even, scaled := *s, *s
		for e := range s.Values {
			even.Omega, scaled.Omega = append(even.Omega, c), append(scaled.Omega, c*uneven[e])
		}
		if d := far(Centre(&even, ShrunkMeans), plain); d > 1e-3 {
			t.Errorf("with all weights %v the centre is off by %v", c, d)
		}
		if d := far(Centre(&scaled, ShrunkMeans), known); d > 1e-3 {
			t.Errorf("with weights times %v the centre is off by %v", c, d)
		}
	}
	if far(known, plain) < 1e-3 {
		t.Error("uneven weights change nothing")
	}
}
