package view_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// What implementations are meant to be, whatever method of theirs is renamed.
var (
	_ view.RidgeOperator     = (*operator.Sampling)(nil)
	_ gcg.Squares            = (*operator.Squares[float32])(nil)
	_ view.HessianOperator   = (*operator.Design)(nil)
	_ view.WholeOperator     = (*operator.Design)(nil)
	_ view.KroneckerOperator = (*operator.Design)(nil)
	_ view.ColumnOperator    = (*operator.Design)(nil)
	_ view.BoundingOperator  = (*operator.Design)(nil)
	_ view.GramOperator      = (*operator.Tasks)(nil)
	_ gcg.InterceptOperator  = (*operator.Tasks)(nil)
	_ view.Single            = (*loss.Softmax)(nil)
	_ gcg.OuterLoss          = (*loss.Softmax)(nil)
	_ interface {
		ConjugateAlong(lo int, r []float64) func(s float64) float64
	} = (*loss.Softmax)(nil)
	_ view.ScaledProxGauge   = gauge.Trace{}
	_ view.LargestBlockGauge = gauge.Group{}
)

// offered are the names of the fields of a struct of capabilities that are not nil or false.
func offered(capabilities any) string {
	var names []string
	v := reflect.ValueOf(capabilities)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return strings.Join(names, " ")
}

func check(t *testing.T, of any, capabilities any, want string) {
	t.Helper()
	if got := offered(capabilities); got != want {
		t.Errorf("%T offers %q, not %q", of, got, want)
	}
}

// must is x, of a constructor that is given what it takes.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// Each operator offers these capabilities and no others.
func TestOperatorCapabilities(t *testing.T) {
	x := must(operator.DenseFeatures(3, 2, []float64{1, 2, 3, 4, 5, 6}))
	many := must(operator.DenseFeatures(64, 1, make([]float64, 64)))
	ptr, cols := []int64{0, 1, 3}, []int32{0, 1, 2}
	for _, c := range []struct {
		op   gcg.Operator
		want string
	}{
		{must(operator.NewSampling(2, 3, ptr, cols)), "Fused Columns"},
		{must(operator.NewSquares(2, 3, ptr, cols, []float32{1, 2, 3}, false)), "Squares"},
		{must(operator.NewDesign(x, 2)), "Hessian Whole Kronecker Columns"},
		{must(operator.NewDesign(many, 2)), "Hessian Whole Kronecker Columns Bounding"},
		{struct{ *operator.Design }{must(operator.NewDesign(many, 2))}, "Hessian Whole Kronecker Columns"}, // which may observe more
		{must(operator.NewTasks(x, []int32{0, 1, 1}, 2)), "Kronecker Grams Columns Intercepts"},
		{must(operator.NewIdentity(2, 3)), "Columns Identity"},
		{must(operator.NewSandwich(1, 2, []float64{1, 2}, 3, 1, []float64{1, 2, 3})), ""},
	} {
		check(t, c.op, view.OfOperator(c.op), c.want)
	}
}

// Each loss offers these capabilities and no others; a wrapper that passes none on has none.
func TestLossCapabilities(t *testing.T) {
	y := []float64{1, -1, 1}
	all := "Curved Conjugate Checker Separable Proximity"
	bent := "Curved Conjugate Checker Bent Separable Proximity"
	for _, c := range []struct {
		l    gcg.Loss
		want string
	}{
		{&loss.Squared{Y: y}, "Curved LeastSquares Conjugate Checker Separable Proximity"},
		{&loss.Logistic{Y: y}, all},
		{&loss.Huber{Y: y, Mu: 1}, bent},
		{&loss.SquaredHinge{Y: y}, all},
		{&loss.SmoothedHinge{Y: y, Mu: 1}, bent},
		{&loss.Smoothed{Loss: &loss.Hinge{Y: y}, Mu: 1}, bent},
		{&loss.Shifted{Loss: &loss.Logistic{Y: y}, By: y}, all},
		{&loss.Softmax{Labels: []int32{0, 1}, Classes: 2}, "Curved Outer Conjugate Single Checker"},
		{struct{ gcg.Loss }{&loss.Squared{Y: y}}, "Separable Proximity"},
		{nil, ""},
	} {
		check(t, c.l, view.OfLoss(c.l), c.want)
	}
}

// Each gauge offers these capabilities and no others; a wrapper that passes none on has none.
func TestGaugeCapabilities(t *testing.T) {
	for _, c := range []struct {
		k    gcg.Gauge
		want string
	}{
		{gauge.Trace{}, "Compressor Spectral Prox Factored"},
		{views.Views{Sizes: []int{1, 1}}, "Compressor Balanced Dictionary"},
		{views.Views{Sizes: []int{1, 1}, Labels: 1}, "Compressor Dictionary"},
		{views.Simplex{Sizes: []int{1, 1}}, "Compressor Balanced Dictionary"},
		{gauge.L1{}, "Prox BlockGauge SmoothBlocks Factored"},
		{gauge.PositiveL1{}, "Prox BlockGauge SmoothBlocks"},
		{gauge.Simplex{}, "Prox Splitter BlockGauge SmoothBlocks"},
		{gauge.Group{}, "Prox BlockGauge SmoothBlocks LargestBlocks Factored"},
		{gauge.SchattenP{P: 1.5}, "Compressor Prox"},
		{gauge.Lp{P: 1.5}, "Compressor Prox Splitter"},
		{gauge.PSDTrace{}, "Prox Splitter"},
		{gauge.Spectrahedron{}, "Prox Splitter"},
		{gauge.Factor{}, "Compressor Spectral Prox Factored"},
		{gauge.Factor{C: 2, R: 1}, "Prox BlockGauge SmoothBlocks LargestBlocks Factored"},
		{gauge.Factor{C: 2, R: math.Inf(1)}, "Compressor Factored"},
		{gauge.Group{BySize: true}, "Prox BlockGauge SmoothBlocks LargestBlocks"},
		{rowscolumns.Gauge{}, "Compressor Prox Splitter"},
		{must(rowscolumns.NewGroups(1, 2, [][]int32{{0, 1}}, nil)), "Compressor Prox Splitter"},
		{struct{ gcg.Gauge }{gauge.Trace{}}, ""},
	} {
		check(t, c.k, view.OfGauge(c.k), c.want)
	}
}
