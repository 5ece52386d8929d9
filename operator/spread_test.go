package operator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/operator"
)

// spreadData is observed entries by rows.
type spreadData struct {
	m, n   int
	ptr    []int64
	cols   []int32
	values []float64
}

func someEntries(seed uint64, m, n int) *spreadData {
	rng := rand.New(rand.NewPCG(seed, 3))
	d := &spreadData{m: m, n: n, ptr: make([]int64, m+1)}
	for i := range m {
		for j := range n {
			if rng.Float64() < 0.4/float64(1+i%7) {
				d.cols, d.values = append(d.cols, int32(j)), append(d.values, rng.NormFloat64())
			}
		}
		d.ptr[i+1] = int64(len(d.cols))
	}
	return d
}

// spread is the part of a rank.
func spread[T operator.Storage](c *cluster.Comm, d *spreadData, mean bool) (*operator.SpreadSquares[T], error) {
	counts := make([]int64, d.m)
	for i := range counts {
		counts[i] = d.ptr[i+1] - d.ptr[i]
	}
	rows, err := cluster.Spread(c, counts)
	if err != nil {
		return nil, err
	}
	lo, hi := rows.OwnRows()
	ptr := make([]int64, d.m+1)
	for i := range d.m {
		if ptr[i+1] = ptr[i]; i >= lo && i < hi {
			ptr[i+1] += counts[i]
		}
	}
	var y []T
	for _, x := range d.values[d.ptr[lo]:d.ptr[hi]] {
		y = append(y, T(x))
	}
	return operator.NewSpreadSquares(rows, d.n, ptr, slices.Clone(d.cols[d.ptr[lo]:d.ptr[hi]]), y, mean)
}

// outcome is what the passes of a Squares write, in order.
type outcome []float64

func (o *outcome) add(x ...float64)       { *o = append(*o, x...) }
func (o *outcome) factor(f *gcg.Factor)   { o.add(f.Data...) }
func (o *outcome) narrow(f *gcg.Factor32) { o.factor(gcg.FactorIn[float64](f)) }

// allPasses has what each pass of q writes at random factors.
func allPasses(q gcg.Squares, seed uint64, k int) (o outcome) {
	m, n, _ := q.Dims()
	rng := rand.New(rand.NewPCG(seed, 8))
	u, v, du, dv := factor(rng, m, k), factor(rng, n, k), factor(rng, m, k), factor(rng, n, k)
	o.add(q.Move(nil, nil), q.Move(u, v))
	o.add(q.Sums())
	o.add(q.Cross(u, v, du, dv))
	gu, gv := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	q.AlongTo(gu, gv, u, v, du, dv)
	o.factor(gu)
	o.factor(gv)
	q.NormalTo(gu, du, v)
	o.factor(gu)
	q.DiagonalTo(gu, nil, u, v)
	o.factor(gu)
	q.DiagonalTo(gu, gv, u, v)
	o.factor(gu)
	o.factor(gv)
	g := q.Adjoint(nil)
	x, y := make([]float64, n), make([]float64, m)
	v.ColumnTo(x, 0)
	g.MulTo(y, x)
	o.add(y...)
	g.TMulTo(x, y)
	o.add(x...)
	gcg.MulBlock(g, gu, v)
	o.factor(gu)
	gcg.TMulBlock(g, gv, u)
	o.factor(gv)
	u32, v32, du32, dv32 := gcg.FactorIn[float32](u), gcg.FactorIn[float32](v), gcg.FactorIn[float32](du), gcg.FactorIn[float32](dv)
	gu32, gv32 := gcg.NewFactorOf[float32](m, k), gcg.NewFactorOf[float32](n, k)
	q.Along32To(gu32, gv32, u32, v32, du32, dv32)
	o.narrow(gu32)
	o.narrow(gv32)
	q.Normal32To(gu32, du32, v32)
	o.narrow(gu32)
	square, gain := q.RidgeColumns(v32, u32, 0.3, 6)
	o.add(square, gain)
	o.narrow(v32)
	square, gain = q.RidgeRows(u32, v32, 0.3, 6)
	o.add(square, gain)
	o.narrow(u32)
	return o
}

// apart is the largest difference of two outcomes, in parts of the largest number of either.
func apart(a, b outcome) float64 {
	var off, size float64
	for i, x := range a {
		off, size = math.Max(off, math.Abs(x-b[i])), math.Max(size, math.Abs(x))
	}
	return off / size
}

// All passes write the same bits on any number of ranks, and what Squares writes on one, but for rounding.
func TestSpreadSquares(t *testing.T) {
	for _, shape := range [][2]int{{300, 120}, {3, 200}, {90, 70}} {
		for _, scaled := range []bool{false, true} {
			t.Run(fmt.Sprint(shape, scaled), func(t *testing.T) {
				checkSpread[float64](t, someEntries(5, shape[0], shape[1]), scaled)
				checkSpread[float32](t, someEntries(6, shape[0], shape[1]), scaled)
			})
		}
	}
}

func checkSpread[T operator.Storage](t *testing.T, d *spreadData, scaled bool) {
	t.Helper()
	const k = 5
	rng := rand.New(rand.NewPCG(9, 9))
	row, col := positive(rng, d.m), positive(rng, d.n)
	var y []T
	for _, x := range d.values {
		y = append(y, T(x))
	}
	q, err := operator.NewSquares(d.m, d.n, d.ptr, slices.Clone(d.cols), y, scaled)
	if err == nil && scaled {
		q, err = q.Scaled(row, col)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := allPasses(q, 1, k)
	var first outcome
	var mutex sync.Mutex
	for _, ranks := range []int{1, 2, 3, 4, 8} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			s, err := spread[T](c, d, scaled)
			if err == nil && scaled {
				s, err = s.Scaled(row, col)
			}
			if err != nil {
				return err
			}
			got := allPasses(s, 1, k)
			mutex.Lock()
			defer mutex.Unlock()
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				return fmt.Errorf("not the bits of one rank")
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	if off := apart(first, want); off > 2e-5 { // some are in float32
		t.Errorf("%d×%d: off by %v from one process", d.m, d.n, off)
	}
	if _, wide := any(y).([]float64); wide { // the numbers up to the block products are
		exact := 6 + 5*d.m*8 + 3*d.n*8
		if off := apart(first[:exact], want[:exact]); off > 1e-12 {
			t.Errorf("%d×%d: off by %v from one process in float64", d.m, d.n, off)
		}
	}
}
