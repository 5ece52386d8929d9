package operator_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// stackOf is a stack that is not refused.
func stackOf(t testing.TB, parts ...gcg.Operator) gcg.Operator {
	t.Helper()
	op, err := operator.Stack(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func identity(t testing.TB, m, n int) gcg.Operator {
	t.Helper()
	op, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// tasksOf is an operator of samples with m features and n tasks.
func tasksOf(t testing.TB, rng *rand.Rand, samples, m, n int) gcg.Operator {
	t.Helper()
	_, all := features(t, rng, samples, m)
	task := make([]int32, samples)
	for i := range task {
		task[i] = int32(rng.IntN(n))
	}
	op, err := operator.NewTasks(all["dense"], task, n)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// unitOf is A(e_jc) at observation o, from the operator's plainest form.
func unitOf(op gcg.Operator) func(o, j, c int) float64 {
	known := map[[2]int][]float64{}
	return func(o, j, c int) float64 {
		z, ok := known[[2]int{j, c}]
		if !ok {
			_, _, nobs := op.Dims()
			z = make([]float64, nobs)
			op.AtomTo(z, 0, &gcg.Atom{Rows: []int32{int32(j)}, Cols: []int32{int32(c)}, Vals: []float64{1}})
			known[[2]int{j, c}] = z
		}
		return z[o]
	}
}

// A stack is its parts, one after the other, in every product, block and column.
func TestStackConforms(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 1))
	const m, n = 9, 7
	parts := []gcg.Operator{identity(t, m, n), random(t, rng, m, n, 0.6, true), tasksOf(t, rng, 40, m, n), identity(t, m, n)}
	for count := 1; count <= len(parts); count++ {
		units := make([]func(o, j, c int) float64, count)
		for i := range units {
			units[i] = unitOf(parts[i])
		}
		checkOperator(t, stackOf(t, parts[:count]...), rand.New(rand.NewPCG(2, 2)), func(o, j, c int) float64 {
			for i, p := range parts {
				_, _, nobs := p.Dims()
				if o < nobs {
					return units[i](o, j, c)
				}
				o -= nobs
			}
			return 0
		})
	}
}

// A stack of samplings makes their passes, and one with another operator does not.
func TestStackKeepsWhatAllHave(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 2))
	const m, n = 50, 45
	a, b := random(t, rng, m, n, 0.5, true), random(t, rng, m, n, 0.3, false)
	op := stackOf(t, a, b, a)
	checkFused(t, op.(onePass), rng, 4)
	if _, ok := op.Adjoint(make([]float64, 2*obs(a)+obs(b))).(gcg.BlockMap); !ok {
		t.Error("the adjoint is no BlockMap")
	}
	mixed := stackOf(t, a, identity(t, m, n))
	if _, ok := mixed.(onePass); ok {
		t.Error("a stack with an identity makes the passes of a sampling")
	}
	if _, ok := mixed.(columned); !ok {
		t.Error("a stack with an identity has no columns")
	}
	if _, ok := stackOf(t, struct{ gcg.Operator }{a}, b).(columned); ok {
		t.Error("a stack with an operator without columns has some")
	}
}

func obs(op gcg.Operator) int {
	_, _, nobs := op.Dims()
	return nobs
}

// Constants that a part names are the stack's; observations of other parts are left to their loss.
func TestStackNumbersIntercepts(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 3))
	const m, n = 4, 3
	tasks := tasksOf(t, rng, 20, m, n)
	count, of := stackOf(t, tasks, identity(t, m, n), tasks).(gcg.InterceptOperator).Intercepts()
	_, own := tasks.(gcg.InterceptOperator).Intercepts()
	if count != 2*n || len(of) != 40+m*n {
		t.Fatalf("%d constants of %d observations", count, len(of))
	}
	for i, c := range of {
		want := int32(-1)
		switch {
		case i < 20:
			want = own[i]
		case i >= 20+m*n:
			want = n + own[i-20-m*n]
		}
		if c != want {
			t.Errorf("observation %d takes constant %d, not %d", i, c, want)
		}
	}
	if _, of := stackOf(t, identity(t, m, n), identity(t, m, n)).(gcg.InterceptOperator).Intercepts(); of != nil {
		t.Error("a stack of identities names constants")
	}
}

func TestStackRefuses(t *testing.T) {
	squares, err := operator.NewSquares(2, 2, []int64{0, 1, 2}, []int32{0, 1}, []float64{1, 2}, false)
	if err != nil {
		t.Fatal(err)
	}
	for want, parts := range map[string][]gcg.Operator{
		"at least one part":     {},
		"part 2":                {identity(t, 2, 3), identity(t, 3, 2)},
		"shows no observations": {squares},
	} {
		if _, err := operator.Stack(parts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
