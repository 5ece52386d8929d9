package spca

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/operator"
)

// A covariance is C (n×n) as far as it is needed.
type covariance interface {
	diagonal() []float64        // C_ii, which belongs to the covariance
	mulTo(dst, x []float64)     // dst = C x
	block(vars []int) []float64 // C among some variables, row-major
	variables() int
}

// A given covariance is written out.
type given struct {
	n       int
	c, diag []float64
}

const (
	// asymmetry is the part of the largest entry by which C_ij and C_ji may differ, as numbers printed with seven digits do.
	asymmetry = 1e-6
	// indefinite is the part of the largest C_ii by which an eigenvalue may be negative, as rounding of entries leaves them.
	indefinite = 1e-6
	// definiteSteps are the Lanczos steps in which a negative eigenvalue is looked for where not all are computed. Those that are
	// more than rounding are at the end of the spectrum, which such steps find first.
	definiteSteps = 40
)

// newGiven checks a covariance. Errors name the entry or the eigenvalue that no covariance has.
func newGiven(m *dataset.Matrix, name string) (covariance, []string, error) {
	if m.Rows != m.Cols {
		return nil, nil, fmt.Errorf("%s: is %d×%d; a covariance is square: give the data itself as features", name, m.Rows, m.Cols)
	}
	n := m.Rows
	if n > MaxVariables {
		return nil, nil, fmt.Errorf("%s: has %d variables; up to %d are solved: give the data as features, whose variables are "+
			"screened", name, n, MaxVariables)
	}
	dense := *m
	if err := dense.Densify(name); err != nil {
		return nil, nil, err
	}
	c := slices.Clone(dense.Dense) // it is made symmetric
	g := &given{n: n, c: c, diag: make([]float64, n)}
	var size float64
	for _, x := range c {
		size = math.Max(size, math.Abs(x))
	}
	for i := range n {
		g.diag[i] = c[i*n+i]
		if g.diag[i] < -indefinite*size {
			return nil, nil, fmt.Errorf("%s%s: the variance of variable %d is %v; a covariance has none below 0", name, line(m, i), i+1,
				g.diag[i])
		}
		for j := range i {
			a, b := c[i*n+j], c[j*n+i]
			if math.Abs(a-b) > asymmetry*size {
				return nil, nil, fmt.Errorf("%s%s: is not symmetric: entry (%d, %d) is %v and (%d, %d) is %v", name, line(m, i), i+1,
					j+1, a, j+1, i+1, b)
			}
			c[i*n+j] = a + (b-a)/2
			c[j*n+i] = c[i*n+j]
		}
	}
	if bottom, err := g.smallest(); err != nil {
		return nil, nil, err
	} else if top := slices.Max(g.diag); bottom < -indefinite*math.Max(top, size) {
		return nil, nil, fmt.Errorf("%s: is not positive semidefinite: it has the eigenvalue %.6g, where the largest variance "+
			"is %.6g; no data has such a covariance", name, bottom, top)
	}
	return g, namesOf(m), nil
}

// line is where row i stood, for messages.
func line(m *dataset.Matrix, i int) string {
	if at := m.Line(i); at > 0 {
		return ":" + strconv.Itoa(at)
	}
	return ""
}

// namesOf are the names of the columns, or numbers from 1.
func namesOf(m *dataset.Matrix) []string {
	names := make([]string, m.Cols)
	for j := range names {
		names[j] = m.ColumnName(j)
	}
	return names
}

// smallest is about the smallest eigenvalue of C, and not below it.
func (g *given) smallest() (float64, error) {
	op, err := operator.NewIdentity(g.n, g.n)
	if err != nil {
		return 0, err
	}
	negated := gcg.Scaled(op.Adjoint(g.c), -1)
	p, err := gauge.Spectrahedron{Steps: definiteSteps}.Polar(context.Background(), negated, gcg.Ask{Count: 1, Tol: 1})
	return -p.Value, err
}

func (g *given) variables() int      { return g.n }
func (g *given) diagonal() []float64 { return g.diag }

func (g *given) mulTo(dst, x []float64) {
	for i := range g.n {
		dst[i] = kernel.Dot(g.c[i*g.n:(i+1)*g.n], x)
	}
}

func (g *given) block(vars []int) []float64 {
	if len(vars) == g.n {
		return g.c
	}
	all := make([]float64, 0, len(vars)*len(vars))
	for _, i := range vars {
		row := g.c[i*g.n : (i+1)*g.n]
		for _, j := range vars {
			all = append(all, row[j])
		}
	}
	return all
}
