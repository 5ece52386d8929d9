package conform_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
)

// broken is the trace norm with one thing spoilt.
type broken struct{ spoil func(*gcg.Polar) }

func (broken) Name() string { return "broken" }

func (b broken) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := gauge.Trace{}.Polar(ctx, g, ask)
	if err == nil && p.Value > 0 {
		b.spoil(&p)
	}
	return p, err
}

// The checks find what they are for: a polar that is right passes, and every way of being wrong fails its own check.
func TestGaugeFindsFaults(t *testing.T) {
	for want, spoil := range map[string]func(*gcg.Polar){
		"":                           func(*gcg.Polar) {},
		"atoms are unit":             func(p *gcg.Polar) { p.Atoms[0].U.Scale(0.5); p.Atoms[0].V.Scale(0.5); scale(p, 0.25) },
		"the atom attains the value": func(p *gcg.Polar) { p.Values[0] *= 1.001; p.Value, p.Bound = p.Values[0], p.Bound*1.001 },
		"the bound is not below":     func(p *gcg.Polar) { p.Bound = p.Value * (1 - 1e-9) },
		"the best atom is first":     func(p *gcg.Polar) { last := len(p.Values) - 1; swap(p, 0, last) },
		"a proven bound is sharp":    func(p *gcg.Polar) { p.Bound *= 1.1 },
		"the same ask has the same":  func(p *gcg.Polar) { p.Bound *= 1 + 1e-8*rand.Float64() },
		"there is an atom":           func(p *gcg.Polar) { p.Atoms, p.Values = nil, nil },
		"a value of each":            func(p *gcg.Polar) { p.Values = p.Values[1:] },
		"what it is worth":           func(p *gcg.Polar) { p.Kind = gcg.Unbounded },
		"κ°(cG) = cκ°(G)":            func(p *gcg.Polar) { shift(p, 0.3) },
	} {
		rng := rand.New(rand.NewPCG(5, 1))
		g := conform.Matrix{M: 5, N: 4, Data: make([]float64, 20)}
		for e := range g.Data {
			g.Data[e] = rng.NormFloat64()
		}
		checks, err := conform.Gauge(context.Background(), broken{spoil}, g, rng)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range checks {
			found = found || !c.OK() && strings.Contains(c.Name, want)
			if want == "" && !c.OK() {
				t.Error(c)
			}
		}
		if !found && want != "" {
			t.Errorf("nothing says that %q is not so", want)
		}
	}
}

func scale(p *gcg.Polar, by float64) {
	p.Values[0] *= by
	p.Value, p.Bound = p.Values[0], p.Bound*by
}

func swap(p *gcg.Polar, i, j int) {
	p.Atoms[i], p.Atoms[j] = p.Atoms[j], p.Atoms[i]
	p.Values[i], p.Values[j] = p.Values[j], p.Values[i]
	p.Value = p.Values[0]
}

func shift(p *gcg.Polar, by float64) {
	p.Values[0] += by
	p.Value, p.Bound = p.Values[0], p.Bound+by
}

// What a gauge may leave to the caller is no fault: values, and the value of the first atom. Nor is a gauge that knows no bound.
func TestGaugeMayLeaveOut(t *testing.T) {
	for name, leave := range map[string]func(*gcg.Polar){
		"values": func(p *gcg.Polar) { p.Values = nil },
		"value":  func(p *gcg.Polar) { p.Value = 0 },
		"all":    func(p *gcg.Polar) { *p = gcg.Polar{Atoms: p.Atoms} },
	} {
		rng := rand.New(rand.NewPCG(5, 1))
		g := conform.Matrix{M: 5, N: 4, Data: make([]float64, 20)}
		for e := range g.Data {
			g.Data[e] = rng.NormFloat64()
		}
		checks, err := conform.Gauge(context.Background(), broken{leave}, g, rng)
		if err != nil || len(checks) < 10 {
			t.Fatalf("%s: %d checks, %v", name, len(checks), err)
		}
		for _, c := range checks {
			if !c.OK() {
				t.Errorf("without %s: %v", name, c)
			}
		}
	}
}
