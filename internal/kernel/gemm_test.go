package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func testGemm[T Real](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	sizes := []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 48, 49, 50, 65}
	shapes := [][3]int{{0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {300, 5, 9}, {9, 300, 5}, {5, 9, 600}, {70, 70, 300}, {40, 500, 270},
		{16, 16, 700}, {33, 48, 513}, {64, 24, 257}}
	for range 300 {
		shapes = append(shapes, [3]int{sizes[rng.IntN(len(sizes))], sizes[rng.IntN(len(sizes))], sizes[rng.IntN(len(sizes))]})
	}
	for _, d := range shapes {
		m, n, k := d[0], d[1], d[2]
		a, b := integers[T](rng, m*k, rng.IntN(3)), integers[T](rng, k*n, rng.IntN(3))
		at, bt := transposed(a, m, k), transposed(b, k, n)
		c, check := guarded[T](rng, m*n, rng.IntN(3))
		start, want := clone(c), clone(c)
		for i := range m {
			for p := range k {
				naiveAxpy(a[i*k+p], b[p*n:p*n+n], want[i*n:i*n+n])
			}
		}
		for name, call := range map[string]func(){
			"GemmNN": func() { GemmNN(c, a, b, m, n, k) },
			"GemmTN": func() { GemmTN(c, at, b, m, n, k) },
			"GemmNT": func() { GemmNT(c, a, bt, m, n, k) },
		} {
			copy(c, start)
			call()
			name = fmt.Sprintf("%s m=%d n=%d k=%d", name, m, n, k)
			check(t, name)
			equal(t, name, c, want)
		}
	}
}

func transposed[T Real](a []T, m, n int) []T {
	b := make([]T, len(a))
	for i := range m {
		for j := range n {
			b[j*m+i] = a[i*n+j]
		}
	}
	return b
}

func TestGemm(t *testing.T) { each(t, testGemm[float64], testGemm[float32]) }

func testGram[T Real](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, k := range []int{0, 1, 2, 3, 5, 8, 9, 16, 23, 24, 25, 31, 40, 57, 64, 100} {
		for _, rows := range []int{0, 1, 2, 9, 255, 256, 300} {
			a := integers[T](rng, rows*k, 1)
			g, check := guarded[T](rng, k*k, 1)
			want := clone(g)
			for p := range rows {
				for i := range k {
					naiveAxpy(a[p*k+i], a[p*k:p*k+k], want[i*k:i*k+k])
				}
			}
			for i := range k {
				for j := range i {
					want[j*k+i] = want[i*k+j]
				}
			}
			name := fmt.Sprintf("Gram k=%d rows=%d", k, rows)
			other, checkOther := guarded[T](rng, k*k, 1)
			copy(other, g)
			Gram(g, a, rows, k)
			check(t, name)
			Mirror(g, k)
			check(t, name+" mirrored")
			equal(t, name, g, want)
			GramNT(other, transposed(a, rows, k), k, rows)
			checkOther(t, name+" of rows")
			Mirror(other, k)
			equal(t, name+" of rows", other, want)
		}
	}
}

func TestGram(t *testing.T) { each(t, testGram[float64], testGram[float32]) }
