package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// MultiView are two views of the same samples with gross noise, the synthetic problem of [Yu17 §5.3.1]:
//
//	W₀ = [A; B] H,   A: Rows1×Rank with columns of norm 1,   B: Rows2×Rank with columns of norm Gamma,   H: Rank×Cols
//
// all Gaussian, and Y is W₀ with a number uniform in [0, 10] added to a part NoiseFraction of all entries.
type MultiView struct {
	Rows1, Rows2, Cols, Rank int
	Gamma                    float64
	NoiseFraction            float64
	Seed                     uint64
}

// Denoising is the problem of [Yu17 §5.3.1].
var Denoising = MultiView{Rows1: 800, Rows2: 1000, Cols: 200, Rank: 10, Gamma: 5, NoiseFraction: 0.15, Seed: 1}

// noiseRange is the end of the range of the noise.
const noiseRange = 10

// Check says what is wrong with the sizes.
func (g MultiView) Check() error {
	switch {
	case g.Rows1 < 1 || g.Rows2 < 1 || g.Cols < 1 || g.Rank < 1:
		return fmt.Errorf("generated views have rows, columns and a rank of at least 1, not %d and %d, %d and %d", g.Rows1, g.Rows2,
			g.Cols, g.Rank)
	case float64(g.Rows1+g.Rows2)*float64(g.Cols) > math.MaxInt32:
		return fmt.Errorf("generated views have at most 2³¹-1 entries, not %d×%d", g.Rows1+g.Rows2, g.Cols)
	case !(g.Gamma > 0) || math.IsInf(g.Gamma, 1):
		return fmt.Errorf("the columns of the second generated view have a positive norm, not %v", g.Gamma)
	case !(g.NoiseFraction >= 0 && g.NoiseFraction <= 1):
		return fmt.Errorf("the part of noisy entries is between 0 and 1, not %v", g.NoiseFraction)
	}
	return nil
}

// Generate is W₀ and Y, row-major with the rows of the first view first.
func (g MultiView) Generate() (truth, noisy []float64, err error) {
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0x6d756c7469))
	m := g.Rows1 + g.Rows2
	left := append(columns(rng, g.Rows1, g.Rank, 1), columns(rng, g.Rows2, g.Rank, g.Gamma)...)
	h := make([]float64, g.Rank*g.Cols)
	for i := range h {
		h[i] = rng.NormFloat64()
	}
	truth = make([]float64, m*g.Cols)
	for i := range m {
		row := truth[i*g.Cols : (i+1)*g.Cols]
		for c, x := range left[i*g.Rank : (i+1)*g.Rank] {
			for j, y := range h[c*g.Cols : (c+1)*g.Cols] {
				row[j] += x * y
			}
		}
	}
	noisy = append([]float64(nil), truth...)
	count := int(math.Round(g.NoiseFraction * float64(len(noisy))))
	for _, e := range rng.Perm(len(noisy))[:count] {
		noisy[e] += noiseRange * rng.Float64()
	}
	return truth, noisy, nil
}

// columns is a rows×k Gaussian matrix, row-major, whose columns are scaled to the given norm.
func columns(rng *rand.Rand, rows, k int, norm float64) []float64 {
	a, squares := make([]float64, rows*k), make([]float64, k)
	for i := range a {
		a[i] = rng.NormFloat64()
		squares[i%k] += a[i] * a[i]
	}
	for i := range a {
		a[i] *= norm / math.Sqrt(squares[i%k])
	}
	return a
}
