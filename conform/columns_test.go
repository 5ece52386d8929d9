package conform_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/operator"
)

// misplaced is a design whose columns are spoilt.
type misplaced struct {
	*operator.Design
	spoil func([]gcg.Column) []gcg.Column
}

func (o misplaced) Columns(rows, cols []int32) []gcg.Column {
	return o.spoil(o.Design.Columns(rows, cols))
}

// Columns that are not A of unit matrices are found, however they are wrong.
func TestColumnsFindFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const n, p, outputs = 8, 5, 3
	x := make([]float64, n*p)
	for e := range x {
		x[e] = rng.NormFloat64()
	}
	dense, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(dense, outputs)
	if err != nil {
		t.Fatal(err)
	}
	each := func(spoil func(*gcg.Column)) func([]gcg.Column) []gcg.Column {
		return func(all []gcg.Column) []gcg.Column {
			for t := range all {
				spoil(&all[t])
			}
			return all
		}
	}
	for name, spoil := range map[string]func([]gcg.Column) []gcg.Column{
		"right":             func(all []gcg.Column) []gcg.Column { return all },
		"of another output": each(func(c *gcg.Column) { c.Offset = (c.Offset + 1) % outputs }),
		"side by side":      each(func(c *gcg.Column) { c.Stride = 1 }),
		"too long":          each(func(c *gcg.Column) { c.Values = append([]float64{1, 2, 3}, c.Values...) }),
		"cut":               each(func(c *gcg.Column) { c.Values = c.Values[:n-1] }),
		"of one place":      each(func(c *gcg.Column) { c.Index, c.Values = []int32{0, 0}, c.Values[:2] }),
		"without places":    each(func(c *gcg.Column) { c.Index = []int32{1} }),
		"before the first":  each(func(c *gcg.Column) { c.Offset = -1 }),
		"one for all":       func(all []gcg.Column) []gcg.Column { return append(all[:1], all[0], all[0], all[0], all[0], all[0]) },
		"too few":           func(all []gcg.Column) []gcg.Column { return all[1:] },
	} {
		found := ""
		for _, c := range conform.Operator(misplaced{op, spoil}, rng) {
			if !c.OK() {
				found += c.Name
			}
		}
		if (name == "right") != (found == "") || name != "right" && !strings.Contains(found, "columns equal") {
			t.Errorf("columns %s: found %q", name, found)
		}
	}
}
