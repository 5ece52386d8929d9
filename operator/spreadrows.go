package operator

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A sampled operator predicts from rows of features, and gives sums over its samples.
type sampled interface {
	gcg.Operator
	gradient(r []float64) *dense
	kroneckerSums(weights []float64, centred bool) *kroneckerSums
	Columns(rows, cols []int32) []gcg.Column
}

// spreadRows is an operator on rows of features over the ranks of a cluster, each of which holds some of the samples and shows
// these. W is whole on every rank. What crosses the network are sums of the size of W: a gradient, and products with second
// derivatives, of the size of its factors. All ranks call its methods in the same order.
type spreadRows[Q sampled] struct {
	gcg.Operator   // all
	all          Q // of the samples of this rank
	rows         *cluster.Rows
	first        int   // the first shard of this rank
	shards       []Q   // those of this rank
	cuts         []int // of the observations of this rank: those of shard first+t are cuts[t] ≤ e < cuts[t+1]
}

// newSpreadRows has make build the operator of the samples lo ≤ i < hi of this rank, counted from its first. all is that of all
// of them, with so many observations a sample.
func newSpreadRows[Q sampled](rows *cluster.Rows, all Q, each int, make func(lo, hi int) Q) (*spreadRows[Q], error) {
	s := &spreadRows[Q]{Operator: all, all: all, rows: rows, cuts: []int{0}}
	for shard := range rows.Shards() {
		if lo, hi := rows.Shard(shard); lo == hi {
			return nil, fmt.Errorf("operator: ranks share at least %d samples, as many as there are shards", rows.Shards())
		}
	}
	if p, n, _ := all.Dims(); p > denseLimit/n {
		return nil, fmt.Errorf("operator: W is %d×%d, and on several ranks at most %d entries", p, n, denseLimit)
	}
	var end int
	s.first, end = rows.Own()
	begin, last := rows.OwnRows()
	if _, _, nobs := all.Dims(); nobs != (last-begin)*each {
		return nil, fmt.Errorf("operator: this rank has %d observations, and %d samples", nobs, last-begin)
	}
	for shard := s.first; shard < end; shard++ {
		lo, hi := rows.Shard(shard)
		s.shards = append(s.shards, make(lo-begin, hi-begin))
		s.cuts = append(s.cuts, (hi-begin)*each)
	}
	return s, nil
}

// Shared are the shards of all ranks, and where the observations of those of this one begin and end.
func (s *spreadRows[Q]) Shared() (rows *cluster.Rows, cuts []int) { return s.rows, s.cuts }

// Columns has the columns of entries of W, of the observations of this rank.
func (s *spreadRows[Q]) Columns(rows, cols []int32) []gcg.Column { return s.all.Columns(rows, cols) }

// own is the operator of a shard of this rank, and where its observations begin and end.
func (s *spreadRows[Q]) own(shard int) (q Q, lo, hi int) {
	t := shard - s.first
	return s.shards[t], s.cuts[t], s.cuts[t+1]
}

// Adjoint is A*(r), a sum over the ranks that is formed when it is first used.
func (s *spreadRows[Q]) Adjoint(r []float64) gcg.Map {
	m, n, _ := s.Dims()
	return &formed{m: m, n: n, form: func() *dense {
		g := &dense{m, n, make([]float64, m*n)}
		cluster.Sum(s.rows, g.x, func(shard int, part []float64) {
			q, lo, hi := s.own(shard)
			copy(part, q.gradient(r[lo:hi]).x)
		})
		return g
	}}
}

// Kronecker approximates A*(d∘A(W)) by L W diag(right), see view.KroneckerOperator, from sums over the ranks.
func (s *spreadRows[Q]) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	of := make([]*kroneckerSums, len(s.shards))
	for t, q := range s.shards {
		of[t] = q.kroneckerSums(weights[s.cuts[t]:s.cuts[t+1]], centred)
	}
	length := 0
	for _, list := range of[0].lists() {
		length += len(list)
	}
	all, at := make([]float64, length), 0
	cluster.Sum(s.rows, all, func(shard int, part []float64) {
		at := 0
		for _, list := range of[shard-s.first].lists() {
			at += copy(part[at:], list)
		}
	})
	for _, list := range of[0].lists() {
		at += copy(list, all[at:])
	}
	return of[0].product()
}

// SpreadDesign is Design over the ranks of a cluster, each of which has some of the samples.
type SpreadDesign struct{ *spreadRows[*Design] }

// NewSpreadDesign takes the features of the samples of this rank, those of rows.OwnRows, as NewDesign does those of all. It
// refuses another number of samples, shards without any, and a W of more than 2²⁶ entries.
func NewSpreadDesign(rows *cluster.Rows, x *Features, outputs int) (*SpreadDesign, error) {
	all, err := NewDesign(x, outputs)
	if err != nil {
		return nil, err
	}
	s, err := newSpreadRows(rows, all, outputs, func(lo, hi int) *Design { return &Design{x.Rows(lo, hi), outputs} })
	return &SpreadDesign{s}, err
}

// HessianAt multiplies with second derivatives along factors, see view.HessianOperator: a sum over the ranks for each product.
func (s *SpreadDesign) HessianAt(u, v *gcg.Factor) gcg.FactorHessian {
	of := make([]*designHessian, len(s.shards))
	for t, q := range s.shards {
		of[t] = q.hessianAt(u, v)
	}
	var all []float32
	return func(gu, gv, du, dv *gcg.Factor32, hess func(z []float32, lo int), absorb func(all []float32)) {
		left, right := du.Data, transposed32(dv)
		within := func(t int) func(z []float32, lo int) { return func(z []float32, lo int) { hess(z, s.cuts[t]+lo) } }
		if absorb != nil {
			if all == nil {
				all = make([]float32, s.cuts[len(s.shards)])
			}
			for t, h := range of {
				h.all = all[s.cuts[t]:s.cuts[t+1]]
				h.predictAll(left, right, within(t))
			}
			absorb(all)
		}
		sum := memory.Borrow[float32](len(gu.Data) + len(gv.Data))
		defer memory.Repay(sum)
		cluster.Sum(s.rows, sum, func(shard int, part []float32) {
			h := of[shard-s.first]
			if absorb == nil {
				h.inOnePass(left, right, within(shard-s.first))
			} else {
				h.addAll()
			}
			h.takeTo(withData(gu, part[:len(gu.Data)]), withData(gv, part[len(gu.Data):]))
		})
		copy(gv.Data, sum[copy(gu.Data, sum):])
	}
}

// Gradients computes gradients at W kept whole, see view.WholeOperator: a sum over the ranks for each.
func (s *SpreadDesign) Gradients(centres *gcg.Factor) gcg.WholeGradient {
	of := make([]*designGradient, len(s.shards))
	for t, q := range s.shards {
		of[t] = q.gradients(centres)
	}
	return func(g, w *gcg.Factor32, residual func(z []float32, lo int) float64) float64 {
		values := make([]float64, len(of))
		cluster.Sum(s.rows, g.Data, func(shard int, part []float32) {
			t := shard - s.first
			values[t] = of[t].gradientTo(withData(g, part), w, func(z []float32, lo int) float64 { return residual(z, s.cuts[t]+lo) })
		})
		return cluster.Numbers(s.rows, 1, func(shard int) []float64 { return values[shard-s.first : shard-s.first+1] })[0]
	}
}

// SpreadTasks is Tasks over the ranks of a cluster, each of which has some of the samples, of any tasks.
type SpreadTasks struct{ *spreadRows[*Tasks] }

// NewSpreadTasks takes the features and the tasks of the samples of this rank, those of rows.OwnRows, as NewTasks does those of
// all. It refuses another number of samples, shards without any, and a W of more than 2²⁶ entries.
func NewSpreadTasks(rows *cluster.Rows, x *Features, task []int32, tasks int) (*SpreadTasks, error) {
	all, err := NewTasks(x, task, tasks)
	if err != nil {
		return nil, err
	}
	s, err := newSpreadRows(rows, all, 1, func(lo, hi int) *Tasks { return &Tasks{x.Rows(lo, hi), task[lo:hi], tasks} })
	return &SpreadTasks{s}, err
}

// Intercepts gives each task a constant of its own: their number, and that of each observation of this rank.
func (s *SpreadTasks) Intercepts() (count int, of []int32) { return s.all.Intercepts() }
