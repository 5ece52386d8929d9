package views

import (
	"errors"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/task"
	"gonum.org/v1/gonum/mat"
)

// A coder finds the code of one sample after the other: it minimises
//
//	f(h) = Σ w ℓ(D_i h, x_i) + (λ/2)‖h‖²
//
// by Newton steps with a line search. A Huber loss of small width is reached by way of larger widths, as its second derivative is
// 0 but for entries that are nearly met.
type coder struct {
	*Encoder
	given []Given
	x, w  [][]float64 // of the sample, by given view; x as the dictionary predicts it

	gram     *mat.SymDense // Σ w ℓ″ D_i D_iᵀ + λI
	curve    [][]float64   // w ℓ″
	factored bool          // chol is of the weights met
	met      [][]float64
	chol     mat.Cholesky
}

func (e *Encoder) coder(given []Given) *coder {
	c := &coder{Encoder: e, given: given, gram: mat.NewSymDense(e.model.Rank, nil)}
	for _, g := range given {
		for _, rows := range []*[][]float64{&c.x, &c.w, &c.curve, &c.met} {
			*rows = append(*rows, make([]float64, g.X.Cols))
		}
	}
	return c
}

// sample takes the entries of sample i.
func (c *coder) sample(i int) {
	m := c.model
	for t, g := range c.given {
		weight := c.Views()[g.View].Weight
		for j, x := range g.X.Dense[i*g.X.Cols : (i+1)*g.X.Cols] {
			row := c.first[g.View] + j
			c.x[t][j], c.w[t][j] = 0, 0
			if c.losses[g.View].Kind == task.Logistic {
				c.x[t][j] = -1
			}
			if math.IsNaN(x) {
				continue
			}
			c.w[t][j] = weight
			if c.losses[g.View].Kind == task.Logistic {
				c.x[t][j] = 2*math.Max(x, 0) - 1
				continue
			}
			if m.RowOffset != nil {
				x -= m.RowOffset[row]
			}
			c.x[t][j] = x / scaleAt(m.RowScale, row)
		}
	}
}

// The steps of a code. Widths of Huber's loss come down by widthStep; a Newton step ends a width when the gradient is codeTol of
// what it is made of, or after codeSteps, which only unbounded problems need. slope is Armijo's.
const (
	widthStep = 10
	codeTol   = rounding.Null
	codeSteps = 200
	slope     = 1e-4
)

var errCode = errors.New("the code is not finite: the numbers are too large")

// solve writes the code.
func (c *coder) solve(h []float64) error {
	clear(h)
	for _, scale := range c.widths() {
		if err := c.newton(h, scale); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(h, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return errCode
	}
	return nil
}

// widths are the factors by which the widths of Huber losses are larger, the last of them 1.
func (c *coder) widths() []float64 {
	scale := 1.0
	for t, g := range c.given {
		if l := c.losses[g.View]; l.Kind == task.Huber {
			for _, x := range c.x[t] {
				scale = math.Max(scale, math.Abs(x)/l.Mu)
			}
		}
	}
	all := []float64{1}
	for s := float64(widthStep); s < scale; s *= widthStep {
		all = append(all, s)
	}
	slices.Reverse(all)
	return all
}

// lossAt is the loss of a view's entries, with the width of a Huber loss times scale.
func (c *coder) lossAt(t int, scale float64) gcg.CurvedLoss {
	l := c.losses[c.given[t].View]
	l.Mu *= scale
	return lossOf(l, c.x[t], c.w[t])
}

// newton minimises f for a scale of the widths.
func (c *coder) newton(h []float64, scale float64) error {
	k := len(h)
	g, step, next := make([]float64, k), mat.NewVecDense(k, nil), make([]float64, k)
	f, size := c.gradient(g, h, scale)
	for range codeSteps {
		if norm(g) <= codeTol*size {
			return nil
		}
		if err := c.factor(h, scale); err != nil {
			return err
		}
		if err := c.chol.SolveVecTo(step, mat.NewVecDense(k, g)); err != nil && !isCondition(err) {
			return errCode
		}
		down := mat.Dot(step, mat.NewVecDense(k, g))
		t, lower := 1.0, false
		for ; t > codeTol && !lower; t /= 2 {
			for i := range next {
				next[i] = h[i] - t*step.AtVec(i)
			}
			lower = c.value(next, scale) <= f-slope*t*down
		}
		if !lower { // at rounding
			return nil
		}
		copy(h, next)
		f, size = c.gradient(g, h, scale)
	}
	return nil
}

// isCondition says that a solution is inaccurate, not that there is none: the line search judges it.
func isCondition(err error) bool {
	var c mat.Condition
	return errors.As(err, &c)
}

func norm(x []float64) float64 { return mat.Norm(mat.NewVecDense(len(x), x), 2) }

// predict is D h on the rows of a given view.
func (c *coder) predict(t int, h []float64) []float64 {
	z := make([]float64, len(c.x[t]))
	from := c.first[c.given[t].View] * len(h)
	for j := range z {
		for i, a := range c.d[from+j*len(h) : from+(j+1)*len(h)] {
			z[j] += a * h[i]
		}
	}
	return z
}

// value is f(h).
func (c *coder) value(h []float64, scale float64) float64 {
	f := c.lambda / 2 * mat.Dot(mat.NewVecDense(len(h), h), mat.NewVecDense(len(h), h))
	for t := range c.given {
		f += c.lossAt(t, scale).Eval(0, c.predict(t, h), nil)
	}
	return f
}

// gradient writes g = ∇f(h), and returns f(h) and the size of the parts of g.
func (c *coder) gradient(g, h []float64, scale float64) (f, size float64) {
	for i, x := range h {
		g[i] = c.lambda * x
		f += c.lambda / 2 * x * x
	}
	size = norm(g)
	for t := range c.given {
		z := c.predict(t, h)
		f += c.lossAt(t, scale).Eval(0, z, z)
		from := c.first[c.given[t].View] * len(h)
		for j, r := range z {
			var length float64
			for i, a := range c.d[from+j*len(h) : from+(j+1)*len(h)] {
				g[i] -= a * r
				length += a * a
			}
			size += math.Abs(r) * math.Sqrt(length)
		}
	}
	return f, size
}

// factor decomposes the second derivative at h; that of squares is the same for all samples that miss the same entries.
func (c *coder) factor(h []float64, scale float64) error {
	for t := range c.given {
		for j := range c.curve[t] {
			c.curve[t][j] = 1
		}
		c.lossAt(t, scale).HessTo(c.curve[t], 0, c.predict(t, h), c.curve[t])
	}
	if c.factored && slices.EqualFunc(c.curve, c.met, slices.Equal[[]float64]) {
		return nil
	}
	k := len(h)
	var rows []float64
	for t, g := range c.given {
		copy(c.met[t], c.curve[t])
		from := c.first[g.View] * k
		for j, w := range c.curve[t] {
			if w > 0 {
				for _, a := range c.d[from+j*k : from+(j+1)*k] {
					rows = append(rows, math.Sqrt(w)*a)
				}
			}
		}
	}
	c.gram.Zero()
	if len(rows) > 0 {
		c.gram.SymOuterK(1, mat.NewDense(len(rows)/k, k, rows).T())
	}
	ridge := math.Max(c.lambda, leastRidge*mat.Trace(c.gram))
	for i := range k {
		c.gram.SetSym(i, i, c.gram.At(i, i)+ridge)
	}
	if c.factored = c.chol.Factorize(c.gram); !c.factored {
		return errCode
	}
	return nil
}

// leastRidge is the smallest λ, over the trace of the second derivative, for which steps are taken: inside a constraint λ is 0.
const leastRidge = rounding.Null
