package gauge

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
)

// bounded is a matrix that is known but for bounds.
type bounded struct {
	conform.Matrix
	y, d []float64
	read int // entries that were asked for
}

func (b *bounded) Within() (y, d []float64) { return b.y, b.d }

func (b *bounded) Refine(places []int) {
	if !slices.IsSorted(places) {
		panic("the places do not ascend")
	}
	for _, e := range places {
		b.y[e], b.d[e] = b.Data[e], 0
	}
	b.read += len(places)
}

// A map with bounds gives the same polar, and is not read where the bounds rule an entry out.
func TestPolarsWithinBounds(t *testing.T) {
	const m, n = 20, 6
	rng := rand.New(rand.NewPCG(3, 1))
	weights := make([]float64, m*n)
	for e := range weights {
		weights[e] = 0.5 + rng.Float64()
	}
	gauges := []gcg.Gauge{L1{}, L1{Weights: weights}, PositiveL1{}, Simplex{}}
	for range 300 {
		b := &bounded{Matrix: conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}, y: make([]float64, m*n), d: make([]float64, m*n)}
		shift, width := rng.NormFloat64(), rng.ExpFloat64()
		for e := range b.Data {
			b.Data[e] = math.Round(4*(rng.NormFloat64()+shift)) / 4 // with ties
		}
		ask := gcg.Ask{Count: 1 + rng.IntN(8), Above: rng.NormFloat64() + shift}
		for _, k := range gauges {
			for e, x := range b.Data {
				b.d[e] = width * rng.Float64()
				b.y[e] = x + b.d[e]*(2*rng.Float64()-1)
			}
			want, err := k.Polar(t.Context(), b.Matrix, ask)
			if err != nil {
				t.Fatal(err)
			}
			got, err := k.Polar(t.Context(), b, ask)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %+v: %+v, %v, want %+v", k.Name(), ask, got, err, want)
			}
		}
	}
}

// Entries that bounds rule out are not read; one that is not finite is an error, and bounds that are no numbers rule nothing out.
func TestContendersRead(t *testing.T) {
	b := &bounded{Matrix: conform.Matrix{M: 4, N: 1, Data: []float64{1, -5, 3, 4}}, y: []float64{1, -4, 2.5, 4.5},
		d: []float64{1, 1, 1, 1}}
	p, err := L1{}.Polar(t.Context(), b, gcg.Ask{Count: 1})
	if err != nil || p.Bound != 5 || b.read != 2 {
		t.Errorf("the bound is %v of %d entries, %v; want 5 of the two that may be the largest", p.Bound, b.read, err)
	}
	b.d, b.read = []float64{math.NaN(), math.Inf(1), 0, 0}, 0
	if p, err = (L1{}).Polar(t.Context(), b, gcg.Ask{Count: 1}); err != nil || p.Bound != 5 || b.read != 2 {
		t.Errorf("the bound is %v of %d entries, %v; want 5 of the two without bounds", p.Bound, b.read, err)
	}
	b.Data[0], b.d[0] = math.NaN(), math.NaN()
	_, err = L1{}.Polar(t.Context(), b, gcg.Ask{Count: 1})
	if err == nil || !strings.Contains(err.Error(), "NaN at row 0") {
		t.Errorf("an entry that is no number: %v", err)
	}
}
