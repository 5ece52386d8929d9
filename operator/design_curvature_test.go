package operator_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// The Hessian equals its parts: predictions along the direction, H on whole rows of them, and the adjoint.
func TestDesignHessianEqualsItsParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, size := range [][3]int{{1, 1, 1}, {7, 3, 2}, {300, 11, 5}, {700, 20, 9}} {
		n, p, c := size[0], size[1], size[2]
		_, all := features(t, rng, n, p)
		for name, x := range all {
			op, err := operator.NewDesign(x, c)
			if err != nil {
				t.Fatal(err)
			}
			k := min(p, c, 3)
			u, v, du, dv := factor(rng, p, k), factor(rng, c, k), factor(rng, p, k), factor(rng, c, k)
			mix := make([]float64, n*c)
			for i := range mix {
				mix[i] = rng.Float64()
			}
			// H couples the outputs of a sample, as a softmax does.
			hess := func(z []float64, lo int) {
				if lo%c != 0 || len(z)%c != 0 {
					t.Fatalf("a block of %d predictions from %d cuts a row of %d", len(z), lo, c)
				}
				for i := 0; i < len(z); i += c {
					var mean float64
					for j := range c {
						mean += mix[lo+i+j] * z[i+j]
					}
					for j := range c {
						z[i+j] = mix[lo+i+j] * (z[i+j] - mean/float64(c))
					}
				}
			}
			z, more := make([]float64, n*c), make([]float64, n*c)
			op.FactoredTo(z, 0, du, v)
			op.FactoredTo(more, 0, u, dv)
			for i := range z {
				z[i] += more[i]
			}
			hess(z, 0)
			wantU, wantV := gcg.Both(op.Adjoint(z), u, v)
			gu, gv := gcg.NewFactorOf[float32](p, k), gcg.NewFactorOf[float32](c, k)
			at := op.HessianAt(u, v)
			narrow := func(z []float32, lo int) {
				wide := make([]float64, len(z))
				for i, x := range z {
					wide[i] = float64(x)
				}
				hess(wide, lo)
				for i, x := range wide {
					z[i] = float32(x)
				}
			}
			half := func(all []float32) { // of what is H z by then
				for i, x := range all {
					if math.Abs(float64(x)-z[i]) > 1e-4*(1+math.Abs(z[i])) {
						t.Fatalf("%s %d×%d, %d outputs: H z is %v at %d, want %v", name, n, p, c, x, i, z[i])
					}
					all[i] /= 2
				}
			}
			for by, absorb := range map[float64]func(all []float32){1: nil, 2: half} {
				at(gu, gv, gcg.FactorIn[float32](du), gcg.FactorIn[float32](dv), narrow, absorb)
				gu.Scale(float32(by))
				gv.Scale(float32(by))
				if a, b := near(gcg.FactorIn[float64](gu), wantU), near(gcg.FactorIn[float64](gv), wantV); a > 1e-5 || b > 1e-5 {
					t.Errorf("%s %d×%d, %d outputs, %v: off by %.1e and %.1e", name, n, p, c, by, a, b)
				}
			}
		}
	}
}

// Where the weights of the observations are of rank one the Kronecker form is exact.
func TestKroneckerIsExactForSeparableWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n, p, c = 40, 6, 4
	_, all := features(t, rng, n, p)
	for name, x := range all {
		op, err := operator.NewDesign(x, c)
		if err != nil {
			t.Fatal(err)
		}
		d, rows, cols := make([]float64, n*c), make([]float64, n), make([]float64, c)
		for i := range rows {
			rows[i] = rng.Float64()
		}
		for j := range cols {
			cols[j] = rng.Float64()
		}
		for i := range d {
			d[i] = rows[i/c] * cols[i%c]
		}
		gram, left, right := op.Kronecker(d, false)
		if gram == nil || left != nil {
			t.Fatalf("%s: %d features have no Gram matrix", name, p)
		}
		u, v := factor(rng, p, 2), factor(rng, c, 2)
		z := make([]float64, n*c)
		op.FactoredTo(z, 0, u, v)
		var exact float64 // ⟨X, A*(d∘A(X))⟩ at X = UVᵀ
		for i, x := range z {
			exact += d[i] * x * x
		}
		lu := gcg.Mul(trimmed(gram, p), pad8(u))
		rv := v.Clone()
		for j := range c {
			for q := range rv.K {
				rv.Row(j)[q] *= right[j]
			}
		}
		a, b := gcg.TMul(u, lu), gcg.TMul(v, rv)
		var got float64
		for i := range u.K {
			for j := range u.K {
				got += a.Row(i)[j] * b.Row(i)[j]
			}
		}
		if math.Abs(got-exact) > 1e-10*exact {
			t.Errorf("%s: ⟨X, L X R⟩ = %.12g, want %.12g", name, got, exact)
		}
	}
}

// trimmed is a Small without the rows that pad it, and pad8 a factor with the rows that a Small has.
func trimmed(f *gcg.Factor, rows int) *gcg.Factor {
	return &gcg.Factor{Rows: rows, K: f.K, Stride: f.Stride, Data: f.Data[:rows*f.Stride]}
}

func pad8(f *gcg.Factor) *gcg.Factor {
	s := gcg.Small(f.Rows, f.K)
	copy(s.Data, f.Data)
	return s
}

// Centred, the Gram matrix is that of the rows less their weighted mean.
func TestKroneckerCentres(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const n, p = 30, 5
	x, all := features(t, rng, n, p)
	d, mean := make([]float64, n), make([]float64, p)
	var total float64
	for i := range d {
		d[i] = rng.Float64()
		total += d[i]
	}
	for i := range n {
		for j := range p {
			mean[j] += d[i] / total * x[i*p+j]
		}
	}
	for name, f := range all {
		op, err := operator.NewDesign(f, 1)
		if err != nil {
			t.Fatal(err)
		}
		gram, _, _ := op.Kronecker(d, true)
		for a := range p {
			for b := range p {
				var want float64
				for i := range n {
					want += d[i] * (x[i*p+a] - mean[a]) * (x[i*p+b] - mean[b])
				}
				if got := gram.Row(a)[b]; math.Abs(got-want) > 1e-12*total {
					t.Errorf("%s: entry %d, %d is %.12g, want %.12g", name, a, b, got, want)
				}
			}
		}
	}
}
