package spectral

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A denseMap is a matrix, row-major.
type denseMap struct {
	m, n int
	x    []float64
}

func (g *denseMap) Dims() (m, n int) { return g.m, g.n }

func (g *denseMap) MulTo(dst, x []float64) {
	for i := range dst {
		dst[i] = kernel.Dot(g.x[i*g.n:(i+1)*g.n], x)
	}
}

func (g *denseMap) TMulTo(dst, y []float64) {
	clear(dst)
	for i, yi := range y {
		for j, v := range g.x[i*g.n : (i+1)*g.n] {
			dst[j] += yi * v
		}
	}
}

// The basis stays orthonormal however many steps are taken, where pairs converge on the way and where the spectrum decays
// fast; and the atoms that come from it have length 1.
func TestKrylovBasisStaysOrthonormal(t *testing.T) {
	const m, n = 500, 300
	for name, scale := range map[string]func(j int) float64{
		"outliers": func(j int) float64 { return 1 + 1000/float64(1+j*j) },
		"decay":    func(j int) float64 { return math.Pow(0.9, float64(j)) },
		"flat":     func(j int) float64 { return 1 },
		"power":    func(j int) float64 { return math.Pow(float64(j+1), -0.5) },
	} {
		rng := rand.New(rand.NewPCG(1, 7))
		g := &denseMap{m, n, make([]float64, m*n)}
		for i := range m {
			for j := range n {
				g.x[i*n+j] = scale(j) * rng.NormFloat64()
			}
		}
		for _, panel := range []int{panelWidth(1), panelWidth(math.MaxInt)} {
			checkBasis(t, fmt.Sprintf("%s, panels of %d", name, panel), g, panel)
		}
	}
}

func checkBasis(t *testing.T, name string, g *denseMap, panel int) {
	t.Helper()
	b := startKrylov(NewStructure(g, gcg.Ask{}).complement(), 3)
	b.panel = panel
	if err := b.extend(context.Background(), 33); err != nil {
		t.Fatal(err)
	}
	var worst float64
	for i, p := range b.basis {
		for j, q := range b.basis[:i+1] {
			gram := gcg.TMul(p, q)
			for x := range min(b.panel, b.count-i*b.panel) {
				for y := range min(b.panel, b.count-j*b.panel) {
					v := gram.Row(x)[y]
					if i == j && x == y {
						v--
					}
					worst = math.Max(worst, math.Abs(v))
				}
			}
		}
	}
	if !(worst < 1e-12) {
		t.Errorf("%s: the basis of %d vectors is orthonormal to %.1e only", name, b.count, worst)
	}
	x, y, _ := b.ritz().pairs(12)
	for c := range 12 {
		if a, b := columnLength(x, c), columnLength(y, c); math.Abs(a-1) > 1e-12 || math.Abs(b-1) > 1e-12 {
			t.Errorf("%s: pair %d has lengths %.15g and %.15g", name, c, a, b)
		}
	}
}

func columnLength(f *gcg.Factor, c int) float64 {
	x := make([]float64, f.Rows)
	f.ColumnTo(x, c)
	return gcg.Norm(x)
}
