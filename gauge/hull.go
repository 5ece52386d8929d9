package gauge

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Hull is the gauge of a polytope that only a linear oracle knows: its vertices, permutations, paths, spanning trees, matchings.
//
//	atoms  the vertices a of the polytope, m×n
//	κ(W)   inf{Σσᵢ : W = Σσᵢaᵢ, σᵢ ≥ 0}
//	polar  κ°(G) = max ⟨a, G⟩, which may be negative
//
// The penalty Equal{1} is W in the polytope, and Ball{ζ} W in ζ times the hull of the polytope and 0. Solvers re-optimise the
// weights of the vertices that they have met by the improver Corrective; [Yu17 eq 42] names the step.
type Hull struct {
	// Oracle writes into vertex a vertex that maximises ⟨a, G⟩. Both are row-major, of length mn. It keeps neither.
	Oracle func(vertex, g []float64)
}

// Name is hull.
func (Hull) Name() string { return "hull" }

// Polar asks the oracle once, for a G that it writes as a matrix of mn numbers. The bound is proven as far as the oracle is
// right, which conform.Gauge tries. An error is of a missing oracle, and of a G or a vertex that is not finite.
func (k Hull) Polar(ctx context.Context, g gcg.Map, _ gcg.Ask) (gcg.Polar, error) {
	if k.Oracle == nil {
		return gcg.Polar{}, errors.New("gauge: Hull needs an Oracle")
	}
	if err := ctx.Err(); err != nil {
		return gcg.Polar{}, err
	}
	m, n := g.Dims()
	dense, vertex := make([]float64, m*n), make([]float64, m*n)
	gcg.DenseTo(dense, g)
	k.Oracle(vertex, dense)
	var value, size float64
	atom, hash, number := gcg.Atom{}, fnv.New64a(), make([]byte, 8)
	for e, x := range vertex {
		if x-x != 0 || dense[e]-dense[e] != 0 {
			return gcg.Polar{}, fmt.Errorf("gauge: entry %d, %d of a vertex of Hull is %v, of the gradient %v", e/n, e%n, x, dense[e])
		}
		value += x * dense[e]
		size += math.Abs(x * dense[e])
		if x != 0 {
			atom.Rows, atom.Cols, atom.Vals = append(atom.Rows, int32(e/n)), append(atom.Cols, int32(e%n)), append(atom.Vals, x)
		}
		binary.LittleEndian.PutUint64(number, math.Float64bits(x))
		hash.Write(number)
	}
	atom.Key = 1 + int64(hash.Sum64()>>2) // equal vertices merge
	rounding := float64(m*n) * linalg.Epsilon * size
	return gcg.Polar{Atoms: []gcg.Atom{atom}, Value: value, Bound: value + rounding, Kind: gcg.Proven}, nil
}
