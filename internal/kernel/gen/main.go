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
	name := flag.String("isa", "", "write assembly for avx512 or avx2")
	flag.Parse()
	avx512 := *name == "avx512"
	if !avx512 && *name != "avx2" {
		log.Fatalf("gen: -isa %q: want avx512 or avx2", *name)
	}
	ConstraintExpr("!purego")
	for _, f32 := range []bool{false, true} {
		s := newISA(avx512, f32)
		rowKernels(s)
		gemmTiles(s.widened())
		vectors(s.widened())
		exponential(s)
		if f32 {
			packRows(s)
			packedRows(s)
			regressions(s)
		} else {
			rotate(s)
			rankTwo(s)
			logarithms(s)
		}
	}
	probes(newISA(avx512, false))
	Generate()
}
