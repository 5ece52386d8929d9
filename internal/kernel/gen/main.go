// Command gen writes the assembly of package kernel for one instruction set:
//
//	go run . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg kernel
//
// It is a module of its own, so that the main module does not depend on avo. Run go generate in the package above.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("isa", "", "avx512 or avx2")
	flag.Parse()
	wide := map[string]bool{"avx512": true, "avx2": false}
	if _, known := wide[*name]; !known {
		log.Fatalf("gen: -isa %q: want avx512 or avx2", *name)
	}
	ConstraintExpr("!purego")
	for _, f32 := range []bool{false, true} {
		s := newISA(wide[*name], f32)
		rowKernels(s)
		gramTiles(s)
		gemmTiles(s.widened())
		vectors(s.widened())
		exponential(s)
	}
	Generate()
}
