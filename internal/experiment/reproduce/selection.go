package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/sliding"
	"github.com/seed-b18ef778/gcg/task/cur"
)

// selections is ½‖D - DXD‖² + λ(Σ‖X_i:‖_∞ + Σ‖X_:j‖_∞) [Cheung15 eq 41] of a D of norm 1: gene data, or generated ones of the
// settings samples and genes, of rank 8 with noise.
func selections(ctx context.Context, c *Case, at place) (*built, error) {
	paths, data, err := c.found(at)
	if err != nil {
		return nil, err
	}
	var d *dataset.Matrix
	if len(paths) > 0 {
		if d, err = dataset.ReadMatrix(paths[0], nil); err != nil {
			return nil, err
		}
	} else {
		rows := max(10, int(math.Round(math.Sqrt(at.scale)*c.setting("samples", 60))))
		cols := max(30, int(math.Round(at.scale*c.setting("genes", 2000))))
		d = genes(rows, cols, at.seed)
		data = fmt.Sprintf("generated: %d samples, %d genes of unequal size", rows, cols)
	}
	p, err := experiment.ProblemOf((&cur.Task{D: d, Name: c.Name, UnitNorm: true}).Prepare, nil)
	if err != nil {
		return nil, err
	}
	b := &built{contest: &experiment.Contest{Problem: p}, data: data, real: len(paths) > 0, named: slides}
	b.numbers = map[string]float64{"rows": float64(d.Rows), "cols": float64(d.Cols)}
	return b, c.lambdaOf(ctx, b, b.linear)
}

// genes is a matrix of rank 8 with noise, whose columns are of unequal size.
func genes(rows, cols int, seed uint64) *dataset.Matrix {
	rng := rand.New(rand.NewPCG(seed, 0x6e6e))
	x := &dataset.Matrix{Rows: rows, Cols: cols, Dense: lowRank(rng, rows, cols, 8)}
	for j := range cols {
		size := math.Exp(rng.NormFloat64())
		for i := range rows {
			x.Dense[i*cols+j] = size * (x.Dense[i*cols+j] + 0.3*rng.NormFloat64())
		}
	}
	return x
}

// slides is a contender of selections: sliding-refined:m, with the word printed behind a second colon, or one of
// experiment.Named.
func slides(word string) (experiment.Contender, error) {
	words := strings.Split(word, ":")
	if words[0] != "sliding-refined" || len(words) < 2 {
		return experiment.Named(word)
	}
	m, err := strconv.Atoi(words[1])
	printed := len(words) > 2 && words[2] == "printed"
	return experiment.Method(word, func(*gcg.Problem) (solver.Method, solver.Improver) {
		return &sliding.Method{Refined: true, Steps: m, Printed: printed}, nil
	}), err
}
