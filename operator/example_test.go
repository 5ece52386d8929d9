package operator_test

import (
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// Three observed entries of a 2×3 matrix: what the operator reads of an atom, and its adjoint.
func ExampleNewSampling() {
	op, err := operator.NewSampling(2, 3, []int64{0, 2, 3}, []int32{0, 2, 1}) // (0,0), (0,2), (1,1)
	if err != nil {
		log.Fatal(err)
	}
	a := gcg.RankOne([]float64{1, 10}, []float64{1, 2, 3})
	z := make([]float64, 3)
	op.AtomTo(z, 0, &a)
	fmt.Println("A(a) =", z)

	r := []float64{1, 1, -1}
	var inner float64
	for i := range z {
		inner += z[i] * r[i]
	}
	fmt.Println("⟨A(a), r⟩ =", inner, "= ⟨a, A*(r)⟩ =", a.Dot(op.Adjoint(r)))
	// Output:
	// A(a) = [1 3 20]
	// ⟨A(a), r⟩ = -16 = ⟨a, A*(r)⟩ = -16
}

// A design with two outputs: observation 2i + c is output c of sample i.
func ExampleNewDesign() {
	x, err := operator.DenseFeatures(2, 3, []float64{1, 0, 2, 0, 1, 0})
	if err != nil {
		log.Fatal(err)
	}
	op, err := operator.NewDesign(x, 2)
	if err != nil {
		log.Fatal(err)
	}
	z := make([]float64, 4)
	op.AtomTo(z, 0, &gcg.Atom{Rows: []int32{2, 1}, Cols: []int32{0, 1}, Vals: []float64{5, 7}}) // W₂₀ = 5, W₁₁ = 7
	fmt.Println(z)
	// Output: [10 0 0 7]
}

// What is wrong with the data is said in one line.
func ExampleDenseFeatures() {
	_, err := operator.DenseFeatures(2, 2, []float64{1, 2, 3})
	fmt.Println(err)
	// Output: operator: 3 values do not fill a matrix of 2 samples × 2 features
}
