package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Where the error still falls at the end of the usual grid, smaller λ are tried, and where it does not, none is. The fit starts where they ended.
func TestChoiceBeyondTheGrid(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 4))
	var clean, noisy strings.Builder
	fmt.Fprintln(&clean, "a,b,c,y")
	fmt.Fprintln(&noisy, "a,b,c,y")
	for range 60 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&clean, "%v,%v,%v,%v\n", a, b, c, a-2*b)
		fmt.Fprintf(&noisy, "%v,%v,%v,%v\n", a, b, c, a-2*b+8*rng.NormFloat64())
	}
	for name, data := range map[string]string{"clean": clean.String(), "noisy": noisy.String()} {
		if err := dataset.WriteAtomic(name+".csv", text(data)); err != nil {
			t.Fatal(err)
		}
		_, errs, code := command(t, "fit", "regression", "--train", name+".csv", "--target", "y", "--trace", name+".jsonl")
		tried := strings.Count(errs, "validation RMSE")
		if code != 0 || (tried > 20) != (name == "clean") {
			t.Errorf("%s: exit %d, %d λ were tried\n%s", name, code, tried, errs)
		}
		trace, err := os.ReadFile(name + ".jsonl")
		if first, _, _ := strings.Cut(string(trace), "\n"); err != nil || name == "clean" && strings.Contains(first, `"nonzeros":0`) {
			t.Errorf("%s: the fit does not start where the choice came to: %s %v", name, first, err)
		}
	}
}
